import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { COMMANDS } from './command-table.ts'
import { runCli } from './program.ts'

interface Answer {
  readonly status: number
  readonly body?: unknown
}

let dir: string
let server: Server
let endpoint: string
let requests: { line: string; token: string | undefined; body: string }[]
let answers: Map<string, Answer>

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'kobe-cli-'))
  requests = []
  answers = new Map()
  server = createServer(async (incoming, outgoing) => {
    const line = `${incoming.method} ${incoming.url?.replace(/\?.*/, '')}`
    requests.push({ line, token: incoming.headers.authorization, body: await bodyOf(incoming) })
    const { status, body } = answers.get(line) ?? { status: 404, body: { error: 'Not found' } }
    outgoing
      .writeHead(status, { 'content-type': 'application/json' })
      .end(body === undefined ? '' : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterEach(async () => {
  await new Promise((resolve) => server.close(resolve))
  rmSync(dir, { recursive: true, force: true })
})

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of incoming) text += chunk
  return text
}

async function kobe(...argv: string[]) {
  let stdout = ''
  let stderr = ''
  const code = await runCli({
    argv,
    env: { HOME: dir, KOBE_ENDPOINT: endpoint, KOBE_TOKEN: 'secret-token' },
    cwd: dir,
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    signal: new AbortController().signal,
  })
  return { code, stdout, stderr }
}

const KUBECONFIG = `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1/connect/lease-aabbccddeeff"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`
const LEASE = {
  id: 'lease-aabbccddeeff',
  phase: 'Bound',
  profile: 'ci',
  cluster_name: 'pool-ci-1',
  kubeconfig: KUBECONFIG,
}

describe('help', () => {
  test('lists every command with one line', async () => {
    const { code, stdout } = await kobe('--help')
    expect(code).toBe(0)
    for (const { name } of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${name} .*[A-Z]`, 'm'))
  })

  test.each(COMMANDS.map(({ name }) => name))('`kobe %s --help` ends with code 0', async (name) => {
    expect((await kobe(name, '--help')).code).toBe(0)
  })
})

describe('lease', () => {
  beforeEach(() => {
    answers.set('POST /v1/leases', { status: 202, body: { id: LEASE.id, phase: 'Pending', profile: 'ci' } })
    answers.set(`GET /v1/leases/${LEASE.id}`, { status: 200, body: LEASE })
  })

  test('writes a private kubeconfig with names of its own and prints how to use it', async () => {
    const { code, stdout } = await kobe('lease', 'ci', '--ttl', '30m')
    const path = join(dir, '.kube', 'kobe-ci-aabbccdd.yaml')
    expect(code).toBe(0)
    expect(stdout).toContain(`export KUBECONFIG=${path}`)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readFileSync(path, 'utf8')).toContain('current-context: kobe-ci-aabbccdd')
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ profile: 'ci', ttl: '30m' })
    expect(requests[0]?.token).toBe('Bearer secret-token')
  })

  test('-o json, before or after the command, prints one JSON value and never the credential', async () => {
    for (const argv of [
      ['-o', 'json', 'lease', 'ci'],
      ['lease', 'ci', '-o', 'json'],
    ]) {
      const value = JSON.parse((await kobe(...argv)).stdout)
      expect(value).toMatchObject({ id: LEASE.id, kubeconfigPath: expect.stringContaining('kobe-ci-') })
      expect(value.kubeconfig).toBeUndefined()
    }
  })

  test('--print prints the kubeconfig and writes nothing', async () => {
    const { stdout } = await kobe('lease', 'ci', '--print')
    expect(stdout.trim()).toBe(KUBECONFIG.trim())
    expect(() => statSync(join(dir, '.kube'))).toThrow()
  })

  test('release removes the kubeconfig that lease wrote', async () => {
    await kobe('lease', 'ci')
    answers.set(`DELETE /v1/leases/${LEASE.id}`, { status: 204 })
    expect((await kobe('release', LEASE.id)).code).toBe(0)
    expect(() => statSync(join(dir, '.kube', 'kobe-ci-aabbccdd.yaml'))).toThrow()
  })

  test('a lease that ends while waiting is an error with the server message', async () => {
    answers.set(`GET /v1/leases/${LEASE.id}`, {
      status: 200,
      body: { ...LEASE, phase: 'Expired', message: 'queue timeout' },
    })
    const { code, stderr } = await kobe('lease', 'ci')
    expect(code).toBe(6)
    expect(stderr).toContain('queue timeout')
  })
})

describe('errors', () => {
  test.each([
    [401, {}, 3],
    [403, { error: 'not allowed' }, 3],
    [404, { error: 'Profile not found' }, 4],
    [429, { error: 'limit', reason: 'quota_exhausted' }, 7],
    [503, { error: 'later', detail: 'backoff' }, 6],
    [400, { error: 'Invalid TTL format' }, 1],
  ])('a %i answer ends with its own exit code', async (status, body, code) => {
    answers.set('POST /v1/leases', { status, body })
    const result = await kobe('lease', 'ci')
    expect(result.code).toBe(code)
    expect(result.stderr).toMatch(/^kobe: /)
  })

  test('with -o json an error is one JSON line on stderr', async () => {
    answers.set('POST /v1/leases', { status: 403, body: { error: 'not allowed', detail: 'rule' } })
    const { stdout, stderr } = await kobe('lease', 'ci', '-o', 'json')
    expect(stdout).toBe('')
    expect(JSON.parse(stderr)).toMatchObject({ error: 'not allowed', why: 'rule', exitCode: 3 })
  })

  test('an endpoint that does not answer says how to start one', async () => {
    const result = await kobe('status', '--endpoint', 'http://127.0.0.1:1')
    expect(result.code).toBe(6)
    expect(result.stderr).toContain('npm start')
  })

  test('version reports an endpoint that does not answer, and that is no error', async () => {
    const result = await kobe('version', '--endpoint', 'http://127.0.0.1:1')
    expect(result.code).toBe(0)
    expect(result.stdout).toContain('unavailable')
  })
})

describe('which lease is meant', () => {
  const leases = [
    { id: 'lease-000000000001', phase: 'Bound', profile: 'ci', alias: 'mine' },
    { id: 'lease-000000000002', phase: 'Bound', profile: 'ci' },
    { id: 'lease-000000000003', phase: 'Released', profile: 'old' },
  ]
  beforeEach(() => {
    answers.set('GET /v1/leases', { status: 200, body: leases })
    for (const { id } of leases) answers.set(`DELETE /v1/leases/${id}`, { status: 204 })
  })

  test.each([
    ['an alias', 'mine', 0, 'lease-000000000001'],
    ['a pool with several leases', 'ci', 2, 'lease-000000000002'],
    ['a lease that has ended', 'old', 4, 'no active lease'],
  ])('%s', async (_title, target, code, text) => {
    const result = await kobe('release', target)
    expect(result.code).toBe(code)
    expect(result.stdout + result.stderr).toContain(text)
  })
})

test('the token of the local client file is never sent to another endpoint', async () => {
  answers.set('GET /v1/leases', { status: 200, body: [] })
  const local = join(dir, '.kobe', 'client.json')
  mkdirSync(join(dir, '.kobe'))
  writeFileSync(local, JSON.stringify({ endpoint: 'http://127.0.0.1:1', token: 'local-secret' }))
  let stderr = ''
  await runCli({
    argv: ['list', '--endpoint', endpoint],
    env: { HOME: dir },
    cwd: dir,
    stdout: { write: () => undefined },
    stderr: { write: (text) => (stderr += text) },
    signal: new AbortController().signal,
  })
  expect(stderr).toContain('no leases')
  expect(requests[0]?.token).toBeUndefined()
})

describe('explain pool', () => {
  const explanation = {
    name: 'ci',
    specHash: 'b'.repeat(16),
    sources: { version: 1, spec: 'c'.repeat(16) },
    members: [
      {
        name: 'pool-ci-1',
        phase: 'Ready',
        specHash: 'a'.repeat(16),
        state: 'drifted',
        changedSources: ['spec'],
        changes: [
          { source: 'spec', path: 'cluster.version', before: 'v1.35.0', after: 'v1.36.0' },
          { source: 'spec', path: 'cluster.serverArgs[0]' },
        ],
      },
    ],
  }

  test('shows the hash, the sources, the outdated members and what changed', async () => {
    answers.set('GET /v1/pools/ci/explain', { status: 200, body: explanation })
    const { code, stdout } = await kobe('explain', 'pool', 'ci')
    expect(code).toBe(0)
    expect(stdout).toMatch(/Spec hash +b{16}/)
    expect(stdout).toMatch(/^spec +c{16}/m)
    expect(stdout).toMatch(/pool-ci-1 +Ready +a{16} +drifted +spec/)
    expect(stdout).toContain('  cluster.version: "v1.35.0" -> "v1.36.0"\n  cluster.serverArgs[0] changed\n')
    expect(JSON.parse((await kobe('explain', 'pool', 'ci', '-o', 'json')).stdout)).toEqual(explanation)
  })

  test('explains nothing but pools and leases', async () => {
    const { code, stderr } = await kobe('explain', 'node', 'x')
    expect(code).toBe(2)
    expect(stderr).toContain('Allowed choices are pool, lease')
  })
})

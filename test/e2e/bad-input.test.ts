/** What a user does wrong, or the machine does to a user: the answer names the cause and the way out, and nothing is lost. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestKobe, ON_REAL_HOST, type TestKobe } from '../support/kobe.ts'
import { hasKubectl, KUBECTL, type Result, ROOT, type Running, run } from '../support/run.ts'
import { say } from '../support/say.ts'

/** A disk that can be filled: a small tmpfs, which only root may mount. Elsewhere the test is skipped, visibly. */
const canMount = process.getuid?.() === 0 && process.platform === 'linux' && !ON_REAL_HOST

interface Client {
  endpoint: string
  token: string
}

function post(
  client: Client,
  path: string,
  body: string,
): Promise<{ status: number; body: { error?: string; detail?: string } }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' }
    const outgoing = request(new URL(path, client.endpoint), { method: 'POST', headers }, (incoming) => {
      let text = ''
      incoming.on('data', (chunk) => {
        text += chunk
      })
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, body: JSON.parse(text) }))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

describe('bad requests', () => {
  let kobe: TestKobe
  let running: Running
  let client: Client

  beforeAll(async () => {
    kobe = createTestKobe()
    running = await kobe.up()
    client = JSON.parse(readFileSync(join(kobe.stateDir, 'client.json'), 'utf8'))
  })
  afterAll(() => kobe.dispose())

  const tell = (title: string, result: Result) => say(title, result.stderr || result.stdout)

  test('a lease from an unknown pool ends with code 4 and names the pool', async () => {
    const result = await kobe.cli('lease', 'no-such-pool')
    tell('kobe lease no-such-pool', result)
    expect(result).toMatchObject({ code: 4 })
    expect(result.stderr).toContain('no-such-pool')
    expect((await post(client, '/v1/leases', '{"profile":"no-such-pool"}')).status).toBe(404)
  })

  test('a malformed TTL is refused with the value and an example', async () => {
    const result = await kobe.cli('lease', 'ci-small', '--ttl', '5 bananas')
    tell('kobe lease ci-small --ttl "5 bananas"', result)
    expect(result.code).toBe(2)
    expect(result.stderr).toContain('--ttl')
    expect(result.stderr).toContain('5 bananas')
    expect(result.stderr).toContain('30m')
  })

  test.each([
    ['a body that is not JSON', '{"profile":', /JSON|body/i],
    ['a body without a pool', '{}', /profile/],
    ['a field of the wrong type', '{"profile":["ci-small"]}', /profile/],
    ['a null where text belongs', '{"profile":"ci-small","ttl":7}', /ttl/i],
  ])('%s is a 4xx that names the field', async (_title, body, names) => {
    const answer = await post(client, '/v1/leases', body)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
    expect(`${answer.body.error} ${answer.body.detail ?? ''}`).toMatch(names)
  })

  test('a wrong token is refused with code 3', async () => {
    writeFileSync(join(kobe.dir, 'token'), 'wrong')
    const result = await kobe.cli('list', '--token-file', join(kobe.dir, 'token'))
    expect(result.code).toBe(3)
    expect(result.stderr).toContain('fix:')
  })

  test.each([
    [['frobnicate'], 2],
    [['lease', '--until', 'noon'], 2],
    [['lease', 'ci-small', '--wait-timeout', 'soon'], 2],
    [['release', 'lease-000000000000'], 0],
    [['extend', 'nothing'], 4],
    [['up', '--http-port', '99999'], 2],
  ] as const)('kobe %j ends with code %i', async (args, code) => {
    const result = await kobe.cli(...args)
    tell(`kobe ${args.join(' ')}`, result)
    expect(result.code).toBe(code)
  })

  test.skipIf(!hasKubectl)('kubectl is told which field of a pool is wrong, and by YAML errors where', async () => {
    const apply = (text: string) =>
      run(KUBECTL, ['--kubeconfig', kobe.hostKubeconfig, 'apply', '-f', '-'], { env: kobe.env, input: text })
    const pool = (spec: string) =>
      `apiVersion: kobe.kunobi.ninja/v1alpha1\nkind: ClusterPool\nmetadata: {name: bad, namespace: kobe-system}\nspec: ${spec}\n`
    const violation = await apply(pool('{size: -1, cluster: {version: v1.36.3}}'))
    tell('kubectl apply with size -1', violation)
    expect(violation.code).toBe(1)
    expect(violation.stderr).toContain('spec.size')
    expect((await apply(pool('{size: 1}'))).stderr).toContain('spec.cluster')
    expect((await apply(pool('{size: 1, cluster: {version: v1.36.3}, sise: 2}'))).stderr).toContain('sise')
    expect((await apply('spec: {size: 1\n  x')).code).toBe(1)
  })

  test('a second `kobe up` on the same folder says that one runs', async () => {
    const result = await kobe.cli('up', '--http-port', '0', '--https-port', '0')
    tell('kobe up, a second time', result)
    expect(result.code).not.toBe(0)
    expect(result.stderr).toMatch(/already runs|kobe down/)
    expect(running.child.exitCode).toBeNull()
  })
})

describe('a machine that does not cooperate', () => {
  let kobe: TestKobe

  beforeAll(() => {
    kobe = createTestKobe()
  })
  afterAll(() => kobe.dispose())

  test('a port that is taken: the message names it and the flag', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const result = await kobe.cli('up', '--http-port', String(port), '--https-port', '0')
    server.close()
    say('kobe up on a taken port', result.stderr)
    expect(result.code).toBe(6)
    expect(result.stderr).toContain(String(port))
    expect(result.stderr).toContain('--http-port')
  })

  test.skipIf(ON_REAL_HOST)(
    'a corrupt data file of the host: the message says what to do, and the file is left as it is',
    async () => {
      const first = await kobe.up()
      first.child.kill('SIGINT')
      await first.exited
      const data = join(kobe.stateDir, 'host', 'data.sqlite')
      const original = readFileSync(data)
      const garbage = Buffer.from('this is not a database, whatever its name says'.repeat(200))
      writeFileSync(data, garbage)
      const result = await kobe.cli('up', '--http-port', '0', '--https-port', '0')
      say('kobe up on a corrupt file', result.stderr)
      expect(result.code).toBe(6)
      expect(result.stderr).toContain('data.sqlite')
      expect(readFileSync(data).equals(garbage)).toBe(true)
      writeFileSync(data, original)
      const again = await kobe.up()
      expect(await kobe.cliOk('status')).toMatch(/ci-small +Healthy +2/)
      again.child.kill('SIGINT')
      await again.exited
    },
  )

  test.skipIf(!canMount)(
    'a full disk: writes are refused with the cause, reads go on, and nothing is lost',
    async () => {
      const disk = mkdtempSync(join(tmpdir(), 'kobe-disk-'))
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', disk])
      try {
        const running = await kobe.up(['--state-dir', join(disk, 'state')])
        const cli = (...args: string[]) =>
          run(process.execPath, [join(ROOT, 'bin', 'kobe.js'), ...args], {
            cwd: kobe.dir,
            env: { ...kobe.env, KOBE_STATE_DIR: join(disk, 'state') },
          })
        const before: { id: string } = JSON.parse((await cli('lease', 'ci-small', '-o', 'json')).stdout)
        writeFileSync(join(disk, 'filler'), Buffer.alloc(1))
        await run('dd', ['if=/dev/zero', `of=${join(disk, 'filler')}`, 'bs=1k'])
        const refused = await cli('lease', 'ci-small', '--wait-timeout', '3s')
        say('kobe lease on a full disk', refused.stderr)
        expect(refused.code).toBe(6)
        expect(refused.stderr).toContain('disk is full')
        expect((await cli('list')).stdout).toContain(before.id)
        rmSync(join(disk, 'filler'))
        expect((await cli('lease', 'ci-small')).code).toBe(0)
        expect((await cli('list')).stdout).toContain(before.id)
        running.child.kill('SIGINT')
        await running.exited
      } finally {
        await run('umount', ['-l', disk])
        rmSync(disk, { recursive: true, force: true })
      }
    },
  )

  test('no endpoint at all: the message says how to get one', async () => {
    const result = await run(process.execPath, [join(import.meta.dirname, '..', '..', 'bin', 'kobe.js'), 'status'], {
      cwd: '/',
      env: { ...kobe.env, KOBE_STATE_DIR: 'nowhere' },
    })
    expect(result.code).toBe(2)
    expect(result.stderr).toContain('npm start')
  })
})

/** Commands against a server whose answers each test writes. */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CliBench, inTurn, json, startCliBench } from '../../test/support/cli-bench.ts'
import { Interrupt } from './interrupt.ts'
import type { CliIo } from './program.ts'

const ID = 'lease-aabbccddeeff'
const KUBECONFIG = `clusters: [{name: c, cluster: {server: "https://127.0.0.1:1/connect/${ID}"}}]
users: [{name: u, user: {token: guest-secret}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`
const PENDING = { id: ID, phase: 'Pending', profile: 'ci', queue_position: 2, reason: 'AllLeased', estimate_seconds: 9 }
const BOUND = { id: ID, phase: 'Bound', profile: 'ci', cluster_name: 'c-1', kubeconfig: KUBECONFIG, alias: 'dev' }
const POOL = {
  name: 'ci',
  phase: 'Healthy',
  ready: 2,
  leased: 0,
  creating: 0,
  recycling: 0,
  unhealthy: 0,
  quarantined: 0,
  queueDepth: 0,
}
const POLICY = { mode: 'fixed', ttl: '2h', warmTarget: 2 }

let bench: CliBench
let dir: string
let answers: CliBench['answers']

beforeEach(async () => {
  bench = await startCliBench({
    'GET /v1/leases': json(200, []),
    'POST /v1/leases': json(202, PENDING),
    [`GET /v1/leases/${ID}`]: json(200, BOUND),
    [`DELETE /v1/leases/${ID}`]: (_, response) => response.writeHead(204).end(),
    'GET /v1/pools': json(200, [{ ...POOL, policy: POLICY }]),
    'GET /v1/pools/ci': json(200, { ...POOL, policy: POLICY }),
  })
  ;({ dir, answers } = bench)
})
afterEach(() => bench[Symbol.asyncDispose]())

const kobeWith = (io: Partial<CliIo>, ...argv: string[]) => bench.kobeWith(io, ...argv)
const kobe = (...argv: string[]) => bench.kobe(...argv)
const sent = (line: string) => bench.sent(line)
const bodyOf = (line: string) => bench.bodyOf(line)

describe('waiting for a lease', () => {
  beforeEach(() => {
    answers[`GET /v1/leases/${ID}`] = inTurn(json(200, PENDING), json(200, PENDING), json(200, BOUND))
  })

  test('says place, reason and estimate once per change, on stderr', async () => {
    const { stderr } = await kobe('lease', 'ci')
    expect(stderr).toBe(`${ID}: place 2 in the queue - AllLeased - about 9 s\n`)
  })

  test('with -o json each line of stderr is JSON, and stdout is one value without a credential', async () => {
    answers[`GET /v1/leases/${ID}`] = inTurn(json(200, PENDING), json(200, BOUND))
    const { stdout, stderr } = await kobe('lease', 'ci', '-o', 'json')
    expect(
      stderr
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      expect.objectContaining({
        event: 'progress',
        id: ID,
        queue_position: 2,
        reason: 'AllLeased',
        estimate_seconds: 9,
      }),
    ])
    expect(JSON.parse(stdout)).toMatchObject({ id: ID, kubeconfigPath: expect.any(String) })
    expect(stdout + stderr).not.toContain('secret')
  })

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s gives the request up and ends with code %i', async (signal, code) => {
    answers[`GET /v1/leases/${ID}`] = () => bench.interrupt.abort(new Interrupt(signal))
    for (const argv of [
      ['lease', 'ci'],
      ['with-lease', 'ci', '--', 'true'],
    ]) {
      const before = sent(`DELETE /v1/leases/${ID}`).length
      bench.interrupt = new AbortController()
      expect((await kobe(...argv)).code).toBe(code)
      expect(sent(`DELETE /v1/leases/${ID}`)).toHaveLength(before + 1)
    }
  })

  test('--wait-timeout leaves the lease in its place and says how to go on', async () => {
    answers[`GET /v1/leases/${ID}`] = json(200, PENDING)
    const { code, stderr } = await kobe('lease', 'ci', '--wait-timeout', '1s')
    expect(code).toBe(5)
    expect(stderr).toContain('AllLeased')
    expect(sent(`DELETE /v1/leases/${ID}`)).toHaveLength(0)
  })
})

describe('lease', () => {
  test('--dotenv keeps lines of others, replaces its own, and is private', async () => {
    writeFileSync(join(dir, '.env'), 'A=1\nKUBECONFIG=old\n')
    await kobe('lease', 'ci', '--dotenv', '.env')
    await kobe('lease', 'ci', '--dotenv', '.env')
    const path = join(dir, '.kube', 'kobe-ci-aabbccdd.yaml')
    expect(readFileSync(join(dir, '.env'), 'utf8')).toBe(
      `A=1\nKUBECONFIG=${path}\nKOBE_LEASE_ID=${ID}\nKOBE_POOL=ci\nKOBE_CLUSTER=c-1\n`,
    )
    expect(statSync(join(dir, '.env')).mode & 0o777).toBe(0o600)
  })

  test('--verified, --fresh, --metadata and --idle-timeout reach the server', async () => {
    const options = [
      '--verified',
      '--fresh',
      '--metadata',
      'commit=1a2b',
      '--metadata',
      'job=7',
      '--idle-timeout',
      '90s',
    ]
    await kobe('lease', 'ci', ...options)
    expect(bodyOf('POST /v1/leases')).toMatchObject({
      cleanup_mode: 'VerifiedDestroy',
      allow_stale: false,
      metadata: { commit: '1a2b', job: '7' },
      idle_timeout: '90s',
    })
  })

  test('--verified on a pool that cannot prove it says what to do', async () => {
    answers['POST /v1/leases'] = json(422, {
      error: 'The pool does not support it',
      reason: 'cleanup_mode_unsupported',
    })
    const { code, stderr } = await kobe('lease', 'ci', '--verified')
    expect(code).toBe(1)
    expect(stderr).toContain('fix: leave --verified out')
  })

  test('--ensure takes the lease of that name, extended if asked, and makes none', async () => {
    answers['GET /v1/leases'] = json(200, [{ ...BOUND, kubeconfig: undefined }])
    answers[`PATCH /v1/leases/${ID}`] = json(200, { expires_at: '2030-01-01T00:00:00Z' })
    expect((await kobe('lease', 'ci', '--name', 'dev', '--ensure', '--ttl', '1h')).code).toBe(0)
    expect(bodyOf(`PATCH /v1/leases/${ID}`)).toEqual({ extend_ttl: '1h' })
    expect(sent('POST /v1/leases')).toHaveLength(0)
  })

  test('--ensure uses a lease that may not be extended any more, and says so', async () => {
    answers['GET /v1/leases'] = json(200, [{ ...BOUND, kubeconfig: undefined }])
    answers[`PATCH /v1/leases/${ID}`] = json(400, { error: 'Maximum extensions reached' })
    const { code, stderr } = await kobe('lease', '--name', 'dev', '--ensure', '--ttl', '1h')
    expect(code).toBe(0)
    expect(stderr).toContain('not extended: Maximum extensions reached')
  })

  test('without a pool the only one is taken; of several a script has to name one, a person is asked', async () => {
    expect((await kobe('lease')).code).toBe(0)
    expect(bodyOf('POST /v1/leases').profile).toBe('ci')
    answers['GET /v1/pools'] = json(
      200,
      [POOL, { ...POOL, name: 'other' }].map((pool) => ({ ...pool, policy: POLICY })),
    )
    expect((await kobe('lease')).code).toBe(2)
    expect((await kobeWith({ ask: async () => '2' }, 'lease')).code).toBe(0)
    expect(JSON.parse(sent('POST /v1/leases').at(-1)?.body ?? '').profile).toBe('other')
  })

  test('many at once lose none of the files to remember', async () => {
    const ids = ['1', '2', '3', '4', '5'].map((digit) => `lease-${digit.repeat(12)}`)
    for (const id of ids) answers[`GET /v1/leases/${id}`] = json(200, { ...BOUND, id })
    answers['POST /v1/leases'] = inTurn(...ids.map((id) => json(202, { ...PENDING, id })))
    await Promise.all(ids.map(() => kobe('lease', 'ci')))
    const { stdout } = await kobe('purge', '-o', 'json')
    expect(JSON.parse(stdout).removedKubeconfigs).toHaveLength(5)
  })
})

test.runIf(process.platform === 'linux')(
  'a home in which nobody can make a folder is named, with what to set',
  async () => {
    const place = { env: { HOME: '/proc', KOBE_ENDPOINT: bench.server.url, KOBE_TOKEN: 'api-secret' } }
    const { code, stderr } = await kobeWith(place, 'lease', 'ci')
    expect(code).toBe(1)
    expect(stderr).toContain('kobe: cannot write to /proc/.config/kobe\n  why: ENOENT')
    expect(stderr).toMatch(/fix: .*XDG_CONFIG_HOME or HOME/)
  },
)

describe('explain and plan of a lease', () => {
  const at = '2026-01-05T12:00:00Z'
  const notes = [{ reason: 'Warming', message: 'members are being created', level: 'Debug' }]
  const upcoming = [{ kind: 'QueueTimeout', at: '2026-01-05T12:05:00Z', message: 'it gives up' }]

  test('say why, what is ahead and in how long; notes that are details with -o wide', async () => {
    const because = { reason: 'Warming', message: 'members are being created' }
    answers[`GET /v1/leases/${ID}/explain`] = json(200, { ...PENDING, because, at, notes, upcoming })
    const { stdout } = await kobe('explain', 'lease', ID)
    expect(stdout).toMatch(/^Because +Warming: members are being created$/m)
    expect(stdout).toMatch(/^QueueTimeout +2026-01-05T12:05:00Z +5m +it gives up$/m)
    expect(stdout).not.toContain('NOTE')
    expect((await kobe('explain', 'lease', ID, '-o', 'wide')).stdout).toMatch(/^Warming +- +members are/m)
  })

  test('name the steps of the next pass', async () => {
    const actions = [{ kind: 'ProbeCandidate', cluster: 'pool-ci-1', message: 'it is probed' }]
    const plan = { id: ID, phase: 'Pending', next_phase: 'Bound', at, actions, notes, upcoming }
    answers[`GET /v1/leases/${ID}/plan`] = json(200, plan)
    const { stdout } = await kobe('plan', 'lease', ID)
    expect(stdout).toMatch(/^Phase +Pending, next Bound$/m)
    expect(stdout).toMatch(/^ProbeCandidate +pool-ci-1 +it is probed$/m)
    expect(JSON.parse((await kobe('plan', 'lease', ID, '-o', 'json')).stdout)).toEqual(plan)
  })
})

describe('diagnostics', () => {
  const stored = {
    url: `https://kobe/v1/leases/${ID}/diagnostics/bundle`,
    lease_id: ID,
    captured_at: '2026-01-05T12:00:00Z',
    kept_until: '2026-01-12T12:00:00Z',
    bytes: 42,
    complete: true,
  }
  beforeEach(() => {
    answers[`GET /v1/leases/${ID}/diagnostics`] = json(200, stored)
    const logs = [{ namespace: '../..', pod: 'web', container: 'c', text: 'hello\n' }]
    answers[`GET /v1/leases/${ID}/diagnostics/bundle`] = json(200, { lease_id: ID, resources: { events: [] }, logs })
  })

  test('of a lease that has ended are found by its name, and nothing is written unless asked for', async () => {
    const taken = { ...BOUND, id: 'lease-of-the-same-name' }
    answers['GET /v1/leases'] = json(200, [taken, { ...BOUND, phase: 'Expired' }])
    const { code, stdout } = await kobe('diagnostics', 'dev')
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Kept until +2026-01-12T12:00:00Z$/m)])
    expect(sent(`GET /v1/leases/${ID}/diagnostics/bundle`)).toHaveLength(0)
  })

  test('are written into a folder named after the lease, and not a second time without --force', async () => {
    const { stdout } = await kobe('diagnostics', ID, '--output-dir', 'out', '-o', 'json')
    const folder = join(dir, 'out', ID)
    expect(JSON.parse(stdout)).toEqual({
      ...stored,
      folder,
      files: ['bundle.json', 'resources/events.json', 'logs/____web_c.log'].map((name) => join(folder, name)),
    })
    expect(readFileSync(join(folder, 'logs', '____web_c.log'), 'utf8')).toBe('hello\n')
    const again = await kobe('diagnostics', ID, '--output-dir', 'out')
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('bundle.json exists already')])
    expect((await kobe('diagnostics', ID, '--output-dir', 'out', '--force')).code).toBe(0)
  })

  test('are asked for when the lease is made', async () => {
    await kobe('lease', 'ci', '--no-wait', '--diagnostics')
    expect(bodyOf('POST /v1/leases').diagnostics).toBe(true)
    answers[`GET /v1/leases/${ID}/diagnostics`] = json(404, { error: 'none', reason: 'diagnostics_not_found' })
    const { code, stderr } = await kobe('diagnostics', ID)
    expect([code, stderr]).toEqual([4, expect.stringContaining('fix: they are made when the lease ends')])
  })
})

describe('purge', () => {
  beforeEach(async () => {
    await kobe('lease', 'ci')
    answers['GET /v1/leases'] = json(200, [{ ...BOUND, kubeconfig: undefined }])
  })

  test('asks a person, and a script has to say --yes', async () => {
    expect((await kobe('purge')).code).toBe(2)
    expect((await kobeWith({ ask: async () => 'n' }, 'purge')).code).toBe(1)
    expect(sent(`DELETE /v1/leases/${ID}`)).toHaveLength(0)
    expect((await kobeWith({ ask: async () => 'y' }, 'purge')).code).toBe(0)
    expect(existsSync(join(dir, '.kube', 'kobe-ci-aabbccdd.yaml'))).toBe(false)
  })

  test('--orphans-only leaves leases that live, their files, and files that are not its own', async () => {
    mkdirSync(join(dir, '.kube'), { recursive: true })
    writeFileSync(join(dir, '.kube', 'kobe-mine-00000000.yaml'), 'server: https://somewhere/connect/lease-other')
    expect(JSON.parse((await kobe('purge', '--orphans-only', '-o', 'json')).stdout)).toEqual({
      releasedLeases: [],
      removedKubeconfigs: [],
    })
    answers['GET /v1/leases'] = json(200, [])
    const { stdout } = await kobe('purge', '--orphans-only')
    expect(stdout).toBe(`${join(dir, '.kube', 'kobe-ci-aabbccdd.yaml')} removed\n`)
    expect(existsSync(join(dir, '.kube', 'kobe-mine-00000000.yaml'))).toBe(true)
  })
})

describe('wait', () => {
  test('for a pool ends when one of the states holds', async () => {
    answers['GET /v1/pools/ci'] = json(200, { ...POOL, phase: 'ScalingUp', policy: POLICY })
    expect((await kobe('wait', 'pool', 'ci', '--for', 'healthy', '--for', 'ready=2')).code).toBe(0)
  })

  test.each([
    ['pool', 'ci'],
    ['lease', ID],
  ])('for a %s ends at once where the pool is stalled, and names what has to change', async (kind, name) => {
    answers[`GET /v1/leases/${ID}`] = json(200, PENDING)
    const stalled = { reason: 'InvalidVersion', message: 'v9 is not served; set spec.cluster.version' }
    answers['GET /v1/pools/ci'] = json(200, { ...POOL, phase: 'Failing', ready: 0, stalled, policy: POLICY })
    const { code, stderr } = await kobe('wait', kind, name, '--timeout', '1m')
    expect(code).toBe(8)
    expect(stderr).toContain('kobe: pool ci is stalled: InvalidVersion\n  why: v9 is not served')
  })

  test('for the end of a lease is over when it is gone', async () => {
    answers[`GET /v1/leases/${ID}`] = inTurn(json(200, BOUND), json(404, { error: 'Lease not found' }))
    expect((await kobe('wait', 'lease', ID, '--for', 'ended')).code).toBe(0)
  })

  test('--kubeconfig writes the file of a lease that was made without waiting', async () => {
    const path = join(dir, 'k.yaml')
    expect((await kobe('wait', 'lease', ID, '--kubeconfig', path)).code).toBe(0)
    expect(readFileSync(path, 'utf8')).toContain('guest-secret')
  })
})

describe('config', () => {
  const environment = { env: { HOME: '', XDG_CONFIG_HOME: '' } }
  const config = (...argv: string[]) => {
    environment.env = { HOME: dir, XDG_CONFIG_HOME: join(dir, 'config') }
    return kobeWith(environment, 'config', ...argv)
  }

  test('set, use, list, current, view, remove: private files, tokens never shown', async () => {
    await config('set', 'ci', '--endpoint', bench.server.url, '--token', 'api-secret', '--global')
    await config('set', 'here', '--endpoint', 'http://here')
    for (const path of [join(dir, 'config', 'kobe', 'config.json'), join(dir, '.kobe.toml')]) {
      expect(statSync(path).mode & 0o777).toBe(0o600)
    }
    expect((await config('use', 'ci')).code).toBe(0)
    expect((await config('current')).stdout).toBe('ci\n')
    const list = await config('list')
    expect(list.stdout).toMatch(/^\* +ci +http:.* token /m)
    expect(list.stdout).toMatch(/^ +here +http:\/\/here +none /m)
    const view = await config('view')
    expect(list.stdout + view.stdout).not.toContain('secret')
    expect((await kobeWith({ ...environment }, 'list')).code).toBe(0)
    expect(bench.server.requests.at(-1)?.headers.authorization).toBe('Bearer api-secret')
    expect((await config('remove', 'ci', '--global')).code).toBe(0)
    expect((await config('use', 'ci')).code).toBe(2)
  })

  test('a changed endpoint does not inherit the token of the old one', async () => {
    await config('set', 'ci', '--endpoint', 'http://old', '--token', 'api-secret', '--global')
    await config('set', 'ci', '--endpoint', 'http://new', '--global')
    expect(readFileSync(join(dir, 'config', 'kobe', 'config.json'), 'utf8')).not.toContain('secret')
  })

  test('export and import carry targets from one machine to another', async () => {
    await config('set', 'ci', '--endpoint', 'http://x', '--token', 't', '--global')
    await config('export', 'out.json')
    expect(statSync(join(dir, 'out.json')).mode & 0o777).toBe(0o600)
    rmSync(join(dir, 'config'), { recursive: true })
    expect((await config('import', 'out.json')).stdout).toContain('1 target(s)')
    expect((await config('list')).stdout).toContain('http://x')
  })
})

test('status with a token that is not accepted still says what the endpoint is', async () => {
  answers['GET /v1/status'] = json(200, { version: '1.2.3', auth: { methods: [], sessions: [] }, pools: [] })
  answers['GET /v1/pools'] = json(401, { error: 'Unauthorized' })
  answers['GET /v1/leases'] = json(401, { error: 'Unauthorized' })
  const { code, stdout, stderr } = await kobe('status')
  expect(code).toBe(3)
  expect(stdout).toMatch(/Version +1\.2\.3/)
  expect(stderr).toContain('kobe: Unauthorized')
})

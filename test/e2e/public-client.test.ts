/**
 * The published command line client of the public API, as it comes from its registry, against our server: what it prints, where
 * it puts kubeconfigs, its exit codes, with a static token. It speaks the plain HTTP API; only kubectl goes through `/connect`.
 */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KOBECTL_VERSION, kobectlPath } from '../../scripts/assets/kobectl.ts'
import { createTestKobe, type TestKobe } from '../support/kobe.ts'
import { eventually, hasKubectl, KUBECTL, type Result, run, start } from '../support/run.ts'
import { say } from '../support/say.ts'

const LONG = process.env['KOBE_E2E_LONG'] === '1'
const CLIENT = kobectlPath()
if (CLIENT === undefined) say(`skipped: the published client is not here; \`npm run assets -- kobectl\` builds it`)

/** Whatever goes wrong, but usage. */
const FAILURE = 125

interface Lease {
  readonly id: string
  readonly phase: string
  readonly profile: string
  readonly clusterName: string
  readonly expiresAt: string
  readonly kubeconfigPath: string
}

describe.skipIf(CLIENT === undefined)(`the published client ${KOBECTL_VERSION}`, () => {
  let kobe: TestKobe
  let home: string
  let endpoint: string

  const env = () => ({ HOME: home, XDG_CONFIG_HOME: join(home, '.config'), NO_COLOR: '1' })
  const client = async (...args: string[]): Promise<Result> => {
    say(`kobectl ${args.join(' ')}`)
    const result = await run(CLIENT!, args, { cwd: home, env: env() })
    say(`${result.code}: ${result.stdout}${result.stderr}`)
    return result
  }
  const text = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await client(...args)
    expect(code, `${stdout}${stderr}`).toBe(0)
    return stdout
  }
  const json = async <T>(...args: string[]): Promise<T> => JSON.parse(await text(...args, '-o', 'json')) as T
  const target = (token: string): void => {
    const targets = { ours: { endpoint, auth: 'token', token } }
    mkdirSync(join(home, '.config', 'kobe'), { recursive: true })
    writeFileSync(join(home, '.config', 'kobe', 'config.json'), JSON.stringify({ current_target: 'ours', targets }))
  }
  const active = async () =>
    (await kobe.json<{ id: string; phase: string }[]>('list')).filter(({ phase }) => /Pending|Bound/.test(phase))

  beforeAll(async () => {
    kobe = createTestKobe()
    home = join(kobe.dir, 'client')
    await kobe.up()
    const { endpoint: url, token } = JSON.parse(readFileSync(join(kobe.stateDir, 'client.json'), 'utf8')) as {
      endpoint: string
      token: string
    }
    endpoint = url
    target(token)
  })
  afterAll(() => kobe.dispose())

  test('version: its own and ours, and no warning that it is too old', async () => {
    const { stdout, stderr } = await client('version')
    expect(stdout).toContain(KOBECTL_VERSION)
    expect(stdout).not.toContain('unavailable')
    expect(stderr).not.toContain('older')
    const { cliVersion, endpointVersion } = await json<{ cliVersion: string; endpointVersion: string }>('version')
    expect(cliVersion).toBe(KOBECTL_VERSION)
    expect(endpointVersion).toMatch(/^\d+\.\d+\.\d+/)
  })

  test('status: the pool with its members, and no leases', async () => {
    const shown = await text('status')
    expect(shown).toContain('ci-small')
    expect(shown).not.toContain('Error')
    const { pools, leases } = await json<{ pools: { name: string; ready: number }[]; leases: unknown[] }>('status')
    expect(pools).toMatchObject([{ name: 'ci-small' }])
    expect(pools[0]!.ready).toBeGreaterThan(0)
    expect(leases).toEqual([])
  })

  test('lease, extend and release, in text', async () => {
    const leased = await text('lease', 'ci-small', '--ttl', '30m', '--name', 'by-hand')
    const id = /Lease:\s+(lease-\S+)/.exec(leased)?.[1] ?? ''
    const path = /Config:\s+(\S+)/.exec(leased)?.[1]?.replace('~', home) ?? ''
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(await text('status')).toContain(id)
    const extended = await text('extend', 'by-hand', '--ttl', '10m')
    expect(extended).toContain(id)
    expect(await text('release', 'by-hand')).toContain(`Released lease ${id}`)
    expect(await active()).toEqual([])
  })

  test('lease, extend and release, as JSON, with a kubeconfig that works', async () => {
    const lease = await json<Lease>('lease', 'ci-small', '--ttl', '30m')
    expect(lease).toMatchObject({ phase: 'Bound', profile: 'ci-small' })
    if (hasKubectl) {
      const namespaces = await run(KUBECTL, ['--kubeconfig', lease.kubeconfigPath, 'get', 'namespaces', '-o', 'name'])
      expect(namespaces.stdout, namespaces.stderr).toContain('namespace/kube-system')
    }
    const listed = await json<{ leases: { id: string; phase: string }[] }>('status')
    expect(listed.leases).toMatchObject([{ id: lease.id, phase: 'Bound' }])
    const extended = await json<{ leaseId: string; expiresAt: string }>('extend', lease.id, '--ttl', '15m')
    expect(extended.leaseId).toBe(lease.id)
    expect(Date.parse(extended.expiresAt) - Date.parse(lease.expiresAt)).toBe(15 * 60_000)
    expect(await json('release', lease.id)).toMatchObject({ leaseId: lease.id, status: 'released' })
    expect(await json('release', lease.id)).toMatchObject({ leaseId: lease.id })
  })

  test('lease --ensure asks for the same lease again and extends it', async () => {
    const first = await json<Lease>('lease', 'ci-small', '--ttl', '30m', '--name', 'job', '--ensure')
    const again = await json<Lease>('lease', 'ci-small', '--ttl', '30m', '--name', 'job', '--ensure')
    expect(again.id).toBe(first.id)
    expect(Date.parse(again.expiresAt)).toBeGreaterThan(Date.parse(first.expiresAt))
    await text('release', 'job')
  })

  test('with-lease: the command has a cluster, its exit code is passed on, and the lease is released', async () => {
    const listing = hasKubectl ? `"${KUBECTL}" get namespaces -o name` : 'test -s "$KUBECONFIG"'
    const fine = await client('with-lease', 'ci-small', '--ttl', '30m', '--', 'sh', '-c', listing)
    expect(fine.code).toBe(0)
    if (hasKubectl) expect(fine.stdout).toContain('namespace/kube-system')
    const failing = await client('with-lease', 'ci-small', '--', 'sh', '-c', 'exit 7')
    expect(failing.code).toBe(7)
    const silent = await client('with-lease', 'ci-small', '-o', 'json', '--', 'true')
    expect(silent.code).toBe(0)
    expect(await active()).toEqual([])
  })

  // Takes as long as it takes the client to send one: by name only.
  test.runIf(LONG)('with-lease: its heartbeats are accepted while the command runs', async () => {
    // Its heartbeat comes every 15 s at the earliest; each extends the lease by the TTL it asked for.
    const args = ['with-lease', 'ci-small', '--ttl', '30s', '--', 'sleep', '120']
    const running = start(CLIENT!, args, { cwd: home, env: env() })
    const before = await eventually('it holds a lease', 30_000, async () => (await extensions())[0])
    await eventually('the heartbeat extends it', 40_000, async () => {
      const [now] = await extensions()
      return now !== undefined && now.expires_at > before.expires_at
    })
    running.child.kill('SIGINT')
    await running.exited
    await eventually('the lease is released', 20_000, async () => (await active()).length === 0)
  })
  const extensions = () =>
    kobe.json<{ expires_at: string }[]>('list').then((all) => all.filter((one) => one.expires_at))

  test('purge releases every lease, and says when there is none', async () => {
    const one = await json<Lease>('lease', 'ci-small')
    // Which kubeconfigs it removes is the client's own business: the server is told of leases alone.
    const { releasedLeases } = await json<{ releasedLeases: string[] }>('purge', '-y')
    expect(releasedLeases).toEqual([one.id])
    expect(await active()).toEqual([])
    const nothing = await json<{ releasedLeases: string[] }>('purge', '-y')
    expect(nothing.releasedLeases).toEqual([])
  })

  test('what is refused is told with the cause: no such pool, a lease that is gone, a wrong token', async () => {
    const unknown = await client('lease', 'nowhere')
    expect(unknown).toMatchObject({ code: FAILURE })
    expect(unknown.stderr).toContain('nowhere')
    const gone = await client('extend', 'lease-000000000000', '-o', 'json')
    expect(gone).toMatchObject({ code: FAILURE })
    expect(JSON.parse(gone.stdout)).toMatchObject({ outcome: 'clientError', processExitCode: FAILURE })
    target('wrong')
    const stranger = await client('lease', 'ci-small')
    expect(stranger).toMatchObject({ code: FAILURE })
    expect(stranger.stderr).toMatch(/401|token|credential/i)
  })
})

/** The life of members: what holds them in Creating, what recycles them, what a bad template does, and scaling to zero. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestKobe, type TestKobe } from '../support/kobe.ts'
import { eventually, hasKubectl, kubectl } from '../support/run.ts'
import { say } from '../support/say.ts'

const SHARED = { type: 'embedded', embedded: { isolation: 'shared', storage: 'memory' } }
const CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}

interface Instance {
  metadata: { name: string; uid: string }
  status?: { phase?: string; message?: string; healthFailures?: number; createdWith?: { cluster: { version: string } } }
}
interface PoolStatus {
  phase: string
  ready: number
  consecutiveFailures?: number
  lastFailureReason?: string
}

describe.skipIf(!hasKubectl)('the life of a member', () => {
  let kobe: TestKobe

  beforeAll(async () => {
    kobe = createTestKobe()
    await kobe.up(['--no-pool'])
  })
  afterAll(() => kobe.dispose())

  const host = (...args: string[]) => kubectl(kobe.hostKubeconfig, ['-n', 'kobe-system', ...args], { env: kobe.env })
  async function apply(name: string, spec: object): Promise<void> {
    const file = join(kobe.dir, `${name}.json`)
    const pool = { apiVersion: 'kobe.kunobi.ninja/v1alpha1', kind: 'ClusterPool', metadata: { name }, spec }
    writeFileSync(file, JSON.stringify(pool))
    await host('apply', '-f', file)
  }
  const makePool = (name: string, spec: object) =>
    apply(name, { size: 1, backend: SHARED, cluster: { version: 'v1.36.0' }, ...spec })
  const remove = (name: string) => host('delete', 'clusterpool', name, '--wait=false')
  const patch = (name: string, spec: object) =>
    host('patch', 'clusterpool', name, '--type=merge', '-p', JSON.stringify({ spec }))
  const status = async (name: string): Promise<PoolStatus> =>
    JSON.parse(await host('get', 'clusterpool', name, '-o', 'json')).status ?? { phase: '', ready: 0 }
  const members = async (name: string): Promise<Instance[]> =>
    JSON.parse(await host('get', 'clusterinstance', '-l', `kobe.kunobi.ninja/pool=${name}`, '-o', 'json')).items
  const member = (what: string, pool: string, holds: (instance: Instance) => boolean | undefined) =>
    eventually(`${pool}: ${what}`, 60_000, async () => (await members(pool)).find(holds))
  const phase = (pool: string, wanted: string) =>
    eventually(`${pool} is ${wanted}`, 60_000, async () => {
      const found = await status(pool)
      return found.phase === wanted && found
    })
  const warm = (pool: string) => member('a Ready member', pool, (item) => item.status?.phase === 'Ready')
  const describeInstance = (name: string) => host('describe', 'clusterinstance', name)
  const eventsOf = (text: string) => text.slice(text.indexOf('Events:'))

  /** kubectl on the member itself, with its admin kubeconfig. */
  async function inMember(name: string, ...args: string[]): Promise<string> {
    const file = join(kobe.dir, `${name}.kubeconfig`)
    const encoded = await host('get', 'secret', `${name}-kubeconfig`, '-o', 'jsonpath={.data.kubeconfig}')
    writeFileSync(file, Buffer.from(encoded, 'base64'))
    return kubectl(file, args, { env: kobe.env })
  }

  test('addons, then gates, hold it in Creating until they pass', async () => {
    const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings, namespace: later }\n'
    await makePool('held', {
      addons: [{ name: 'settings', manifest }],
      readinessGates: [{ type: 'CRDExists', name: CRD.metadata.name }],
    })
    const waits = await member('waits for its addon', 'held', ({ status: own }) => own?.message?.includes('settings'))
    expect(waits.status?.phase).toBe('Creating')
    const { name, uid } = waits.metadata
    await eventually('an Event says what it waits for', 10_000, async () =>
      /Normal +GateNotReady .*namespaces "later" not found/.test(await describeInstance(name)),
    )
    await inMember(name, 'create', 'namespace', 'later')
    const gated = await member('waits for its gate', 'held', ({ status: own }) => own?.message?.includes('CRDExists'))
    expect(gated.status?.phase).toBe('Creating')
    const file = join(kobe.dir, 'crd.json')
    writeFileSync(file, JSON.stringify(CRD))
    await inMember(name, 'apply', '-f', file)
    expect((await warm('held')).metadata.uid).toBe(uid)
    expect(await inMember(name, 'get', 'configmap', 'settings', '-n', 'later', '-o', 'name')).toContain('settings')
    say(waits.status?.message ?? '', gated.status?.message ?? '')
    await eventually('kubectl describe tells', 10_000, async () => /Normal +Ready/.test(await describeInstance(name)))
    await remove('held')
  })

  test('two failed probes in a row do not recycle it, three do', async () => {
    const healthCheck = { intervalSeconds: 1, failureThreshold: 3 }
    const backend = { type: 'embedded', embedded: { isolation: 'process', storage: 'memory' } }
    await makePool('probed', { backend, healthCheck })
    const { metadata } = await warm('probed')
    const isIt = ({ metadata: other }: Instance) => other.uid === metadata.uid
    const { pid } = JSON.parse(
      readFileSync(join(kobe.stateDir, 'members', metadata.name, 'ready.json'), 'utf8'),
    ).process
    process.kill(pid, 'SIGSTOP')
    await member('two probes have failed', 'probed', (item) => isIt(item) && item.status?.healthFailures === 2)
    process.kill(pid, 'SIGCONT')
    const back = await member('it has recovered', 'probed', (item) => isIt(item) && item.status?.healthFailures === 0)
    expect(back.status?.phase).toBe('Ready')
    const events = await eventually('Events of both', 10_000, async () => {
      const text = eventsOf(await describeInstance(metadata.name))
      return text.includes('HealthCheckRecovered') && text
    })
    say(events)
    expect(events).toMatch(/Warning +HealthCheckFailing/)
    process.kill(pid, 'SIGSTOP')
    const next = await member('another one', 'probed', (item) => !isIt(item) && item.status?.phase === 'Ready')
    say(`${metadata.name} was replaced by ${next.metadata.name}`)
    expect(kobe.log()).toMatch(/health check failed 3 times in a row/)
    await eventually('the old one is gone', 60_000, async () => !(await members('probed')).some(isIt))
    await remove('probed')
  })

  test('creatingTimeout: one that does not get Ready in time is recycled, and the pool pauses', async () => {
    const failureBackoff = { base: '120s', multiplier: 2, max: '120s' }
    await makePool('slow', {
      scaling: { minReady: 1, maxClusters: 2, creatingTimeout: '2s', failureBackoff },
      readinessGates: [{ type: 'CRDExists', name: 'nothing.example.org' }],
    })
    const found = await phase('slow', 'Backoff')
    expect(found.consecutiveFailures).toBe(1)
    expect(found.lastFailureReason).toMatch(/still Creating after \d+ s/)
    await eventually('it is gone', 60_000, async () => (await members('slow')).length === 0)
    await remove('slow')
  })

  test('a bad template with Ready members left: Backoff with the reason, leases work, a good one recovers at once', async () => {
    const failureBackoff = { base: '300s', multiplier: 2, max: '300s' }
    await makePool('good', { scaling: { minReady: 2, maxClusters: 6, failureBackoff } })
    await eventually('two are Ready', 60_000, async () => (await status('good')).ready === 2)
    await patch('good', { cluster: { version: 'nonsense' } })
    const found = await phase('good', 'Backoff')
    say(found.lastFailureReason ?? '')
    expect(found.lastFailureReason).toContain('is not a Kubernetes version')
    const lease = await kobe.json<{ id: string; kubeconfigPath: string }>('lease', 'good')
    expect(await kubectl(lease.kubeconfigPath, ['get', 'ns', 'default', '-o', 'name'], { env: kobe.env })).toContain(
      'default',
    )
    expect((await status('good')).phase).toBe('Backoff')
    await patch('good', { cluster: { version: 'v1.36.1' } })
    await eventually('both idle members are of the good template', 60_000, async () => {
      const idle = (await members('good')).filter(({ status: own }) => own?.phase !== 'Leased')
      const fresh = idle.filter(({ status: own }) => own?.createdWith?.cluster.version === 'v1.36.1')
      return idle.length === 2 && fresh.every(({ status: own }) => own?.phase === 'Ready') && fresh.length === 2
    })
    expect((await phase('good', 'Healthy')).consecutiveFailures).toBe(0)
    await kobe.cliOk('release', lease.id)
    await remove('good')
  })

  test('with nothing Ready or leased it is Failing, and a good template recovers at once', async () => {
    const failureBackoff = { base: '1s', multiplier: 1, max: '1s' }
    await makePool('hopeless', {
      cluster: { version: 'nonsense' },
      scaling: { minReady: 1, maxClusters: 3, failureBackoff },
    })
    const found = await phase('hopeless', 'Failing')
    expect(found.consecutiveFailures).toBeGreaterThanOrEqual(3)
    expect(found.lastFailureReason).toContain('is not a Kubernetes version')
    expect(await host('describe', 'clusterpool', 'hopeless')).toMatch(/is not a Kubernetes version/)
    await patch('hopeless', { cluster: { version: 'v1.36.0' } })
    expect((await phase('hopeless', 'Healthy')).consecutiveFailures).toBe(0)
    await remove('hopeless')
  })

  test('scaled to zero it is Idle, a claim makes a member, and it goes again when nobody needs it', async () => {
    await makePool('zero', { scaling: { minReady: 0, maxClusters: 2, scaleDownAfter: '1s' } })
    await phase('zero', 'Idle')
    const lease = await kobe.json<{ id: string; kubeconfigPath: string }>('lease', 'zero')
    expect(await kubectl(lease.kubeconfigPath, ['get', 'ns', 'default', '-o', 'name'], { env: kobe.env })).toContain(
      'default',
    )
    await kobe.cliOk('release', lease.id)
    await phase('zero', 'Idle')
    expect(await members('zero')).toEqual([])
  })
})

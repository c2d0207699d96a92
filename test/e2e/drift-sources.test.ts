/** What rolls a pool and what does not; the log names the source, and holds the three documented lines. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestKobe, type TestKobe } from '../support/kobe.ts'
import { eventually, hasKubectl, kubectl, type Running } from '../support/run.ts'
import { say } from '../support/say.ts'

const EMBEDDED = 'backend: { type: embedded, embedded: { isolation: shared, storage: memory } }'
const MANIFESTS = `
apiVersion: kobe.kunobi.ninja/v1alpha1
kind: BootstrapConfig
metadata: { name: seed, namespace: kobe-system }
spec:
  files:
    seed.yaml: |
      { apiVersion: v1, kind: ConfigMap, metadata: { name: seed, namespace: default }, data: { password: hunter2 } }
---
apiVersion: kobe.kunobi.ninja/v1alpha1
kind: ClusterPool
metadata: { name: seeded, namespace: kobe-system }
spec: { size: 1, ${EMBEDDED}, cluster: { version: v1.36.0 }, bootstraps: [{ name: seed }] }
---
apiVersion: kobe.kunobi.ninja/v1alpha1
kind: ClusterPool
metadata: { name: plain, namespace: kobe-system }
spec: { size: 1, ${EMBEDDED}, cluster: { version: v1.36.0 } }
---
apiVersion: kobe.kunobi.ninja/v1alpha1
kind: ClusterPool
metadata: { name: gated, namespace: kobe-system }
spec:
  size: 1
  ${EMBEDDED}
  cluster: { version: v1.36.0 }
  readinessGates: [{ type: CRDExists, name: nothing.example.org }]
---
apiVersion: kobe.kunobi.ninja/v1alpha1
kind: ClusterPool
metadata: { name: virtual, namespace: kobe-system }
spec: { size: 1, backend: { type: vkobe, vkobe: { dataStoreRef: { name: main } } }, cluster: { version: "1.32" } }
`

interface Pool {
  metadata: { generation: number }
  status?: { ready: number; observedGeneration?: number; currentSpecHash?: string; conditions: { reason: string }[] }
}
interface Line {
  msg: string
  reason?: string
  ClusterPool?: string
}

describe.skipIf(!hasKubectl)('the sources of drift', () => {
  let kobe: TestKobe
  let running: Running

  beforeAll(async () => {
    kobe = createTestKobe()
    Object.assign(kobe.env, { KOBE_SYNC_IMAGE: 'registry.example/sync:1' })
    running = await kobe.up(['--no-pool'])
    const file = join(kobe.dir, 'pools.yaml')
    writeFileSync(file, MANIFESTS)
    await host('apply', '-f', file)
    await eventually('both pools are warm', 60_000, async () => {
      return (await pool('seeded')).status?.ready === 1 && (await pool('plain')).status?.ready === 1
    })
  })
  afterAll(() => kobe.dispose())

  const host = (...args: string[]) => kubectl(kobe.hostKubeconfig, ['-n', 'kobe-system', ...args], { env: kobe.env })
  const pool = async (name: string): Promise<Pool> => JSON.parse(await host('get', 'clusterpool', name, '-o', 'json'))
  const hashOf = async (name: string) => (await pool(name)).status?.currentSpecHash
  const uidsOf = async (name: string): Promise<string[]> => {
    const selector = `kobe.kunobi.ninja/pool=${name}`
    const text = await host('get', 'clusterinstance', '-l', selector, '-o', 'jsonpath={.items[*].metadata.uid}')
    return text.split(' ').filter((uid) => uid !== '')
  }
  const patch = (kind: string, name: string, body: object) =>
    host('patch', kind, name, '--type=merge', '-p', JSON.stringify(body))
  const logLines = (): Line[] =>
    kobe
      .log()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
  const specChanges = () =>
    logLines()
      .filter(({ reason }) => reason === 'SpecChanged')
      .map((line) => `${line.ClusterPool?.split('/').at(-1)}: ${line.msg}`)
  const logged = (text: string) =>
    eventually(`the log says "${text}"`, 30_000, async () => logLines().find(({ msg }) => msg.includes(text)))

  test('the content of a BootstrapConfig rolls the pool that names it, and no other', async () => {
    const before = { seeded: await uidsOf('seeded'), plain: await uidsOf('plain') }
    await patch('bootstrapconfig', 'seed', { spec: { files: { 'notes.txt': 'changed' } } })
    await eventually('the member is another one', 60_000, async () => {
      const uids = await uidsOf('seeded')
      return uids.length === 1 && !before.seeded.includes(uids[0] ?? '') && (await pool('seeded')).status?.ready === 1
    })
    expect(await uidsOf('plain')).toEqual(before.plain)
    const line = specChanges().at(-1)
    say(line ?? '')
    expect(line).toContain('seeded: Spec changed: bootstraps (the content of its BootstrapConfigs)')
    expect(kobe.log()).not.toContain('hunter2')
  })

  test.each([
    ['size', { size: 2 }],
    ['ttl', { ttl: '3h' }],
    ['healthCheck', { healthCheck: { intervalSeconds: 7, failureThreshold: 2 } }],
    ['upgradePolicy', { upgradePolicy: { maxRecycling: 2, maxSurge: 1, minReadyDuringUpgrade: 1 } }],
    ['scaling', { scaling: { minReady: 2, maxClusters: 5 } }],
  ])('%s rolls nothing', async (_what, spec) => {
    const [uids, hash, said] = [await uidsOf('plain'), await hashOf('plain'), specChanges().length]
    await patch('clusterpool', 'plain', { spec })
    await eventually('it was looked at', 30_000, async () => {
      const { metadata, status } = await pool('plain')
      return status?.observedGeneration === metadata.generation
    })
    expect(await hashOf('plain')).toBe(hash)
    expect(await uidsOf('plain')).toEqual(expect.arrayContaining(uids))
    expect(specChanges()).toHaveLength(said)
  })

  test('the log holds the documented lines, and kobe explain tells why', async () => {
    await patch('clusterpool', 'plain', { spec: { upgradePolicy: { maxRecycling: 0 } } })
    await patch('clusterpool', 'plain', { spec: { cluster: { version: 'v1.36.1' } } })
    const explained = await eventually('the members are outdated', 30_000, async () => {
      const text = await kobe.cliOk('explain', 'pool', 'plain')
      return text.includes('drifted') && text
    })
    say(explained)
    expect(explained).toMatch(/drifted +spec, workload/)
    expect(explained).toContain('cluster.version: "v1.36.0" -> "v1.36.1"')
    const policy = { maxRecycling: 1, maxSurge: 1, minReadyDuringUpgrade: 2 }
    await patch('clusterpool', 'plain', { spec: { upgradePolicy: policy } })
    await logged('Holding drift recycle: floor would be violated')
    await logged('Drifted Ready: rolling recycle')
    await patch('clusterpool', 'gated', { spec: { cluster: { version: 'v1.36.1' } } })
    await logged('Drifted Creating: recycling without waiting for timeout')
    await host('delete', 'clusterpool', 'gated')
  })

  test('a backend that cannot be run is refused visibly', async () => {
    const { status } = await pool('virtual')
    expect(status?.conditions.map(({ reason }) => reason)).toContain('Unsupported')
    expect(await uidsOf('virtual')).toEqual([])
    const { stderr } = await kobe.cli('pools')
    say(stderr)
    expect(stderr).toContain('this version of Kobe cannot run clusters of backend vkobe yet')
    expect(await host('describe', 'clusterpool', 'virtual')).toMatch(/Warning +Unsupported/)
  })

  test('another KOBE_SYNC_IMAGE concerns vkobe pools, and no other', async () => {
    const names = ['seeded', 'plain', 'virtual']
    const before = await Promise.all(names.map(hashOf))
    const said = specChanges().length
    running.child.kill('SIGINT')
    await running.exited
    Object.assign(kobe.env, { KOBE_SYNC_IMAGE: 'registry.example/sync:2' })
    await kobe.up(['--no-pool'])
    await eventually('the vkobe pool has another hash', 30_000, async () => (await hashOf('virtual')) !== before[2])
    expect(await hashOf('seeded')).toBe(before[0])
    expect(await hashOf('plain')).toBe(before[1])
    const lines = specChanges().slice(said)
    say(...lines)
    expect(lines).toEqual([
      expect.stringContaining('virtual: Spec changed: operator (KOBE_SYNC_IMAGE of the operator); spec hash'),
    ])
  })
})

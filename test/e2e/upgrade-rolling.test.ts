/** The published example, size 4, at every resourceVersion: floor, leased members, phase, metric; claims, pause and roll-back. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type InstanceWatch, recycleCause, type WatchedInstance, watchInstances } from '../support/instance-watch.ts'
import { createTestKobe, type TestKobe } from '../support/kobe.ts'
import { eventually, hasKubectl, kubectl } from '../support/run.ts'
import { say } from '../support/say.ts'

const POOL = 'rolling'
const FLOOR = 3
const MANIFEST = `
apiVersion: kobe.kunobi.ninja/v1alpha1
kind: ClusterPool
metadata: { name: ${POOL}, namespace: kobe-system }
spec:
  size: 4
  backend: { type: embedded, embedded: { isolation: shared, storage: memory } }
  cluster: { version: v1.36.0 }
  upgradePolicy: { maxRecycling: 1, maxSurge: 1, minReadyDuringUpgrade: ${FLOOR} }
`

interface PoolStatus {
  phase: string
  ready: number
  leased: number
  creating: number
  recycling: number
  drifted?: number
  currentSpecHash: string
}

describe.skipIf(!hasKubectl)('an upgrade of a pool of 4', () => {
  let kobe: TestKobe
  let leases: { id: string; cluster_name: string }[] = []

  beforeAll(async () => {
    kobe = createTestKobe()
    await kobe.up(['--no-pool'])
    const file = join(kobe.dir, 'pool.yaml')
    writeFileSync(file, MANIFEST)
    await host('apply', '-f', file)
    await settled()
    leases = [await kobe.json('lease', POOL), await kobe.json('lease', POOL)]
    await settled()
  })
  afterAll(() => kobe.dispose())

  const host = (...args: string[]) => kubectl(kobe.hostKubeconfig, ['-n', 'kobe-system', ...args], { env: kobe.env })
  const pool = async (): Promise<PoolStatus> => JSON.parse(await host('get', 'clusterpool', POOL, '-o', 'json')).status
  const patch = (spec: object) => host('patch', 'clusterpool', POOL, '--type=merge', '-p', JSON.stringify({ spec }))
  const version = (text: string) => patch({ cluster: { version: text } })
  const instances = async (): Promise<WatchedInstance[]> =>
    JSON.parse(await host('get', 'clusterinstance', '-l', `kobe.kunobi.ninja/pool=${POOL}`, '-o', 'json')).items

  /** 4 Ready, nothing on its way, and, when given, all idle members on another template than `before`. */
  async function settled(before?: string): Promise<PoolStatus> {
    return eventually('4 Ready and nothing on its way', 60_000, async () => {
      const status = await pool()
      const calm = status?.ready === 4 && status.creating === 0 && status.recycling === 0
      if (!calm || status.currentSpecHash === before) return undefined
      // A new hash is stored before the first member moves: only the members tell that the roll is over.
      const idle = (await instances()).filter((item) => item.status?.phase !== 'Leased')
      const current = idle.filter((item) => item.status?.specHash === status.currentSpecHash)
      return before === undefined || current.length === 4 ? status : undefined
    })
  }

  async function watching(): Promise<{ watch: InstanceWatch; known: number }> {
    const known = (await instances()).length
    const watch = watchInstances(kobe.hostKubeconfig, POOL, kobe.env)
    await eventually('the watch', 10_000, async () => watch.events().length >= known)
    return { watch, known }
  }

  async function metric(name: string): Promise<number> {
    const { endpoint } = JSON.parse(readFileSync(join(kobe.stateDir, 'client.json'), 'utf8'))
    const text = await (await fetch(`${endpoint}/metrics`)).text()
    const line = text.split('\n').find((candidate) => candidate.startsWith(name) && candidate.includes(`"${POOL}"`))
    return line === undefined ? 0 : Number(line.split(' ').at(-1))
  }
  const driftDeletes = () => metric('kobe_instance_recycles_total{profile="rolling",reason="spec_drift"}')

  test('never has fewer than 3 Ready, leaves leased members alone, stays Healthy, and counts each drift delete', async () => {
    const before = await settled()
    const counted = await driftDeletes()
    const leased = (await instances()).filter(({ status }) => status?.phase === 'Leased')
    const { watch, known } = await watching()
    const phases = host(
      'get',
      'clusterpool',
      POOL,
      '-w',
      '--request-timeout=8s',
      '-o',
      'jsonpath={.status.phase}{"\\n"}',
    ).catch((error: Error) => error.message)
    await version('v1.36.1')
    await settled(before.currentSpecHash)
    await watch.stop()
    const moments = watch.moments(known - 1)
    const lowest = Math.min(...moments.map(({ ready }) => ready))
    const drift = moments.filter(({ event }) => recycleCause(event) === 'DriftedReady')
    const recycled = new Set(drift.map(({ event }) => event.object.metadata.uid))
    say(`${moments.length} resource versions, lowest Ready ${lowest}, drifted members recycled ${recycled.size}`)
    expect(lowest).toBeGreaterThanOrEqual(FLOOR)
    expect(recycled.size).toBe(4)
    expect((await driftDeletes()) - counted).toBe(4)
    const after = await instances()
    for (const { metadata } of leased) {
      expect(after.find((item) => item.metadata.uid === metadata.uid)?.status?.phase).toBe('Leased')
    }
    const seen = new Set((await phases).split('\n').filter((line) => /^[A-Z][a-zA-Z]+$/.test(line)))
    expect([...seen]).toEqual(['Healthy'])
  })

  test('with claims going on: no drift delete while Ready is at or under the floor', async () => {
    const before = await settled()
    const { watch, known } = await watching()
    await version('v1.36.2')
    for (let claim = 0; claim < 3; claim += 1) {
      const { id } = await kobe.json<{ id: string }>('lease', POOL)
      await kobe.cliOk('release', id)
    }
    await settled(before.currentSpecHash)
    await watch.stop()
    const drift = watch.moments(known).filter(({ event, readyBefore, ready }) => {
      return recycleCause(event) === 'DriftedReady' && ready < readyBefore
    })
    expect(drift.length).toBeGreaterThan(0)
    for (const { readyBefore } of drift) expect(readyBefore).toBeGreaterThan(FLOOR)
  })

  test('pauses with maxRecycling 0 and goes on when it is raised', async () => {
    const before = await settled()
    await patch({ upgradePolicy: { maxRecycling: 0 } })
    await version('v1.36.3')
    const paused = await eventually('drift is detected', 10_000, async () => {
      const status = await pool()
      return (status.drifted ?? 0) >= 4 && status.currentSpecHash !== before.currentSpecHash ? status : undefined
    })
    expect(paused.recycling).toBe(0)
    const { watch, known } = await watching()
    await host('annotate', 'clusterpool', POOL, 'looked-at=again', '--overwrite')
    await eventually('the pool was looked at again', 10_000, async () => (await pool()).ready === 4)
    expect(watch.moments(known)).toEqual([])
    await watch.stop()
    await patch({ upgradePolicy: { maxRecycling: 1 } })
    await eventually('nothing idle is drifted', 60_000, async () => (await pool()).drifted === leases.length)
    await settled()
  })

  test('is rolled back in the middle without going under the floor', async () => {
    const before = await settled()
    const { watch, known } = await watching()
    await version('v1.35.0')
    await eventually('the first member of the new template', 20_000, async () => {
      return (await instances()).some(
        ({ status }) => status?.specHash !== before.currentSpecHash && status?.phase !== 'Leased',
      )
    })
    await version('v1.36.3')
    const after = await eventually('the old template again', 60_000, async () => {
      const status = await pool()
      const members = (await instances()).filter(({ status: own }) => own?.phase !== 'Leased')
      const back =
        members.length === 4 &&
        members.every(({ status: own }) => own?.phase === 'Ready' && own.specHash === before.currentSpecHash)
      return back && status.currentSpecHash === before.currentSpecHash ? status : undefined
    })
    await watch.stop()
    expect(after.phase).toBe('Healthy')
    expect(Math.min(...watch.moments(known - 1).map(({ ready }) => ready))).toBeGreaterThanOrEqual(FLOOR)
  })
})

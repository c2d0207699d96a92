/** A queue meets capacity: from a member that is Ready to the lease that is bound to it, both as a watch shows them. */
import { CLUSTER_INSTANCES, CLUSTER_LEASES, CLUSTER_POOLS } from '../../src/api/v1alpha1/resources.ts'
import { createInformer } from '../../src/kube/informer.ts'
import type { FakeKobe, FakeOperator } from '../../test/support/fake-kobe/fake-kobe.ts'
import { NAMESPACE } from '../../test/support/fake-kobe/figures.ts'
import { eventually } from '../../test/support/run.ts'
import { summarize } from './statistics.ts'

const POOL = 'queue'
const QUEUED = 200
const START = 10

export async function measureQueue(kobe: FakeKobe, operator: FakeOperator): Promise<object> {
  const end = new AbortController()
  const readyAt = new Map<string, number>()
  const boundAfter: number[] = []
  const instances = createInformer(kobe.client, CLUSTER_INSTANCES, { namespace: NAMESPACE })
  const leases = createInformer(kobe.client, CLUSTER_LEASES, { namespace: NAMESPACE })
  instances.on(({ object }) => {
    const uid = object.metadata.uid ?? ''
    if (object.status?.phase === 'Ready' && !readyAt.has(uid)) readyAt.set(uid, performance.now())
  })
  leases.on(({ object, old }) => {
    if (object.status?.phase !== 'Bound' || old?.status?.phase === 'Bound') return
    const ready = readyAt.get(object.status.binding?.instance.uid ?? '')
    if (ready !== undefined) boundAfter.push(performance.now() - ready)
  })
  await Promise.all([instances.start(end.signal), leases.start(end.signal)])
  // No member at first: the whole queue waits.
  await kobe.makePool(POOL, { scaling: { minReady: 0, maxClusters: 1 } })
  const asked = await Promise.all(
    Array.from({ length: QUEUED }, () => operator.call('POST', '/v1/leases', { profile: POOL, ttl: '10m' })),
  )
  const accepted = asked.filter(({ status }) => status === 202).length
  await eventually('the first lease is bound', 30_000, async () => boundAfter.length >= 1)
  await operator.figures()
  // Capacity comes in steps, as members of a real pool do.
  for (let ceiling = START; boundAfter.length < accepted; ceiling += START) {
    const body = { spec: { scaling: { maxClusters: ceiling } } }
    await kobe.client.patch(CLUSTER_POOLS, { name: POOL, namespace: NAMESPACE }, { type: 'merge', body })
    const goal = Math.min(ceiling, accepted)
    await eventually(`${goal} leases are bound`, 60_000, async () => boundAfter.length >= goal)
  }
  const figures = await operator.figures()
  end.abort()
  return {
    queued: accepted,
    readyToBoundMs: { ...summarize(boundAfter), bound: { p99: 100 } },
    eventLoopDelayP99Ms: Math.round(figures.loopDelayMs.p99 * 10) / 10,
    writesByKind: figures.written,
  }
}

/**
 * A queue meets capacity: from a member that is Ready to the lease that is bound to it, both as a watch shows them.
 *   steady   -> 25 members a second, each at its time whatever the others do
 *   at once  -> ten members in the same moment, again and again: the last of them waits for the work of all
 */
import { CLUSTER_INSTANCES, CLUSTER_LEASES, CLUSTER_POOLS } from '../../src/api/v1alpha1/resources.ts'
import { createInformer } from '../../src/kube/informer.ts'
import type { FakeKobe, FakeOperator } from '../../test/support/fake-kobe/fake-kobe.ts'
import { NAMESPACE } from '../../test/support/fake-kobe/figures.ts'
import { warmUp } from '../../test/support/fake-kobe/warm-up.ts'
import { eventually } from '../../test/support/run.ts'
import { until } from './open-loop.ts'
import { summarize } from './statistics.ts'

const POOL = 'queue'
const QUEUED = 200
const STEADY = 100
const PER_SECOND = 25
const AT_ONCE = 10

interface Bindings {
  /** Milliseconds from a Ready member to the lease that is bound to it, since it was emptied. */
  readonly afterMs: number[]
  stop(): void
}

export async function measureQueue(kobe: FakeKobe, operator: FakeOperator): Promise<object> {
  await warmUp(kobe, operator)
  const bindings = await followBindings(kobe)
  // No member at first: the whole queue waits.
  await kobe.makePool(POOL, { scaling: { minReady: 0, maxClusters: 1 } })
  const asked = await Promise.all(
    Array.from({ length: QUEUED }, () => operator.call('POST', '/v1/leases', { profile: POOL, ttl: '10m' })),
  )
  const accepted = asked.filter(({ status }) => status === 202).length
  // That one came while all were still asking.
  await eventually('the first lease is bound', 30_000, async () => bindings.afterMs.splice(0).length >= 1)
  await operator.figures()
  const { steady, perSecond } = await comeSteadily(kobe, bindings)
  const figures = await operator.figures()
  await comeAtOnce(kobe, bindings, { from: STEADY, to: accepted })
  bindings.stop()
  return {
    queued: accepted,
    membersPerSecond: Math.round(perSecond),
    readyToBoundMs: { ...summarize(steady), bound: { p99: 100 } },
    readyToBoundTenAtOnceMs: { ...summarize(bindings.afterMs), bound: { p99: 100 } },
    eventLoopDelayP99Ms: Math.round(figures.loopDelayMs.p99 * 10) / 10,
    writesByKind: figures.written,
  }
}

async function followBindings(kobe: FakeKobe): Promise<Bindings> {
  const end = new AbortController()
  const readyAt = new Map<string, number>()
  const afterMs: number[] = []
  const instances = createInformer(kobe.client, CLUSTER_INSTANCES, { namespace: NAMESPACE })
  const leases = createInformer(kobe.client, CLUSTER_LEASES, { namespace: NAMESPACE })
  instances.on(({ object }) => {
    const uid = object.metadata.uid ?? ''
    if (object.status?.phase === 'Ready' && !readyAt.has(uid)) readyAt.set(uid, performance.now())
  })
  leases.on(({ object, old }) => {
    if (object.status?.phase !== 'Bound' || old?.status?.phase === 'Bound') return
    const ready = readyAt.get(object.status.binding?.instance.uid ?? '')
    if (ready !== undefined) afterMs.push(performance.now() - ready)
  })
  await Promise.all([instances.start(end.signal), leases.start(end.signal)])
  return { afterMs, stop: () => end.abort() }
}

async function raiseCeiling(kobe: FakeKobe, maxClusters: number): Promise<void> {
  const body = { spec: { scaling: { maxClusters } } }
  await kobe.client.patch(CLUSTER_POOLS, { name: POOL, namespace: NAMESPACE }, { type: 'merge', body })
}

async function comeSteadily(kobe: FakeKobe, { afterMs }: Bindings) {
  const began = performance.now()
  for (let ceiling = 2; ceiling <= STEADY; ceiling += 1) {
    await until(began + ((ceiling - 1) * 1000) / PER_SECOND)
    await raiseCeiling(kobe, ceiling)
  }
  await eventually(`${STEADY} leases are bound`, 60_000, async () => afterMs.length >= STEADY - 1)
  return { steady: afterMs.splice(0), perSecond: STEADY / ((performance.now() - began) / 1000) }
}

async function comeAtOnce(
  kobe: FakeKobe,
  { afterMs }: Bindings,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  for (let ceiling = from + AT_ONCE; ceiling <= to; ceiling += AT_ONCE) {
    await raiseCeiling(kobe, ceiling)
    await eventually(`${ceiling} leases are bound`, 60_000, async () => from + afterMs.length >= ceiling)
  }
}

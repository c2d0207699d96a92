/** Many leases live, some of them end: how long after `expiresAt` a lease is Expired. Leases and members are put there directly. */
import { randomUUID } from 'node:crypto'
import { formatTimestamp } from '../../src/api/timestamp.ts'
import type { ClusterInstance } from '../../src/api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../src/api/v1alpha1/cluster-lease.ts'
import { withClusterLeaseDefaults } from '../../src/api/v1alpha1/defaults.ts'
import { Label } from '../../src/api/v1alpha1/labels.ts'
import { CLUSTER_INSTANCES, CLUSTER_LEASES } from '../../src/api/v1alpha1/resources.ts'
import { createInformer } from '../../src/kube/informer.ts'
import type { FakeKobe, FakeOperator } from '../../test/support/fake-kobe/fake-kobe.ts'
import { NAMESPACE } from '../../test/support/fake-kobe/figures.ts'
import { eventually } from '../../test/support/run.ts'
import { summarize } from './statistics.ts'

const POOLS = 20
const ENDING = 300
/** They end over so many seconds. */
const SPREAD_SECONDS = 10
const PARALLEL = 32
/** Far from those that a pool would make. */
const FIRST_MEMBER = 100_000

export async function measureExpiry(
  kobe: FakeKobe,
  operator: FakeOperator,
  { living }: { readonly living: number },
): Promise<object> {
  for (let pool = 0; pool < POOLS; pool += 1) {
    // Full with the first member, so that the pool makes none of its own for leases that are not bound yet.
    await kobe.makePool(`expiry-${pool}`, { scaling: { minReady: 0, maxClusters: 1 } })
  }
  await inParallel(living, (index) => seed(kobe, index, Date.now() + 3_600_000))
  const lag: number[] = []
  const end = new AbortController()
  const leases = createInformer(kobe.client, CLUSTER_LEASES, { namespace: NAMESPACE })
  leases.on(({ object, old }) => {
    if (object.status?.phase !== 'Expired' || old === undefined || old.status?.phase === 'Expired') return
    lag.push(Date.now() - Date.parse(object.status.expiresAt ?? ''))
  })
  await leases.start(end.signal)
  await operator.figures()
  const firstEnd = Date.now() + 15_000
  await inParallel(ENDING, (index) => seed(kobe, living + index, firstEnd + (index % SPREAD_SECONDS) * 1000))
  await eventually('all of them have ended', 60_000, async () => lag.length >= ENDING)
  const figures = await operator.figures()
  end.abort()
  return {
    living,
    ended: lag.length,
    expiryLagMs: { ...summarize(lag), bound: { p99: 1000 } },
    eventLoopDelayMs: { p99: Math.round(figures.loopDelayMs.p99 * 10) / 10, max: Math.round(figures.loopDelayMs.max) },
  }
}

async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await work(index)
  }
  await Promise.all(Array.from({ length: PARALLEL }, worker))
}

/** A bound pair, as the operator would have left it. */
async function seed({ client }: FakeKobe, index: number, expiresAt: number): Promise<void> {
  const pool = `expiry-${index % POOLS}`
  const name = `lease-${String(index).padStart(12, '0')}`
  const member = `pool-${pool}-${Math.floor(index / POOLS) + FIRST_MEMBER}`
  const bindingId = randomUUID()
  const requester = { type: 'ci', identity: `user-${index % 100}` }
  const spec = { poolRef: pool, ttl: '1h', requester }
  const lease = await client.create(
    CLUSTER_LEASES,
    withClusterLeaseDefaults({ metadata: { name, namespace: NAMESPACE }, spec }),
  )
  const instance = await client.create(CLUSTER_INSTANCES, {
    metadata: { name: member, namespace: NAMESPACE, labels: { [Label.pool]: pool } },
    spec: { poolRef: { name: pool }, addons: [], bootstraps: [], readinessGates: [] },
  } satisfies ClusterInstance)
  const holder = { name, uid: lease.metadata.uid ?? '' }
  const binding = {
    bindingId,
    lease: holder,
    instance: { name: member, uid: instance.metadata.uid ?? '', observedGeneration: 1 },
    pool: { name: pool, uid: 'none' },
    backend: { type: 'k3s' as const, configDigest: '0'.repeat(64) },
    instanceSpecDigest: '0'.repeat(16),
  }
  const status = { phase: 'Leased', leaseRef: holder, binding }
  await patchStatus(client, CLUSTER_INSTANCES, member, status)
  await patchStatus(client, CLUSTER_LEASES, name, {
    phase: 'Bound',
    clusterName: member,
    binding,
    boundAt: formatTimestamp(Date.now()),
    expiresAt: formatTimestamp(expiresAt),
    queuePosition: 0,
    extensionsCount: 0,
    maxExtensions: 2,
  } satisfies ClusterLease['status'])
}

const patchStatus = (
  client: FakeKobe['client'],
  type: typeof CLUSTER_INSTANCES | typeof CLUSTER_LEASES,
  name: string,
  status: object,
) =>
  client.patch<ClusterInstance | ClusterLease>(
    type,
    { name, namespace: NAMESPACE },
    { type: 'merge', body: { status } },
    { subresource: 'status' },
  )

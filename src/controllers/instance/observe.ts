/**
 * Everything `planInstance` may know. Caches first; what ends the use of a member (a lease or a pool that seems to be gone) is
 * read from the API, as a cache may lag behind the write that bound it.
 */
import type { KubeObject } from '../../api/resource.ts'
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { kubeconfigSecretName } from '../../api/v1alpha1/labels.ts'
import { LeasePhase } from '../../api/v1alpha1/phases.ts'
import type { ReadinessGate } from '../../api/v1alpha1/pool-policy.ts'
import { CLUSTER_LEASES, CLUSTER_POOLS } from '../../api/v1alpha1/resources.ts'
import { leaseHolds } from '../../core/instance/lease-holds.ts'
import type { InstanceObserved, LeaseOfInstance, PoolOfInstance } from '../../core/instance/observed.ts'
import { field } from '../../core/optional-field.ts'
import { getIfPresent } from '../../kube/get-if-present.ts'
import type { ControllerDeps } from '../deps.ts'
import type { InstanceMemory } from './instance-memory.ts'
import { madeWith } from './member-target.ts'

export async function observeInstance(
  deps: ControllerDeps,
  instance: ClusterInstance,
  memory: InstanceMemory,
): Promise<InstanceObserved> {
  const [lease, pool] = await Promise.all([leaseOf(deps, instance, memory), poolOf(deps, instance)])
  const kubeconfigPublished = memory.evidence.kubeconfigPublished ?? isPublished(deps, instance)
  return {
    instance,
    lease,
    pool,
    defaultGates: defaultGatesOf(deps, instance),
    watchingSince: memory.watchingSince,
    evidence: { ...memory.evidence, kubeconfigPublished },
  }
}

function defaultGatesOf(deps: ControllerDeps, instance: ClusterInstance): readonly ReadinessGate[] {
  const made = madeWith(instance)
  return made === undefined ? [] : (deps.renderers.get(made.backend.type)?.defaultGates(made.cluster) ?? [])
}

async function leaseOf(
  deps: ControllerDeps,
  instance: ClusterInstance,
  memory: InstanceMemory,
): Promise<LeaseOfInstance> {
  const ref = instance.status?.leaseRef ?? instance.status?.binding?.lease
  if (ref === undefined) return { state: 'none' }
  if (memory.goneLease === ref.uid || deps.own.leases.isGone(ref.uid)) return { state: 'absent' }
  const namespace = instance.metadata.namespace
  const cached = deps.caches.leases.get(namespace, ref.name)
  const known = cached === undefined ? undefined : deps.own.leases.latest(cached)
  if (known !== undefined && (leaseHolds(instance, known) || isOver(known, ref.uid)))
    return { state: 'found', lease: known }
  const lease = await getIfPresent(deps.client, CLUSTER_LEASES, { name: ref.name, ...field('namespace', namespace) })
  if (lease?.metadata.uid === ref.uid && lease !== undefined) return { state: 'found', lease }
  memory.goneLease = ref.uid
  return { state: 'absent' }
}

/** An ended lease never lives again, so a cache that shows the end cannot be behind in what matters. */
const isOver = ({ metadata, status }: ClusterLease, uid: string | undefined): boolean =>
  metadata.uid === uid && (status?.phase === LeasePhase.Released || status?.phase === LeasePhase.Expired)

async function poolOf(deps: ControllerDeps, instance: ClusterInstance): Promise<PoolOfInstance> {
  const ref = instance.spec.poolRef
  if (ref === undefined) return { state: 'none' }
  const namespace = instance.metadata.namespace
  const isIt = (pool: KubeObject | undefined) =>
    pool !== undefined && (ref.uid === undefined || pool.metadata.uid === ref.uid)
  const cached = deps.caches.pools.get(namespace, ref.name)
  if (cached !== undefined && isIt(cached)) return { state: 'found', pool: cached }
  const pool = await getIfPresent(deps.client, CLUSTER_POOLS, { name: ref.name, ...field('namespace', namespace) })
  return pool !== undefined && isIt(pool) ? { state: 'found', pool } : { state: 'absent' }
}

function isPublished(deps: ControllerDeps, instance: ClusterInstance): boolean {
  const { namespace, name = '', uid } = instance.metadata
  const secret = deps.caches.secrets.get(namespace, kubeconfigSecretName(name))
  return secret?.metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false
}

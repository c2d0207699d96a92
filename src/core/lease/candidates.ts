/**
 * Which lease gets which free member. "Free" is a positive fact on the instance: phase Ready, no lease, no binding, not being
 * deleted. Members on the current template are handed out first, then the oldest. The whole queue is matched in order, so a
 * head that cannot use what is free does not block those behind it, and two leases never go for the same member.
 */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import { instanceIndex } from '../../api/v1alpha1/labels.ts'
import type { LeaseBinding } from '../../api/v1alpha1/lease-binding.ts'
import { bucketOf } from '../pool/member.ts'

export const isFree = (instance: ClusterInstance): boolean =>
  bucketOf(instance) === 'ready' && instance.metadata.deletionTimestamp === undefined

export interface Candidate {
  readonly instance: ClusterInstance
  readonly uid: string
  /** Made from the current template. */
  readonly current: boolean
  /** As it stands on the object: the API server writes all of them in the same form, so they compare as text. */
  readonly createdAt: string
  readonly index: number
}

/** Free members that no half-done binding of the pending leases has chosen, best first. */
export function candidatesOf(
  pool: ClusterPool,
  instances: readonly ClusterInstance[],
  pending: readonly ClusterLease[],
): Candidate[] {
  const chosen = chosenBy(pending)
  return instances
    .flatMap((instance) => toCandidate(pool, instance) ?? [])
    .filter(({ uid }) => !chosen.has(uid))
    .sort(compareCandidates)
}

/** UIDs of the members that half-done bindings name. */
export const chosenBy = (pending: readonly ClusterLease[]): ReadonlySet<string> =>
  new Set(pending.flatMap((lease) => lease.status?.binding?.instance.uid ?? []))

/** Best first. No two members of a pool are equal. */
export const compareCandidates = (left: Candidate, right: Candidate): number =>
  Number(right.current) - Number(left.current) ||
  compareText(left.createdAt, right.createdAt) ||
  left.index - right.index

const compareText = (left: string, right: string): number => (left === right ? 0 : left < right ? -1 : 1)

/** Undefined: it is not free, or lacks what a binding has to name. */
export function toCandidate(pool: ClusterPool, instance: ClusterInstance): Candidate | undefined {
  if (!isFree(instance) || !isBindable(pool, instance)) return undefined
  const { metadata, status } = instance
  return {
    instance,
    uid: metadata.uid ?? '',
    current: pool.status?.currentSpecHash === undefined || status?.specHash === pool.status.currentSpecHash,
    createdAt: metadata.creationTimestamp ?? '',
    index: instanceIndex(pool.metadata.name ?? '', metadata.name ?? '') ?? 0,
  }
}

/** Everything a binding has to name is there. What is missing is unusable, and skipped: it never blocks the others. */
function isBindable(pool: ClusterPool, { metadata, spec, status }: ClusterInstance): boolean {
  const samePool = spec.poolRef?.uid === undefined || spec.poolRef.uid === pool.metadata.uid
  const known = status?.specHash !== undefined && status.createdWith?.configDigest !== undefined
  return samePool && known && metadata.uid !== undefined && (metadata.generation ?? 0) >= 1
}

export const accepts = (lease: ClusterLease, candidate: Candidate): boolean =>
  lease.spec.allowStale || candidate.current

/** The record of a pairing; undefined when the instance or the pool lacks what it has to name. */
export function bindingOf(
  lease: ClusterLease,
  pool: ClusterPool,
  instance: ClusterInstance,
  bindingId: string,
): LeaseBinding | undefined {
  const { createdWith, specHash } = instance.status ?? {}
  const type = createdWith?.backendType ?? createdWith?.backend?.type
  const configDigest = createdWith?.configDigest
  if (type === undefined || configDigest === undefined || specHash === undefined) return undefined
  return {
    bindingId,
    lease: exact(lease),
    instance: { ...exact(instance), observedGeneration: instance.metadata.generation ?? 1 },
    pool: exact(pool),
    backend: { type, configDigest },
    instanceSpecDigest: specHash,
  }
}

const exact = ({ metadata }: { metadata: { name?: string; uid?: string } }) => ({
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
})

/** Whether the instance carries exactly the binding of this lease. */
export const instanceCarries = (lease: ClusterLease, instance: ClusterInstance): boolean =>
  lease.status?.binding !== undefined && instance.status?.binding?.bindingId === lease.status.binding.bindingId

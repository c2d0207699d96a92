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
import { requesterKey } from './queue.ts'

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
  const chosen = new Set(pending.flatMap((lease) => lease.status?.binding?.instance.uid ?? []))
  return instances
    .filter((instance) => isFree(instance) && isBindable(pool, instance) && !chosen.has(instance.metadata.uid ?? ''))
    .map((instance) => toCandidate(pool, instance))
    .sort(
      (left, right) =>
        Number(right.current) - Number(left.current) ||
        compareText(left.createdAt, right.createdAt) ||
        left.index - right.index,
    )
}

const compareText = (left: string, right: string): number => (left === right ? 0 : left < right ? -1 : 1)

const toCandidate = (pool: ClusterPool, instance: ClusterInstance): Candidate => ({
  instance,
  uid: instance.metadata.uid ?? '',
  current: pool.status?.currentSpecHash === undefined || instance.status?.specHash === pool.status.currentSpecHash,
  createdAt: instance.metadata.creationTimestamp ?? '',
  index: instanceIndex(pool.metadata.name ?? '', instance.metadata.name ?? '') ?? 0,
})

/** Everything a binding has to name is there. What is missing is unusable, and skipped: it never blocks the others. */
function isBindable(pool: ClusterPool, { metadata, spec, status }: ClusterInstance): boolean {
  const samePool = spec.poolRef?.uid === undefined || spec.poolRef.uid === pool.metadata.uid
  const known = status?.specHash !== undefined && status.createdWith?.configDigest !== undefined
  return samePool && known && metadata.uid !== undefined && (metadata.generation ?? 0) >= 1
}

export const accepts = (lease: ClusterLease, candidate: Candidate): boolean =>
  lease.spec.allowStale || candidate.current

/** How many more members the requester of a lease may hold; undefined: no limit. */
export type Allowance = (lease: ClusterLease) => number | undefined

/**
 * Matches the queue, in order, with the candidates, best first; a lease without a usable one is left out, and so is one whose
 * requester holds all it may: neither blocks those behind it.
 */
export function assign(
  queue: readonly ClusterLease[],
  candidates: readonly Candidate[],
  allowance: Allowance = () => undefined,
): Map<string, Candidate> {
  const free = [...candidates]
  const matched = new Map<string, Candidate>()
  const given = new Map<string, number>()
  for (const lease of queue) {
    if (free.length === 0) break
    const requester = requesterKey(lease)
    const before = given.get(requester) ?? 0
    const mayHave = before < (allowance(lease) ?? Number.POSITIVE_INFINITY)
    const candidate = mayHave ? takeFor(lease, free) : undefined
    if (candidate === undefined) continue
    matched.set(lease.metadata.uid ?? '', candidate)
    given.set(requester, before + 1)
  }
  return matched
}

function takeFor(lease: ClusterLease, free: Candidate[]): Candidate | undefined {
  const place = free.findIndex((candidate) => accepts(lease, candidate))
  return place < 0 ? undefined : free.splice(place, 1)[0]
}

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

/** Changes of a lease status: each gives the whole new status, so that one write makes one step. */
import { parseDuration } from '../../api/duration.ts'
import { formatTimestamp, parseTimestamp } from '../../api/timestamp.ts'
import type { ClusterLease, LeaseStatus } from '../../api/v1alpha1/cluster-lease.ts'
import { ConditionType } from '../../api/v1alpha1/conditions.ts'
import type { LeaseBinding } from '../../api/v1alpha1/lease-binding.ts'
import { LeasePhase } from '../../api/v1alpha1/phases.ts'
import { Reason } from '../../api/v1alpha1/reasons.ts'
import { type Finding, withFindings } from '../findings.ts'
import { field } from '../optional-field.ts'
import { sameStatus } from '../status-equality.ts'
import type { LeaseObserved, LeasePolicy } from './observed.ts'

/** Used when neither the lease nor its pool names a usable one. */
export const DEFAULT_TTL_MS = 3_600_000
export const DEFAULT_MAX_EXTENSIONS = 2

export const NEW_LEASE_STATUS: LeaseStatus = {
  phase: LeasePhase.Pending,
  queuePosition: 0,
  extensionsCount: 0,
  maxExtensions: 0,
}

export const leaseStatusOf = (lease: ClusterLease): LeaseStatus => ({ ...NEW_LEASE_STATUS, ...lease.status })

/** Whether a planned status has to be written. A missing status equals that of a new lease. */
export const leaseStatusChanged = (lease: ClusterLease, planned: LeaseStatus): boolean =>
  !sameStatus(leaseStatusOf(lease), planned)

export interface LeaseCause {
  readonly reason: Reason
  readonly message: string
}

interface Standing {
  readonly bound: boolean
  readonly satisfiable: boolean
  readonly cause: LeaseCause
}

function withConditions(lease: ClusterLease, status: LeaseStatus, standing: Standing, now: number): LeaseStatus {
  const { bound, satisfiable, cause } = standing
  const generation = field('observedGeneration', lease.metadata.generation)
  const of = (holds: boolean): Finding => ({
    status: holds ? 'True' : 'False',
    reason: cause.reason,
    message: cause.message,
  })
  // An ended lease never becomes Ready again, whatever anybody waits for.
  const ended = status.phase === LeasePhase.Released || status.phase === LeasePhase.Expired
  const conditions = withFindings(
    status.conditions,
    [
      [ConditionType.Bound, of(bound)],
      [ConditionType.Ready, of(bound)],
      [ConditionType.Satisfiable, of(satisfiable)],
      [ConditionType.Stalled, ended ? of(true) : undefined],
    ],
    { generation: lease.metadata.generation, now },
  )
  return { ...status, ...generation, conditions }
}

/** Waiting in the queue, with the reason. A binding that came to nothing is cleared. */
export function waitingStatus(lease: ClusterLease, position: number, cause: LeaseCause, now: number): LeaseStatus {
  const { binding: _lost, ...before } = leaseStatusOf(lease)
  const status = { ...before, queuePosition: position, message: cause.message }
  return withConditions(lease, status, { bound: false, satisfiable: false, cause }, now)
}

export function boundStatus(observed: LeaseObserved, binding: LeaseBinding, now: number): LeaseStatus {
  const { lease, policy } = observed
  const { message: _waiting, ...before } = leaseStatusOf(lease)
  const status: LeaseStatus = {
    ...before,
    phase: LeasePhase.Bound,
    clusterName: binding.instance.name,
    binding,
    boundAt: formatTimestamp(now),
    expiresAt: formatTimestamp(now + ttlOf(observed).ttlMs),
    queuePosition: 0,
    extensionsCount: 0,
    maxExtensions: policy?.maxExtensions ?? DEFAULT_MAX_EXTENSIONS,
  }
  const cause = { reason: Reason.Bound, message: `bound to ${binding.instance.name}` }
  return withConditions(lease, status, { bound: true, satisfiable: true, cause }, now)
}

/** Ended. `binding` stays: it says which instance has to be let go. */
export function endedStatus(
  lease: ClusterLease,
  phase: 'Released' | 'Expired',
  cause: LeaseCause,
  now: number,
): LeaseStatus {
  const before = leaseStatusOf(lease)
  const status = { ...before, phase, queuePosition: 0, endedAt: formatTimestamp(now), message: cause.message }
  const satisfiable = before.phase === LeasePhase.Bound
  return withConditions(lease, status, { bound: false, satisfiable, cause }, now)
}

/** What the requester does when it gives the cluster back, or cancels its place in the queue. */
export function releasedStatus(lease: ClusterLease, now: number): LeaseStatus {
  const bound = leaseStatusOf(lease).phase === LeasePhase.Bound
  const cause = bound
    ? { reason: Reason.Released, message: 'released by its requester' }
    : { reason: Reason.Cancelled, message: 'cancelled by its requester' }
  return endedStatus(lease, LeasePhase.Released, cause, now)
}

/** How long the lease lives: `min(asked or pool ttl, policy maxTtl)`, and whether what was asked could not be read. */
export function ttlOf({ lease, pool, policy }: Pick<LeaseObserved, 'lease' | 'pool' | 'policy'>): {
  readonly ttlMs: number
  readonly unreadable: boolean
} {
  const asked = parseDuration(lease.spec.ttl)
  const ttlMs = asked ?? parseDuration(pool?.spec.ttl ?? '') ?? DEFAULT_TTL_MS
  return { ttlMs: cap(ttlMs, policy), unreadable: asked === undefined }
}

const cap = (ttlMs: number, policy: LeasePolicy | undefined): number => Math.min(ttlMs, policy?.maxTtlMs ?? ttlMs)

/**
 * When a bound lease ends, epoch milliseconds. A missing or unreadable `expiresAt` is made good from `boundAt`; when that is no
 * use either the lease has no provable right to live on, and the answer is 0.
 */
export function expiryOf(observed: Pick<LeaseObserved, 'lease' | 'pool' | 'policy'>): number {
  const { expiresAt, boundAt } = leaseStatusOf(observed.lease)
  const recorded = parseTimestamp(expiresAt ?? '')
  if (recorded !== undefined) return recorded
  const start = parseTimestamp(boundAt ?? '')
  return start === undefined ? 0 : start + ttlOf(observed).ttlMs
}

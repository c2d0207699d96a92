/** Pending: ends early, or is bound, or is told why it waits. A binding that was begun is finished or given up before that. */
import { parseTimestamp } from '../../api/timestamp.ts'
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { LeaseBinding } from '../../api/v1alpha1/lease-binding.ts'
import { InstancePhase } from '../../api/v1alpha1/phases.ts'
import { Reason } from '../../api/v1alpha1/reasons.ts'
import type { Note } from '../plan.ts'
import { resolvePoolOptions } from '../pool/resolve-options.ts'
import type { LeaseAction } from './action.ts'
import { bindingOf, instanceCarries, isFree } from './candidates.ts'
import { needsFinalizer } from './diagnostics.ts'
import { boundStatus, leaseStatusOf, ttlOf, waitingStatus } from './lease-status.ts'
import type { LeaseObserved } from './observed.ts'
import { positionToRecord } from './queue.ts'
import { PROBE_FRESH_MS, type QueueView, viewQueue } from './queue-view.ts'
import { end, type LeaseStep, leaseNote } from './step.ts'
import { waitReason } from './wait-reason.ts'

/** How long a lease waits for a pool that does not exist: long enough for manifests applied in any order. */
export const POOL_MISSING_TIMEOUT_MS = 300_000

export function planPending(observed: LeaseObserved, now: number): LeaseStep {
  const { lease, bound } = observed
  if (lease.metadata.deletionTimestamp !== undefined) {
    return end(
      observed,
      'Released',
      { reason: Reason.Cancelled, message: 'the lease was deleted before it was bound' },
      now,
    )
  }
  const { binding } = leaseStatusOf(lease)
  // Reserved already: nothing that speaks against a new binding counts any more.
  if (binding !== undefined && bound.state === 'found' && isReserved(observed, bound.instance)) {
    return finish(observed, binding, [], now)
  }
  const ended = endsEarly(observed, now)
  if (ended !== undefined) return ended
  if (needsFinalizer(lease, observed.pool)) return { actions: [{ kind: 'AddFinalizer' }] }
  if (binding !== undefined && bound.state === 'found' && isFree(bound.instance)) {
    return finish(observed, binding, [reserve(bound.instance, binding)], now)
  }
  return bindOrWait(observed, now)
}

const isReserved = ({ lease }: LeaseObserved, instance: ClusterInstance): boolean =>
  instanceCarries(lease, instance) && instance.status?.phase === InstancePhase.Leased

function endsEarly(observed: LeaseObserved, now: number): LeaseStep | undefined {
  const { lease, pool, supportsVerifiedDestroy } = observed
  if (pool?.metadata.deletionTimestamp !== undefined) {
    return end(
      observed,
      'Released',
      { reason: Reason.PoolDeleting, message: `pool ${lease.spec.poolRef} is being deleted` },
      now,
    )
  }
  if (pool !== undefined && lease.spec.cleanupMode === 'VerifiedDestroy' && !supportsVerifiedDestroy) {
    const message = `cleanupMode VerifiedDestroy is not supported by backend ${pool.spec.backend.type}: use Standard or another pool`
    return end(observed, 'Released', { reason: Reason.CleanupModeUnsupported, message }, now)
  }
  const deadline = queueDeadline(observed)
  if (deadline === undefined || now < deadline) return undefined
  return end(observed, 'Expired', { reason: Reason.QueueTimeout, message: 'waited in the queue for too long' }, now)
}

/** When a lease that still waits gives up, epoch milliseconds; undefined: never. */
export function queueDeadline({ lease, pool }: LeaseObserved): number | undefined {
  const created = parseTimestamp(lease.metadata.creationTimestamp ?? '')
  const timeout = pool === undefined ? POOL_MISSING_TIMEOUT_MS : resolvePoolOptions(pool.spec, 1).queueTimeoutMs
  return created === undefined || timeout === undefined ? undefined : created + timeout
}

function bindOrWait(observed: LeaseObserved, now: number): LeaseStep {
  const { lease, pool, bindingId, quota } = observed
  const notes = lostNotes(observed)
  const queue = queueOf(observed, now)
  const mayHave = quota === undefined || quota.held < quota.cap
  const chosen = pool && mayHave ? queue.memberFor(lease.metadata.uid ?? '') : undefined
  const binding = pool && chosen && bindingOf(lease, pool, chosen, bindingId)
  if (chosen === undefined || binding === undefined) return wait(observed, queue, notes, now)
  if (!isFresh(observed, chosen, now)) return { actions: [probeOf(chosen)], notes }
  const step = finish(observed, binding, [{ kind: 'RecordIntent', binding }, reserve(chosen, binding)], now)
  return { ...step, notes: [...notes, ...(step.notes ?? [])] }
}

/** The shared view shows the lease as it is; an intent that came to nothing has to be left out of it. */
function queueOf(observed: LeaseObserved, now: number): QueueView {
  if (observed.queue !== undefined && observed.lease.status?.binding === undefined) return observed.queue
  const { pool, instances, probes, lastServed } = observed
  return viewQueue({ pool, instances, probes, lastServed, pending: asQueued(observed) }, now)
}

function isFresh({ probes }: LeaseObserved, { metadata }: ClusterInstance, now: number): boolean {
  const probe = probes.get(metadata.uid ?? '')
  return probe !== undefined && now - probe.at < PROBE_FRESH_MS
}

const probeOf = ({ metadata }: ClusterInstance): LeaseAction => ({
  kind: 'ProbeCandidate',
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
})

/** This lease with the intent that came to nothing left out, so that it takes its place in the queue again. */
function asQueued({ lease, pending }: LeaseObserved) {
  const { binding: _lost, ...status } = leaseStatusOf(lease)
  return pending.map((other) => (other.metadata.uid === lease.metadata.uid ? { ...lease, status } : other))
}

function lostNotes({ lease }: LeaseObserved): Note[] {
  const { binding } = leaseStatusOf(lease)
  if (binding === undefined) return []
  const message = `instance ${binding.instance.name} was lost to another writer before it was reserved; trying the next`
  return [leaseNote({ reason: Reason.BindLost, message })]
}

function reserve({ metadata }: ClusterInstance, binding: LeaseBinding): LeaseAction {
  const { name = '', uid = '', resourceVersion = '' } = metadata
  return { kind: 'ReserveInstance', name, uid, resourceVersion, binding }
}

/** The rest of a binding: what is left to do on the instance, the token, and Bound on the lease. */
function finish(observed: LeaseObserved, binding: LeaseBinding, first: readonly LeaseAction[], now: number): LeaseStep {
  const token: LeaseAction[] = observed.connectTokenExists ? [] : [{ kind: 'CreateConnectToken' }]
  const { ttlMs, unreadable } = ttlOf(observed)
  const notes = [
    leaseNote({ reason: Reason.Bound, message: `bound to ${binding.instance.name} for ${ttlMs / 1000} s` }),
  ]
  if (unreadable) {
    const message = `ttl ${observed.lease.spec.ttl} is not a duration; ${ttlMs / 1000} s are used`
    notes.push(leaseNote({ reason: Reason.InvalidSpec, message }, 'Warning'))
  }
  return { actions: [...first, ...token], status: boundStatus(observed, binding, now), notes }
}

function wait(observed: LeaseObserved, queue: QueueView, notes: readonly Note[], now: number): LeaseStep {
  const { lease, pool } = observed
  const cause = waitReason(observed, queue.members, now)
  const position = positionToRecord(leaseStatusOf(lease).queuePosition, queue.position(lease.metadata.uid ?? ''))
  return {
    status: waitingStatus(lease, position, cause, now),
    notes: [...notes, leaseNote(cause, 'Debug')],
    // When members that failed their probe just now may be tried again, and when a pause of the pool is over.
    wakeAt: [queueDeadline(observed), ...queue.retryAt, parseTimestamp(pool?.status?.nextAttemptAt ?? '')],
  }
}

/** Bound: TTL, heartbeats, a vanished instance, deletion by hand. The first of these that applies ends the lease. */
import { parseDuration } from '../../api/duration.ts'
import { formatTimestamp, parseTimestamp } from '../../api/timestamp.ts'
import { InstancePhase } from '../../api/v1alpha1/phases.ts'
import { Reason } from '../../api/v1alpha1/reasons.ts'
import { instanceCarries, isFree } from './candidates.ts'
import { needsFinalizer } from './diagnostics.ts'
import { expiryOf, leaseStatusOf } from './lease-status.ts'
import type { LeaseObserved } from './observed.ts'
import { end, type LeaseStep } from './step.ts'

export function planBound(observed: LeaseObserved, now: number): LeaseStep {
  const { lease, connectTokenExists } = observed
  if (lease.metadata.deletionTimestamp !== undefined) {
    return end(observed, 'Released', { reason: Reason.Released, message: 'the lease was deleted' }, now)
  }
  // An owner may be named at any time; whatever deletes the lease then only ends it.
  if (needsFinalizer(lease, observed.pool)) return { actions: [{ kind: 'AddFinalizer' }] }
  const expiry = expiryOf(observed)
  if (now >= expiry) return end(observed, 'Expired', { reason: Reason.Expired, message: expiredText(expiry) }, now)
  const idleAt = idleDeadline(observed)
  if (idleAt !== undefined && now >= idleAt) {
    const message = `no heartbeat for longer than ${lease.spec.idleTimeout}`
    return end(observed, 'Released', { reason: Reason.IdleTimeout, message }, now)
  }
  // A member that was used is never free again, so this view of it is older than our own binding: look again.
  if (observed.bound.state === 'found' && isFree(observed.bound.instance))
    return { wakeAt: [now + STALE_VIEW_RETRY_MS] }
  const lost = lossOf(observed)
  if (lost !== undefined) return end(observed, 'Released', { reason: Reason.InstanceVanished, message: lost }, now)
  return {
    actions: connectTokenExists ? [] : [{ kind: 'CreateConnectToken' }],
    ...repairedExpiry(observed, expiry),
    wakeAt: [expiry, idleAt],
  }
}

const STALE_VIEW_RETRY_MS = 1_000

const expiredText = (expiry: number): string =>
  expiry === 0
    ? 'neither expiresAt nor boundAt can be read, so the lease ends now'
    : `expired at ${formatTimestamp(expiry)}`

/** When the lease ends for want of a sign of life; undefined when nobody asked for that. */
export function idleDeadline({ lease }: LeaseObserved): number | undefined {
  const timeout = parseDuration(lease.spec.idleTimeout ?? '')
  if (timeout === undefined) return undefined
  const { lastHeartbeat, boundAt } = leaseStatusOf(lease)
  const heard = Math.max(parseTimestamp(lastHeartbeat ?? '') ?? 0, parseTimestamp(boundAt ?? '') ?? 0)
  return heard + timeout
}

/** Why the instance can no longer be used through this lease; undefined while it can. */
function lossOf({ lease, bound }: LeaseObserved): string | undefined {
  const name = lease.status?.clusterName ?? 'unknown'
  if (bound.state !== 'found') return `instance ${name} is gone`
  if (!instanceCarries(lease, bound.instance)) return `instance ${name} is bound to another lease`
  const phase = bound.instance.status?.phase
  return phase === InstancePhase.Leased ? undefined : `instance ${name} is ${phase ?? 'in no phase'}`
}

function repairedExpiry({ lease }: LeaseObserved, expiry: number): Pick<LeaseStep, 'status'> {
  const status = leaseStatusOf(lease)
  if (parseTimestamp(status.expiresAt ?? '') !== undefined) return {}
  return { status: { ...status, expiresAt: formatTimestamp(expiry) } }
}

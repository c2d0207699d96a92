/** The moments ahead of a lease: when it ends, or gives up, if nothing happens before. For readers; the plan itself wakes for them. */
import { parseTimestamp } from '../../api/timestamp.ts'
import { LeasePhase } from '../../api/v1alpha1/phases.ts'
import { idleDeadline } from './bound.ts'
import { diagnosticsDue } from './diagnostics.ts'
import { DEFAULT_MAX_EXTENSIONS, expiryOf, leaseStatusOf } from './lease-status.ts'
import type { LeaseObserved } from './observed.ts'
import { queueDeadline } from './pending.ts'
import { retainedUntil } from './terminal.ts'

export const LEASE_MOMENTS = [
  /** A waiting lease expires. */
  'QueueTimeout',
  /** A pool whose members fail to come up tries again. */
  'NextAttempt',
  /** A bound lease ends, unless it is extended. */
  'Expires',
  /** A bound lease is released for want of heartbeats. */
  'IdleTimeout',
  /** No extension moves the end of a bound lease past this. */
  'LatestEnd',
  /** An ended lease is no longer held up by its diagnostics. */
  'DiagnosticsTimeout',
  /** An ended lease is removed. */
  'Removed',
] as const
export type LeaseMomentKind = (typeof LEASE_MOMENTS)[number]

export interface LeaseMoment {
  readonly kind: LeaseMomentKind
  /** Epoch milliseconds. */
  readonly at: number
  /** A sentence. */
  readonly message: string
}

/** Soonest first; what is past is left out. `now` is epoch milliseconds. */
export function leaseMoments(observed: LeaseObserved, now: number): readonly LeaseMoment[] {
  return momentsOf(observed, now)
    .filter(({ at }) => at > now)
    .sort((left, right) => left.at - right.at)
}

function momentsOf(observed: LeaseObserved, now: number): LeaseMoment[] {
  const { phase } = leaseStatusOf(observed.lease)
  if (phase === LeasePhase.Pending) return ofPending(observed)
  return phase === LeasePhase.Bound ? ofBound(observed) : ofEnded(observed, now)
}

/** Nothing, when there is no such moment. */
const moment = (kind: LeaseMomentKind, at: number | undefined, message: string): LeaseMoment[] =>
  at === undefined ? [] : [{ kind, at, message }]

function ofPending(observed: LeaseObserved): LeaseMoment[] {
  const { pool } = observed
  const next = parseTimestamp(pool?.status?.nextAttemptAt ?? '')
  return [
    ...moment('QueueTimeout', queueDeadline(observed), 'the lease expires if it is still waiting then'),
    ...moment('NextAttempt', next, 'the pool tries again to create members'),
  ]
}

function ofBound(observed: LeaseObserved): LeaseMoment[] {
  const { lease, policy } = observed
  const { boundAt, extensionsCount } = leaseStatusOf(lease)
  const left = Math.max(0, (policy?.maxExtensions ?? DEFAULT_MAX_EXTENSIONS) - extensionsCount)
  const start = parseTimestamp(boundAt ?? '')
  const latest = start === undefined || policy?.maxTtlMs === undefined ? undefined : start + policy.maxTtlMs
  const extensions = left === 0 ? 'it cannot be extended any more' : `it can be extended ${left} more time(s)`
  return [
    ...moment('Expires', expiryOf(observed), `the lease expires; ${extensions}`),
    ...moment(
      'IdleTimeout',
      idleDeadline(observed),
      `the lease is released if no heartbeat arrives before (idleTimeout ${lease.spec.idleTimeout})`,
    ),
    ...moment('LatestEnd', left === 0 ? undefined : latest, 'no extension moves the end past this'),
  ]
}

function ofEnded(observed: LeaseObserved, now: number): LeaseMoment[] {
  const { lease, pool } = observed
  const due = diagnosticsDue(lease, pool, now)
  return [
    ...moment('DiagnosticsTimeout', due, 'the cluster is recycled then, whatever became of its diagnostics'),
    ...moment('Removed', retainedUntil(observed), `the lease is removed; until then it can be read why it ended`),
  ]
}

/**
 * `planLease`: what one pass over a ClusterLease does.
 * Pending: ended early (deleted, pool going, cleanup impossible, queue timeout) · bound (two-sided, fenced) · explained.
 * Bound: kept until it expires, goes without heartbeats, is deleted, or loses its instance.
 * Released or Expired: token gone, instance let go, then the object goes.
 *
 * A binding is three writes: the intent on the lease, the reservation on the instance (compare-and-swap), Bound on the lease.
 * Whatever a crash leaves between them is finished or given up here from what is observed.
 */
import type { LeaseStatus } from '../../api/v1alpha1/cluster-lease.ts'
import { LeasePhase } from '../../api/v1alpha1/phases.ts'
import { acknowledged } from '../observed-generation.ts'
import type { Plan } from '../plan.ts'
import { requeueAt } from '../requeue.ts'
import type { LeaseAction } from './action.ts'
import { planBound } from './bound.ts'
import { leaseStatusOf } from './lease-status.ts'
import type { LeaseObserved } from './observed.ts'
import { planPending } from './pending.ts'
import type { LeaseStep } from './step.ts'
import { planTerminal } from './terminal.ts'

/** `now` is epoch milliseconds. */
export function planLease(observed: LeaseObserved, now: number): Plan<LeaseAction, LeaseStatus> {
  const step = stepOf(observed, now)
  const requeueAfterMs = requeueAt(now, step.wakeAt ?? [])
  return {
    actions: step.actions ?? [],
    notes: step.notes ?? [],
    status: acknowledged(observed.lease, step.status ?? leaseStatusOf(observed.lease)),
    ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }),
  }
}

function stepOf(observed: LeaseObserved, now: number): LeaseStep {
  const { phase } = leaseStatusOf(observed.lease)
  if (phase === LeasePhase.Pending) return planPending(observed, now)
  return phase === LeasePhase.Bound ? planBound(observed, now) : planTerminal(observed, now)
}

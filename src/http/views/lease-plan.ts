/** The plan of a lease as the operator would make it now, and what it says of its present state, in words. */
import { formatTimestamp } from '../../api/timestamp.ts'
import type { LeaseStatus } from '../../api/v1alpha1/cluster-lease.ts'
import { ConditionType, findCondition } from '../../api/v1alpha1/conditions.ts'
import { Reason } from '../../api/v1alpha1/reasons.ts'
import type { LeaseAction } from '../../core/lease/action.ts'
import { leaseMoments } from '../../core/lease/moments.ts'
import type { LeaseObserved } from '../../core/lease/observed.ts'
import { planLease } from '../../core/lease/plan-lease.ts'
import { field } from '../../core/optional-field.ts'
import { assertNever } from '../../core/plan.ts'
import { phaseOf } from '../leases/lease-state.ts'
import type { LeaseExplanation, LeasePlan } from '../schemas/lease-plan.ts'
import { leaseDetail, type WaitingView } from './lease-view.ts'
import { nextLookSeconds, noteView } from './planner-note.ts'

/** `now` is epoch milliseconds. */
export function leasePlan(observed: LeaseObserved, now: number): LeasePlan {
  const plan = planLease(observed, now)
  return {
    id: observed.lease.metadata.name ?? '',
    phase: phaseOf(observed.lease),
    next_phase: plan.status.phase,
    at: formatTimestamp(now),
    actions: plan.actions.map(actionView),
    notes: plan.notes.map(noteView),
    upcoming: upcoming(observed, now),
    ...field('next_look_seconds', nextLookSeconds(plan.requeueAfterMs)),
  }
}

/** `waiting` has the estimate, which the planner does not make. */
export function leaseExplanation(observed: LeaseObserved, waiting: WaitingView, now: number): LeaseExplanation {
  const plan = planLease(observed, now)
  const { teardown_receipt: _, ...detail } = leaseDetail(observed.lease, waiting)
  return {
    ...detail,
    because: causeOf(plan.status),
    at: formatTimestamp(now),
    notes: plan.notes.map(noteView),
    upcoming: upcoming(observed, now),
  }
}

const upcoming = (observed: LeaseObserved, now: number): LeasePlan['upcoming'] =>
  leaseMoments(observed, now).map(({ kind, at, message }) => ({ kind, at: formatTimestamp(at), message }))

/** A waiting lease: what keeps it from being served. Any other: what bound or ended it. */
function causeOf({ conditions, phase }: LeaseStatus): LeaseExplanation['because'] {
  const decisive = phase === 'Pending' ? ConditionType.Satisfiable : ConditionType.Bound
  const condition = findCondition(conditions, decisive) ?? findCondition(conditions, ConditionType.Bound)
  if (condition === undefined) return { reason: Reason.NotObserved, message: 'the operator has not said why yet' }
  const { reason, message, lastTransitionTime } = condition
  return { reason, message: message ?? '', ...field('since', lastTransitionTime) }
}

type ActionView = LeasePlan['actions'][number]

function actionView(action: LeaseAction): ActionView {
  const { kind } = action
  switch (kind) {
    case 'AddFinalizer':
      return { kind, message: 'the lease is marked, so that it does not vanish before its end was seen to' }
    case 'RemoveFinalizer':
      return { kind, message: 'its end was seen to: the lease goes' }
    case 'ProbeCandidate':
      return { kind, cluster: action.name, message: 'the cluster is probed before it is handed out' }
    case 'RecordIntent':
      return { kind, cluster: action.binding.instance.name, message: 'the lease records which cluster it takes' }
    case 'ReserveInstance':
      return { kind, cluster: action.name, message: 'the cluster is reserved, if nobody else took it meanwhile' }
    case 'CreateConnectToken':
      return { kind, message: 'the credential of the lease is made' }
    case 'CaptureDiagnostics':
      return { kind, message: 'the diagnostics are made, unless they are being made already' }
    case 'DeleteConnectToken':
      return { kind, message: 'the credential of the lease is deleted: nobody gets in any more' }
    case 'DeleteLease':
      return { kind, message: 'nothing of the lease is left to see to: it goes' }
    default:
      return assertNever(action)
  }
}

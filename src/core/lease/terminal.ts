/**
 * Released or Expired: nobody gets in any more (the token goes, at the latest with the lease), then the instance is let go (its own planner sees
 * that the lease has ended and recycles it), then the object goes. A lease that the operator ended stays readable for a while.
 */
import { parseTimestamp } from '../../api/timestamp.ts'
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import { ConditionType, findCondition } from '../../api/v1alpha1/conditions.ts'
import { Annotation, Finalizer } from '../../api/v1alpha1/labels.ts'
import { InstancePhase, LeasePhase } from '../../api/v1alpha1/phases.ts'
import { Reason } from '../../api/v1alpha1/reasons.ts'
import type { LeaseAction } from './action.ts'
import { instanceCarries } from './candidates.ts'
import { capturedStatus, diagnosticsDue } from './diagnostics.ts'
import { leaseStatusOf } from './lease-status.ts'
import type { LeaseObserved } from './observed.ts'
import { type LeaseStep, leaseNote } from './step.ts'

/** How long a lease that its requester did not end itself can still be read: long enough to learn why it ended. */
export const ENDED_RETENTION_MS = 300_000

export function planTerminal(observed: LeaseObserved, now: number): LeaseStep {
  const { bound } = observed
  const connectTokenExists = observed.connectTokenExists && !goesWithItsToken(observed, now)
  const revoke: LeaseAction[] = connectTokenExists ? [{ kind: 'DeleteConnectToken' }] : []
  if (bound.state === 'found' && isHeld(observed, bound.instance)) {
    const step = diagnosticsStep(observed, now)
    return { ...step, actions: [...revoke, ...(step.actions ?? [])] }
  }
  const step = isReceiptUnread(observed) ? keepForReceipt() : objectGoes(observed, now)
  return { ...step, actions: [...revoke, ...(step.actions ?? [])] }
}

/** Nobody gets in any more, and the member is still as it was left. */
function diagnosticsStep({ lease, pool, diagnostics = { state: 'none' } }: LeaseObserved, now: number): LeaseStep {
  const deadline = diagnosticsDue(lease, pool, now)
  if (deadline === undefined) return {}
  if (diagnostics.state === 'none') return { actions: [{ kind: 'CaptureDiagnostics' }], wakeAt: [deadline] }
  if (diagnostics.state === 'running') return { wakeAt: [deadline] }
  const status = capturedStatus(lease, leaseStatusOf(lease), diagnostics, now)
  const condition = findCondition(status.conditions, ConditionType.DiagnosticsCaptured)
  const cause = { reason: Reason.DiagnosticsStored, message: condition?.message ?? '' }
  if (diagnostics.state === 'stored') return { status, notes: [leaseNote(cause)] }
  return { status, notes: [leaseNote({ ...cause, reason: Reason.DiagnosticsFailed }, 'Warning')] }
}

function objectGoes(observed: LeaseObserved, now: number): LeaseStep {
  const { uid = '', resourceVersion = '', deletionTimestamp, finalizers } = observed.lease.metadata
  if (deletionTimestamp !== undefined) {
    return finalizers?.includes(Finalizer.leaseCleanup) ? { actions: [{ kind: 'RemoveFinalizer' }] } : {}
  }
  const keepUntil = retainedUntil(observed)
  return now < keepUntil ? { wakeAt: [keepUntil] } : { actions: [{ kind: 'DeleteLease', uid, resourceVersion }] }
}

function keepForReceipt(): LeaseStep {
  const message = `the teardown receipt is kept until annotation ${Annotation.teardownReceiptAcknowledged} is set`
  return { notes: [leaseNote({ reason: Reason.ReceiptUnacknowledged, message }, 'Debug')] }
}

/** The instance has not begun to go yet, so somebody must still be told that its use is over: the lease stays. */
const isHeld = ({ lease }: LeaseObserved, instance: ClusterInstance): boolean =>
  instanceCarries(lease, instance) && instance.status?.phase === InstancePhase.Leased

const isReceiptUnread = ({ lease }: LeaseObserved): boolean =>
  lease.status?.teardownReceipt !== undefined &&
  lease.metadata.annotations?.[Annotation.teardownReceiptAcknowledged] === undefined

/** Until when an ended lease can be read, epoch milliseconds; 0: it goes at once. */
export function retainedUntil({ lease }: LeaseObserved): number {
  const { phase, conditions, endedAt } = leaseStatusOf(lease)
  const cause = findCondition(conditions, ConditionType.Bound)
  const byRequester = phase !== LeasePhase.Expired && (cause?.status !== 'False' || BY_REQUESTER.has(cause.reason))
  return byRequester ? 0 : (parseTimestamp(endedAt ?? '') ?? 0) + ENDED_RETENTION_MS
}

/**
 * A lease that its requester gave back goes as soon as its instance is let go, and its token with it as garbage. Until then the
 * proxy refuses the token of a lease that is over. A proven cleanup needs the evidence of a deletion of its own, and diagnostics
 * hold the lease up.
 */
function goesWithItsToken(observed: LeaseObserved, now: number): boolean {
  const { lease, pool } = observed
  const isPlain = lease.spec.cleanupMode === 'Standard' && lease.metadata.deletionTimestamp === undefined
  return isPlain && retainedUntil(observed) === 0 && diagnosticsDue(lease, pool, now) === undefined
}

const BY_REQUESTER: ReadonlySet<string> = new Set([Reason.Released, Reason.Cancelled])

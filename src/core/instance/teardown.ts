/**
 * Recycling: the backend is told to destroy until it *observes* that nothing is left; then the object goes, finalizer last.
 * IMPORTANT: a member whose lease is still live is not touched, however it came to be in Recycling; ending that lease is the
 * lease planner's business, and the pass after it goes on here.
 */
import { Finalizer } from '../../api/v1alpha1/labels.ts'
import { Reason } from '../../api/v1alpha1/reasons.ts'
import type { InstanceAction } from './action.ts'
import { leaseHolds } from './lease-holds.ts'
import type { DestroyEvidence, InstanceObserved } from './observed.ts'
import { note, type Step } from './step.ts'

/** How soon a destroy that is under way is asked for again; usually the backend reports before that. */
export const DESTROY_POLL_MS = 1_000
/** Pause after a destroy that failed. */
export const DESTROY_RETRY_MS = 5_000

export function planTeardown(observed: InstanceObserved, now: number): Step {
  const { instance, lease, evidence } = observed
  if (lease.state === 'found' && leaseHolds(instance, lease.lease)) {
    const message = `destroying waits: lease ${lease.lease.metadata.name ?? ''} still holds the instance`
    return { notes: [note({ reason: Reason.WaitingForLease, message }, 'Warning')] }
  }
  const { destroy } = evidence
  if (destroy === undefined) return { actions: [{ kind: 'DestroyMember' }] }
  return destroy.gone ? objectGoes(observed) : askAgain(destroy, now)
}

function objectGoes({ instance }: InstanceObserved): Step {
  const { uid, resourceVersion, deletionTimestamp, finalizers } = instance.metadata
  const notes = [note({ reason: Reason.Destroyed, message: 'nothing of the cluster is left' })]
  if (deletionTimestamp === undefined) {
    const remove: InstanceAction = { kind: 'DeleteInstance', uid: uid ?? '', resourceVersion: resourceVersion ?? '' }
    return { actions: [remove], notes }
  }
  return finalizers?.includes(Finalizer.instanceCleanup) ? { actions: [{ kind: 'RemoveFinalizer' }] } : {}
}

function askAgain(destroy: DestroyEvidence, now: number): Step {
  const failed = destroy.error !== undefined
  const due = destroy.at + (failed ? DESTROY_RETRY_MS : DESTROY_POLL_MS)
  const cause = failed
    ? { reason: Reason.DestroyFailed, message: `destroy failed and is tried again: ${destroy.error}` }
    : { reason: Reason.DestroyPending, message: `still there: ${destroy.remaining.join(', ')}` }
  return {
    actions: now >= due ? [{ kind: 'DestroyMember' }] : [],
    notes: [note(cause, failed ? 'Warning' : 'Debug')],
    wakeAt: [now >= due ? now + DESTROY_POLL_MS : due],
  }
}

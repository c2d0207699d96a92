/** What one stage of an instance plan answers. */
import { parseTimestamp } from '../../api/timestamp.ts'
import type { InstanceStatus } from '../../api/v1alpha1/cluster-instance.ts'
import { InstancePhase } from '../../api/v1alpha1/phases.ts'
import type { Note } from '../plan.ts'
import type { InstanceAction } from './action.ts'
import { type Cause, recyclingStatus, statusOf } from './instance-status.ts'
import type { InstanceObserved } from './observed.ts'

export interface Step {
  readonly actions?: readonly InstanceAction[]
  readonly notes?: readonly Note[]
  /** Absent: the status stays as it is. */
  readonly status?: InstanceStatus
  /** Moments at which something may change without an event. */
  readonly wakeAt?: readonly (number | undefined)[]
}

export const note = (cause: Cause, level: Note['level'] = 'Info'): Note => ({ ...cause, level })

/**
 * To Recycling. Nothing is destroyed in the same pass: the status must be written first, and it may be lost to a lease that
 * took the member in the meantime.
 */
export const toRecycling = ({ instance }: InstanceObserved, cause: Cause, now: number): Step => ({
  status: recyclingStatus(instance, cause, now),
  notes: [note(cause, cause.reason === 'Released' || cause.reason === 'Expired' ? 'Info' : 'Warning')],
})

/** Whether anybody may be using the member: a reference to a lease counts even before the phase is written. */
export function isInUse({ instance }: InstanceObserved): boolean {
  const { phase, leaseRef, binding } = statusOf(instance)
  if (phase === InstancePhase.Recycling || phase === InstancePhase.Quarantined) return false
  return phase === InstancePhase.Leased || leaseRef !== undefined || binding !== undefined
}

/**
 * How long after a change of phase a pass still tells of it. Whoever makes the change (the pool, a lease) leaves the telling to
 * the instance; a restart later must not tell it anew.
 */
const TOLD_FOR_MS = 60_000

/** The Event of a transition that is not written by a pass over the instance itself. */
export function arrival({ instance }: InstanceObserved, cause: Cause, now: number): Note[] {
  const since = parseTimestamp(instance.status?.stateSince ?? '')
  return since !== undefined && now - since < TOLD_FOR_MS ? [note(cause)] : []
}

/** How soon a member that does not run is asked for again; usually the backend reports before that. */
export const ENSURE_POLL_MS = 2_000

/**
 * Keeps a member running that was made before: asks for it once after a restart of the operator, and again for as long as it
 * does not run (its process died, its host was restarted).
 */
export function keepRunning({ evidence }: InstanceObserved, now: number): Pick<Step, 'actions' | 'wakeAt'> {
  const { member, kubeconfigPublished } = evidence
  if (member?.state === 'Failed') return {}
  // Somebody deleted the Secret: without it nobody gets in.
  if (member?.state === 'Running')
    return kubeconfigPublished === false ? { actions: [{ kind: 'PublishKubeconfig' }] } : {}
  const due = member === undefined ? now : member.at + ENSURE_POLL_MS
  return now >= due ? { actions: [{ kind: 'EnsureMember' }], wakeAt: [now + ENSURE_POLL_MS] } : { wakeAt: [due] }
}

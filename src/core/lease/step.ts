/** What one stage of a lease plan answers. */
import type { LeaseStatus } from '../../api/v1alpha1/cluster-lease.ts'
import type { Note } from '../plan.ts'
import type { LeaseAction } from './action.ts'
import { endedStatus, type LeaseCause } from './lease-status.ts'
import type { LeaseObserved } from './observed.ts'

export interface LeaseStep {
  readonly actions?: readonly LeaseAction[]
  readonly notes?: readonly Note[]
  /** Absent: the status stays as it is. */
  readonly status?: LeaseStatus
  /** Moments at which something may change without an event. */
  readonly wakeAt?: readonly (number | undefined)[]
}

export const leaseNote = (cause: LeaseCause, level: Note['level'] = 'Info'): Note => ({ ...cause, level })

/** Ends the lease; the pass after it cleans up. */
export const end = (
  observed: LeaseObserved,
  phase: 'Released' | 'Expired',
  cause: LeaseCause,
  now: number,
): LeaseStep => ({
  status: endedStatus(observed.lease, phase, cause, now),
  notes: [leaseNote(cause)],
})

/**
 * Rule 3. A member that is still Creating from another template goes at once: no cap, no floor, also when paused. This is
 * what makes a roll-back fast, and why a bad template never blocks a later good one. [doc]
 */
import { Reason } from '../../../api/v1alpha1/reasons.ts'
import { type PoolRule, recycle, remaining } from '../facts.ts'

/** Documented log line. */
export const DRIFTED_CREATING = 'Drifted Creating: recycling without waiting for timeout'

export const driftedCreatingRule: PoolRule = {
  name: 'drifted-creating',
  inBackoff: false,
  unseenWrites: true,
  apply(facts, draft) {
    const drifted = remaining(facts.by.creating, draft).filter((member) => member.drifted)
    const gone = drifted.map((member) =>
      recycle(member, { reason: 'spec_drift', cause: Reason.DriftedCreating, message: DRIFTED_CREATING }),
    )
    return { actions: gone.map(({ action }) => action), notes: gone.map(({ note }) => note) }
  },
}

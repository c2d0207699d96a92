/** Rule 1. Unhealthy and Failed members go, as many as there are; neither backoff nor floor nor pause holds this back. [doc] */
import { Reason } from '../../../api/v1alpha1/reasons.ts'
import { type PoolRule, recycle, remaining } from '../facts.ts'

export const unhealthyRule: PoolRule = {
  name: 'unhealthy',
  inBackoff: true,
  unseenWrites: true,
  apply(facts, draft) {
    const gone = remaining(facts.by.unhealthy, draft).map((member) =>
      recycle(member, {
        reason: 'unhealthy',
        cause: Reason.UnhealthyMember,
        message: `${member.failed ? 'creation failed' : 'unhealthy'}: recycling${member.message ? ` (${member.message})` : ''}`,
        level: 'Warning',
      }),
    )
    return { actions: gone.map(({ action }) => action), notes: gone.map(({ note }) => note) }
  },
}

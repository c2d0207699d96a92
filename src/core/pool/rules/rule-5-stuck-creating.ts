/**
 * Rule 5. A member that is Creating for longer than `creatingTimeout` goes, in backoff too. [doc] One that the host has no
 * room for is held instead: another would find no room either. [ours]
 */
import { type PoolRule, recycle, remaining } from '../facts.ts'
import { isStuckCreating, timeoutReason } from '../failures.ts'

export const stuckCreatingRule: PoolRule = {
  name: 'stuck-creating',
  inBackoff: true,
  unseenWrites: true,
  apply(facts, draft) {
    const { options, now } = facts
    const creating = remaining(facts.by.creating, draft)
    const gone = creating
      .filter((member) => isStuckCreating(member, options, now))
      .map((member) =>
        recycle(member, {
          reason: 'stuck_creating',
          cause: timeoutReason(member),
          message: `Creating for longer than ${options.creatingTimeoutMs / 1000} s: recycling${member.activeBootstrap ? ` (bootstrap ${member.activeBootstrap} still runs)` : ''}`,
          level: 'Warning',
        }),
      )
    return {
      actions: gone.map(({ action }) => action),
      notes: gone.map(({ note }) => note),
      // One millisecond later it is stuck, not merely due.
      wakeAt: creating.map((member) => member.since + options.creatingTimeoutMs + 1),
    }
  },
}

/**
 * Rule 2. In backoff (`now < nextAttemptAt`) only rules 1 and 5 run; Ready members keep serving. [doc]
 * Demand does not shorten the wait: what just failed is most likely to fail again.
 */
import { formatTimestamp } from '../../../api/timestamp.ts'
import { Reason } from '../../../api/v1alpha1/reasons.ts'
import type { Note } from '../../plan.ts'
import type { PoolFacts } from '../facts.ts'

export const inBackoff = ({ failures, now }: PoolFacts): boolean =>
  failures.nextAttemptAt !== undefined && now < failures.nextAttemptAt

export function backoffNote({ failures, now }: PoolFacts): Note {
  const until = formatTimestamp(failures.nextAttemptAt ?? now)
  return {
    reason: Reason.Backoff,
    message: `${failures.consecutive} creation failure(s) in a row: nothing is created or rolled before ${until}; last: ${failures.lastReason ?? 'unknown'}`,
    level: 'Warning',
  }
}

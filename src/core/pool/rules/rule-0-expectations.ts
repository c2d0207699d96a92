/**
 * Rule 0. While own writes have not been seen, what the caches show may lack members that exist already. Rules that count
 * (4, 6, 7) plan nothing then; rules that only repair (1, 3, 5) go on, as they are fenced by UID and resourceVersion.
 */
import { Reason } from '../../../api/v1alpha1/reasons.ts'
import type { Note } from '../../plan.ts'
import type { PoolFacts } from '../facts.ts'

export const ownWritesUnseen = (facts: PoolFacts): boolean => !facts.observed.expectationsMet

export const expectationsNote: Note = {
  reason: Reason.WaitingForCache,
  message: 'earlier creates or deletes are not visible yet: no creates, drift recycles or scale-down in this pass',
  level: 'Debug',
}

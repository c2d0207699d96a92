/** What a run leaves out, with the reason: it stands in `lastError` at the end, while everything else is rolled [C]. */
import { NodeReason } from '../../api/v1alpha1/node-reasons.ts'
import type { Member } from './model.ts'
import { cannotLose } from './quorum.ts'
import { isStopped, isWork, type RunFacts } from './run-facts.ts'

export interface LeftOut {
  readonly name: string
  readonly reason: NodeReason
  readonly message: string
}

/** Why a node with work is left out of the whole run. */
export function leavesOut(facts: RunFacts, member: Member): Omit<LeftOut, 'name'> | undefined {
  const { operation } = facts.observed
  const cannot = cannotLose(member.type, facts.counts)
  if (cannot !== undefined) return { reason: NodeReason.CannotLoseNode, message: cannot }
  const last = member.type === 'worker' && facts.counts.worker === 1 && !isStopped(member)
  if (last && !operation.spec.allowLastWorker)
    return { reason: NodeReason.LastWorker, message: 'the only worker, and allowLastWorker is not set' }
  if (member.node?.doNotDisrupt === true)
    return { reason: NodeReason.DoNotDisrupt, message: 'it is annotated do-not-disrupt' }
  if (facts.skipped.has(member.name)) return { reason: NodeReason.DrainSkipped, message: skipMessage(facts, member) }
  return undefined
}

const skipMessage = ({ holder }: RunFacts, { name }: Member): string =>
  holder.skipped?.find((skipped) => skipped.name === name)?.message ?? 'skipped'

/** Left behind by an earlier run: work that is down already, or carries the mark, and that this run brings back. */
export const isLeftover = (facts: RunFacts, member: Member): boolean =>
  (isStopped(member) || member.node?.mark !== undefined) &&
  isWork(facts, member) &&
  leavesOut(facts, member) === undefined

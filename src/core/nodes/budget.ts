/** How many nodes of a group may be unavailable at a time, whatever the cause, and how many are. */
import type { Member } from './model.ts'
import { hasRestarted, neverWentDown } from './node-step.ts'
import { hasNode, isServing, type RunFacts } from './run-facts.ts'

/** A number as it is; a percentage of the group, rounded down, at least 1. */
export function resolveAmount(amount: number | string, of: number): number {
  const text = String(amount)
  const value = Number.parseInt(text, 10)
  if (!Number.isFinite(value)) return 1
  return Math.max(1, text.endsWith('%') ? Math.floor((of * value) / 100) : value)
}

/**
 * Control and etcd nodes one at a time; workers `min(maxUnavailable, workers - 1)`, at least 1 [C]. A worker always stays: that
 * the only one may be taken down is asked for by `allowLastWorker`, and checked where nodes are left out [ours].
 */
export function budgetOf(facts: RunFacts, groupName: string): number {
  const group = facts.groups.get(groupName)
  if (group === undefined || group.type !== 'worker') return 1
  const members = facts.byGroup.get(groupName)?.length ?? 0
  const asked = facts.observed.operation.spec.maxUnavailable ?? group.maxUnavailable
  return Math.max(1, Math.min(resolveAmount(asked, members), facts.counts.worker - 1))
}

/** Members of the group that do not serve: a stale Ready of a node that this run took down does not count. */
export const unavailableIn = (facts: RunFacts, group: string): Member[] =>
  (facts.byGroup.get(group) ?? []).filter((member) => !isServing(member) || isComingBack(facts, member))

function isComingBack(facts: RunFacts, member: Member): boolean {
  const entry = facts.entries.get(member.name)
  return entry !== undefined && hasNode(member) && !hasRestarted(entry, member) && !neverWentDown(facts, entry, member)
}

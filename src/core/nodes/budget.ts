/** How many nodes of a group may be unavailable at a time, whatever the cause, and how many are. */
import type { NodeGroup } from '../../api/v1alpha1/managed-cluster.ts'
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
  return groupBudget(facts.groups.get(groupName), {
    asked: facts.observed.operation.spec.maxUnavailable,
    members: facts.byGroup.get(groupName)?.length ?? 0,
    workers: facts.counts.worker,
  })
}

export interface GroupNumbers {
  /** By the operation, instead of what the group says. */
  readonly asked: number | string | undefined
  /** Of the group. */
  readonly members: number
  /** Of the cluster. */
  readonly workers: number
}

export function groupBudget(group: NodeGroup | undefined, { asked, members, workers }: GroupNumbers): number {
  if (group === undefined || group.type !== 'worker') return 1
  return Math.max(1, Math.min(resolveAmount(asked ?? group.maxUnavailable, members), workers - 1))
}

/** Members of the group that do not serve: a stale Ready of a node that this run took down does not count. */
export const unavailableIn = (facts: RunFacts, group: string): Member[] =>
  (facts.byGroup.get(group) ?? []).filter((member) => !isServing(member) || isComingBack(facts, member))

function isComingBack(facts: RunFacts, member: Member): boolean {
  const entry = facts.entries.get(member.name)
  return entry !== undefined && hasNode(member) && !hasRestarted(entry, member) && !neverWentDown(facts, entry, member)
}

/**
 * One pass of a rollout that has no batch. Evaluation order:
 * 1. nodes that an earlier run left behind and that are well are put back in use
 * 2. cancelled -> the end
 * 3. nothing left to do -> the end
 * 4. frozen, baking, or the rest of the cluster is not well -> wait (for `nodeTimeout` at most, unless frozen)
 * 5. the next batch is claimed
 */

import { parseDuration } from '../../api/duration.ts'
import { formatTimestamp } from '../../api/timestamp.ts'
import type { BatchNode, Outcome } from '../../api/v1alpha1/managed-cluster.ts'
import { OperationPhase } from '../../api/v1alpha1/node-phases.ts'
import { NodeReason } from '../../api/v1alpha1/node-reasons.ts'
import { setHolder, setOutcome } from './held-cluster.ts'
import type { Member, NodesObserved } from './model.ts'
import { isHeld } from './node-step.ts'
import { restorable } from './out-of-date.ts'
import { bootIdOf, type Pick, pickBatch, workOf } from './pick-batch.ts'
import { named, type Problem, preflight } from './preflight.ts'
import { differs, isSelected, isWork, momentOf, nodeTimeoutMs, type RunFacts } from './run-facts.ts'
import { aboutNode, foreignCordonNotes, note, POLL_MS, type Step } from './step.ts'

export function planNext(facts: RunFacts): Step {
  return resume(facts) ?? cancelled(facts) ?? goOn(facts)
}

/** A marked node that came back, or that never restarted and is no longer out of date: it is put back in use [C, ours]. */
export function leftBehindAndWell(facts: RunFacts): readonly Member[] {
  const { nodesKnown, machinesKnown, members } = facts.observed
  if (!nodesKnown || !machinesKnown) return []
  return members.filter((member) => member.node !== undefined && isHeld(member.node) && isWell(facts, member))
}

function resume(facts: RunFacts): Step | undefined {
  const nodes = leftBehindAndWell(facts).flatMap(({ node }) => node ?? [])
  if (nodes.length === 0) return undefined
  return {
    actions: nodes.map(({ name, uid, resourceVersion, cordon }) => {
      return { kind: 'ReleaseNode', node: name, uid, resourceVersion, uncordon: cordon === 'ours' }
    }),
    notes: nodes.map(({ name, uid }) => {
      const message = `${name} was left behind by an earlier run and is back in use`
      return note(NodeReason.LeftoverReleased, message, 'Info', aboutNode(name, uid))
    }),
    reason: NodeReason.LeftoverReleased,
    message: `${nodes.length} node(s) are put back in use`,
  }
}

function isWell(facts: RunFacts, member: Member): boolean {
  const { node, machine } = member
  if (node === undefined || machine?.state !== 'Running' || !node.ready) return false
  return node.mark !== node.bootId || !differs(facts, member)
}

/** Its work is done, as far as its machine goes, and it is not well yet: it will be put back in use when it is. */
const isOnItsWay = (facts: RunFacts, member: Member): boolean =>
  isSelected(facts.observed, member) && !isWork(facts, member) && !isWell(facts, member)

export const isCancelled = ({ operation }: NodesObserved): boolean =>
  operation.spec.cancel || operation.metadata.deletionTimestamp !== undefined

const end = (facts: RunFacts, outcome: Outcome): Step => ({
  actions: [setOutcome(facts.observed.cluster, facts.holder, outcome)],
  reason: outcome.reason as NodeReason,
  message: outcome.message,
})

function cancelled(facts: RunFacts): Step | undefined {
  if (!isCancelled(facts.observed)) return undefined
  const done = facts.holder.done ?? 0
  const message = `cancelled after ${done} node(s)`
  return end(facts, { phase: 'Cancelled', reason: NodeReason.Cancelled, message })
}

function goOn(facts: RunFacts): Step {
  if (!facts.observed.machinesKnown || !facts.observed.nodesKnown) return wait(facts, preflight(facts, []))
  const work = workOf(facts)
  const pick = pickBatch(facts, work)
  const notes = work.leftOut.map(({ name, reason, message }) =>
    note(reason, `${name} is left out: ${message}`, 'Warning', aboutNode(name)),
  )
  if (pick === undefined) return nothingLeft(facts, notes)
  const freezes = freezesOf(facts)
  if (freezes.length > 0) return frozen(facts, freezes, notes)
  const problems = [...baking(facts), ...spent(pick), ...preflight(facts, pick.members)]
  const next = problems.length > 0 ? wait(facts, problems) : claim(facts, pick)
  return { ...next, notes: [...notes, ...(next.notes ?? [])] }
}

/** What keeps anything new from starting. */
export const freezesOf = ({ spec, observed }: RunFacts): readonly { readonly reason: string }[] => [
  ...(spec.policy.freeze === undefined ? [] : [spec.policy.freeze]),
  ...observed.freezes,
]

/** Nodes that an earlier run left behind and that are still on their way back are waited for. */
function nothingLeft(facts: RunFacts, notes: NonNullable<Step['notes']>): Step {
  const waiting = facts.observed.members.filter(
    (member) => member.node?.mark !== undefined && isOnItsWay(facts, member),
  )
  if (waiting.length > 0) {
    const message = `${waiting.length} node(s) of an earlier run are not back yet: ${named(waiting)}`
    return wait(facts, [{ reason: NodeReason.PreflightFailed, message }])
  }
  const done = facts.holder.done ?? 0
  const message = done === 0 ? 'every node was up to date' : `${done} node(s) were brought to the wanted settings`
  const upToDate = done === 0 ? [note(NodeReason.UpToDate, message)] : []
  return {
    ...end(facts, { phase: 'Succeeded', reason: NodeReason.Succeeded, message }),
    notes: [...notes, ...upToDate],
  }
}

function frozen(
  facts: RunFacts,
  freezes: readonly { readonly reason: string }[],
  notes: NonNullable<Step['notes']>,
): Step {
  const message = `frozen: ${freezes.map(({ reason }) => reason).join('; ')}`
  const { holdSince, ...rest } = facts.holder
  return {
    // Time does not run while frozen.
    ...(holdSince === undefined ? {} : { actions: [setHolder(facts.observed.cluster, rest)] }),
    phase: OperationPhase.Frozen,
    notes: [...notes, note(NodeReason.Frozen, message)],
    reason: NodeReason.Frozen,
    message,
  }
}

function baking(facts: RunFacts): Problem[] {
  const { bakeTime } = facts.spec.pace
  const since = facts.holder.lastBatchAt
  if (bakeTime === undefined || since === undefined) return []
  const until = momentOf(since, facts.now) + (parseDuration(bakeTime) ?? 0)
  if (facts.now >= until) return []
  return [{ reason: NodeReason.Baking, message: `${bakeTime} since the last batch are not over` }]
}

export const spent = ({ members, message }: Pick): Problem[] =>
  members.length > 0 ? [] : [{ reason: NodeReason.BudgetSpent, message }]

/** Nothing new starts; when it takes too long the run ends, and the next one picks up what is left. */
function wait(facts: RunFacts, problems: readonly Problem[]): Step {
  const { cluster } = facts.observed
  const message = problems.map((problem) => problem.message).join('; ')
  const reason = problems[0]?.reason ?? NodeReason.NoData
  const since = facts.holder.holdSince
  const base = { reason, message: `waiting: ${message}`, notes: [note(reason, `waiting: ${message}`, 'Warning')] }
  if (reason === NodeReason.Baking) return { ...base, wakeAt: [facts.now + POLL_MS] }
  if (since === undefined) {
    const holder = { ...facts.holder, holdSince: formatTimestamp(facts.now) }
    return { ...base, actions: [setHolder(cluster, holder)] }
  }
  const until = momentOf(since, facts.now) + nodeTimeoutMs(facts)
  if (facts.now < until) return { ...base, wakeAt: [facts.now + POLL_MS, until] }
  const text = `not well for ${facts.spec.nodeTimeout}: ${message}`.slice(0, 4000)
  return end(facts, { phase: 'Failed', reason, message: text })
}

function claim(facts: RunFacts, pick: Pick): Step {
  const { holdSince: _over, ...rest } = facts.holder
  const batch = { startedAt: formatTimestamp(facts.now), group: pick.group.name, nodes: pick.members.map(entryOf) }
  return {
    actions: [setHolder(facts.observed.cluster, { ...rest, batch })],
    notes: [
      note(NodeReason.BatchClaimed, `next: ${named(pick.members)} (${pick.message})`),
      ...foreignCordonNotes(pick.members.flatMap(({ node }) => node ?? [])),
    ],
    reason: NodeReason.BatchClaimed,
    message: `next: ${named(pick.members)}`,
  }
}

function entryOf(member: Member): BatchNode {
  const before = restorable(member.machine?.settings ?? {})
  const groups = before.affinityGroups
  return {
    name: member.name,
    ...bootIdOf(member),
    before: {
      ...(before.offering === undefined ? {} : { offering: before.offering }),
      ...(groups === undefined ? {} : { affinityGroups: [...groups] }),
    },
  }
}

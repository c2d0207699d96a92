/**
 * The end of a run, however it came about [C]. Every part is decided from what is observed, so doing it twice is doing it once:
 *
 *   nodes that are back (Ready, with a new boot ID), or never went down -> mark and our cordon are taken off
 *   everything else stays cordoned for a person, and is named in lastError
 *   the operation's own status -> its end
 *   the cluster -> capacity counted from its machines, Running or Alert, lastError written or cleared, claim gone
 */
import { formatTimestamp } from '../../api/timestamp.ts'
import type { ManagedClusterStatus, OperationHolder, Outcome } from '../../api/v1alpha1/managed-cluster.ts'
import type { OperationType } from '../../api/v1alpha1/node-phases.ts'
import { NodeReason } from '../../api/v1alpha1/node-reasons.ts'
import type { NodeAction } from './action.ts'
import { endState } from './cluster-state.ts'
import { capacityOf, clusterProblem } from './health.ts'
import { setCluster, stateOf } from './held-cluster.ts'
import type { Member, NodeFacts } from './model.ts'
import { hasRestarted, isHeld, neverWentDown } from './node-step.ts'
import { workOf } from './pick-batch.ts'
import { isStopped, type RunFacts } from './run-facts.ts'
import { aboutNode, note, POLL_MS, type Step } from './step.ts'

/** Gives nodes back, one write each; empty when there is nothing left that may be given back. */
export function releaseActions(facts: RunFacts): NodeAction[] {
  return facts.observed.members.flatMap((member) => {
    const { node } = member
    if (node === undefined || !isHeld(node) || !mayBeGivenBack(facts, member, node)) return []
    const { name, uid, resourceVersion } = node
    return [{ kind: 'ReleaseNode', node: name, uid, resourceVersion, uncordon: node.cordon === 'ours' }]
  })
}

function mayBeGivenBack(facts: RunFacts, member: Member, node: NodeFacts): boolean {
  const entry = facts.entries.get(member.name)
  if (entry !== undefined) {
    if (neverWentDown(facts, entry, member)) return true
    return member.machine?.state === 'Running' && node.ready && hasRestarted(entry, member)
  }
  return isBack(member, node)
}

/** A node of an earlier run: another boot ID than its mark has, or a cordon of ours that lost its mark. */
const isBack = (member: Member, node: NodeFacts): boolean =>
  member.machine?.state === 'Running' && node.ready && node.mark !== node.bootId

/** A start, a stop or a destroy touches no Node, and a stopped cluster has no API to read one from. */
const isBlind = ({ observed, holder }: RunFacts): boolean =>
  !observed.machinesKnown || (!observed.nodesKnown && !WITHOUT_NODES.has(holder.type))

const WITHOUT_NODES: ReadonlySet<OperationType> = new Set(['Start', 'Stop', 'Destroy'])

export function planRelease(facts: RunFacts, outcome: Outcome): Step {
  const { reason, message } = outcome
  if (isBlind(facts)) {
    const waits = 'the nodes or the machines could not be read: the end waits for them'
    return {
      notes: [note(NodeReason.NoData, waits, 'Warning')],
      reason: NodeReason.NoData,
      message: waits,
      wakeAt: [facts.now + POLL_MS],
    }
  }
  const actions = releaseActions(facts)
  if (actions.length > 0) {
    const notes = actions.flatMap((action) =>
      action.kind === 'ReleaseNode'
        ? [note(NodeReason.Uncordoning, `${action.node} is given back`, 'Info', aboutNode(action.node, action.uid))]
        : [],
    )
    return { actions, notes, reason: reason as NodeReason, message }
  }
  // The operation's own end is written now, by this pass; the claim goes in the next one, which sees it.
  const level = outcome.phase === 'Failed' ? 'Warning' : 'Info'
  return {
    phase: outcome.phase,
    notes: [note(reason as NodeReason, message, level)],
    reason: reason as NodeReason,
    message: lastError(facts, outcome) ?? message,
  }
}

/** The last write of a run: the cluster is let go. One that was destroyed goes itself. */
export function lastAction(facts: RunFacts, outcome: Outcome): NodeAction {
  const { cluster } = facts.observed
  const isDestroyed = facts.holder.type === 'Destroy' && outcome.phase === 'Succeeded'
  if (!isDestroyed || cluster.metadata.deletionTimestamp !== undefined) return letGo(facts, outcome)
  return { kind: 'DeleteCluster', resourceVersion: cluster.metadata.resourceVersion ?? '' }
}

function letGo(facts: RunFacts, outcome: Outcome): NodeAction {
  const { cluster, members } = facts.observed
  const { operation: _released, lastError: before, ...status } = cluster.status ?? {}
  const giveBack = isGivenBack(outcome)
  const error = giveBack ? before : lastError(facts, outcome)
  const next: ManagedClusterStatus = {
    ...status,
    state: endOf(facts, facts.holder, outcome),
    rotation: 'Freeze',
    capacity: capacityOf(members),
    lastOperation: {
      name: facts.holder.name,
      uid: facts.holder.uid,
      phase: outcome.phase,
      finishedAt: formatTimestamp(facts.now),
    },
    ...(error === undefined ? {} : { lastError: error }),
  }
  return setCluster(cluster, next)
}

function endOf(facts: RunFacts, holder: OperationHolder, outcome: Outcome): ReturnType<typeof endState> {
  const { cluster } = facts.observed
  return endState({
    type: holder.type,
    outcome: outcome.phase,
    entered: holder.entered,
    present: stateOf(cluster),
    from: holder.from,
    healthy: outcome.reason !== NodeReason.Restored && clusterProblem(facts.observed) === undefined,
    giveBack: isGivenBack(outcome),
  })
}

/** Nothing was begun: the settings were not stored, or were refused. The cluster has what it had, its last error too [C]. */
const isGivenBack = ({ reason }: Outcome): boolean =>
  reason === NodeReason.StoringSettings || reason === NodeReason.SettingsRefused

const MAX_ERROR = 8_000

/** The failure, what was left out, and what is left for a person, in one text; undefined when all went well. */
export function lastError(facts: RunFacts, outcome: Outcome): string | undefined {
  const parts = [
    ...(outcome.phase === 'Failed' ? [`${outcome.reason}: ${outcome.message}`] : []),
    ...list('left out', leftOut(facts, outcome)),
    ...list('left for a person', leftBehind(facts)),
  ]
  return parts.length === 0 ? undefined : parts.join('. ').slice(0, MAX_ERROR)
}

const list = (title: string, parts: readonly string[]): string[] =>
  parts.length === 0 ? [] : [`${title}: ${parts.join('; ')}`]

const leftOut = (facts: RunFacts, { phase }: Outcome): string[] =>
  phase === 'Cancelled' ? [] : workOf(facts).leftOut.map(({ name, message }) => `${name}: ${message}`)

/** Cordoned or marked by us and not back, or down. */
function leftBehind(facts: RunFacts): string[] {
  return facts.observed.members.flatMap((member) => {
    const { node, name } = member
    const entry = facts.entries.get(name)
    const held = node !== undefined && isHeld(node)
    if (!held && !(entry !== undefined && isStopped(member))) return []
    const state = member.machine?.state ?? 'unknown'
    const cordon = held ? ', cordoned by this run' : ''
    return [`${name}: machine ${state}${node?.ready === true ? ', Ready' : ''}${cordon}`]
  })
}

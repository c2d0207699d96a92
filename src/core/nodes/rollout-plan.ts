/**
 * `planRollout`: what a rollout would do if it began now. In this order:
 * would it be refused · what an earlier run left behind is put back in use first · what is left out, and which groups are skipped ·
 * the batches, with the reason of each node and what would have to be mended before · how long it would take.
 *
 * The order is that of the run: both ask the same functions. A refusal does not keep the rest from being told.
 */
import { formatTimestamp } from '../../api/timestamp.ts'
import { withNodeOperationDefaults } from '../../api/v1alpha1/defaults.ts'
import type { NodeGroup, OperationHolder } from '../../api/v1alpha1/managed-cluster.ts'
import { NodeReason } from '../../api/v1alpha1/node-reasons.ts'
import type { Finding } from '../drain/preview.ts'
import { field } from '../optional-field.ts'
import type { Note } from '../plan.ts'
import type {
  PlannedBatch,
  PlannedFinding,
  PlannedGroup,
  PlannedNode,
  RolloutPlan,
  RolloutRequest,
} from './cluster-insight.ts'
import { refusal, wantedNow } from './enter.ts'
import { estimateBatch, type Pace, paceOf } from './estimate.ts'
import { type ForeseenBatch, foresee } from './foresight.ts'
import { stateOf } from './held-cluster.ts'
import { givenBack } from './imagined-cluster.ts'
import type { LeftOut } from './left-out.ts'
import type {
  Capabilities,
  Freeze,
  ManagedClusterObserved,
  Member,
  NodesObserved,
  ProviderProblems,
  Settings,
} from './model.ts'
import { outOfDate } from './out-of-date.ts'
import { orderedGroups, type Work, workOf } from './pick-batch.ts'
import { freezesOf, leftBehindAndWell } from './plan-next.ts'
import type { Problem } from './preflight.ts'
import { differs, isRunning, isStopped, isWork, type RunFacts, runFacts, wantedOf } from './run-facts.ts'
import { aboutNode, foreignCordonNotes, note } from './step.ts'
import { groupsToStore, refuseStored, settingsProblems } from './store-settings.ts'

export interface RolloutObserved extends ManagedClusterObserved {
  readonly capabilities: Capabilities
  readonly freezes: readonly Freeze[]
  /** Settings of the cluster as a whole, from before its groups had their own. */
  readonly clusterWide?: Settings
  /** What the provider says of the settings that the groups would have, by name of the group. */
  readonly problems: ProviderProblems
}

export function planRollout(observed: RolloutObserved, request: RolloutRequest, now: number): RolloutPlan {
  const { facts, unknown } = factsOf(observed, request, now)
  const work = canTell(observed) ? workOf(facts) : { queue: [], leftOut: [] }
  const pace = paceOf(observed)
  const batches = foresee(facts, work).map((batch) => plannedBatch(facts, pace, batch))
  const refused = [...unknown, ...refusals(observed, facts, request)]
  return {
    cluster: observed.cluster.metadata.name ?? '',
    state: stateOf(observed.cluster),
    ...field('refused', refused.length === 0 ? undefined : joined(refused)),
    groups: orderedGroups(facts).map((group) => plannedGroup(facts, work, group)),
    batches,
    leftOut: work.leftOut.map(({ name, reason, message }) => ({ node: name, reason, message })),
    totalNodes: batches.reduce((sum, { nodes }) => sum + nodes.length, 0),
    estimateMs: batches.reduce((sum, { estimateMs }) => sum + estimateMs, 0),
    estimateBasis: pace.basis,
    notes: notesOf(observed, facts, batches),
  }
}

/** The run as it would be with this request, once it has put back in use what an earlier one left behind. */
function factsOf(
  observed: RolloutObserved,
  request: RolloutRequest,
  now: number,
): { readonly facts: RunFacts; readonly unknown: readonly Problem[] } {
  const { spec } = observed.cluster
  const { nodeGroups, problems: unknown } =
    request.settings === undefined
      ? { nodeGroups: spec.nodeGroups, problems: [] }
      : groupsToStore(spec.nodeGroups, request.settings, observed)
  const cluster = { ...observed.cluster, spec: { ...spec, nodeGroups } }
  const operation = operationFor(cluster.metadata, request)
  const asked: NodesObserved = { ...observed, health: foreseenHealth(observed), cluster, operation }
  const holder: OperationHolder = {
    name: '',
    uid: '',
    type: 'Rollout',
    startedAt: formatTimestamp(now),
    from: stateOf(cluster),
    wanted: wantedNow(asked),
  }
  const facts = runFacts(asked, holder, now)
  const back = new Set(leftBehindAndWell(facts).map(({ name }) => name))
  if (back.size === 0) return { facts, unknown }
  const members = asked.members.map((member) =>
    back.has(member.name) && member.node !== undefined ? { ...member, node: givenBack(member.node) } : member,
  )
  return { facts: runFacts({ ...asked, members }, holder, now), unknown }
}

/** A check that passes now will have passed as often as it has to; Jobs are only made while a run changes nodes. */
function foreseenHealth({ cluster, health }: RolloutObserved): NodesObserved['health'] {
  const jobs = new Set(cluster.spec.healthChecks.filter(({ type }) => type === 'job').map(({ name }) => name))
  const known = health.map((one) => (one.passes > 0 ? { ...one, passes: Number.MAX_SAFE_INTEGER } : one))
  const foreseen = [...jobs].map((name) => ({ name, passes: Number.MAX_SAFE_INTEGER, message: 'not run yet' }))
  return [...known.filter(({ name }) => !jobs.has(name)), ...foreseen]
}

function operationFor(
  { name = '', namespace }: RolloutObserved['cluster']['metadata'],
  { maxUnavailable, allowLastWorker, selector }: RolloutRequest,
): NodesObserved['operation'] {
  return withNodeOperationDefaults({
    metadata: { name: '', ...field('namespace', namespace) },
    spec: {
      type: 'Rollout',
      clusterRef: { name },
      ...field('maxUnavailable', maxUnavailable),
      ...field('allowLastWorker', allowLastWorker),
      ...field('selector', selector),
    },
  })
}

const canTell = ({ machinesKnown, nodesKnown }: RolloutObserved): boolean => machinesKnown && nodesKnown

function refusals(observed: RolloutObserved, facts: RunFacts, request: RolloutRequest): readonly Problem[] {
  const blind: Problem[] = canTell(observed)
    ? []
    : [{ reason: NodeReason.NoData, message: 'the nodes or the machines could not be read: nothing can be planned' }]
  const entering = refusal(facts.observed)
  if (entering !== undefined) return [entering, ...blind]
  return [...settingsRefusals(observed, facts, request), ...blind]
}

function settingsRefusals(
  observed: RolloutObserved,
  { observed: asked, spec }: RunFacts,
  request: RolloutRequest,
): Problem[] {
  const { problems } = observed
  if (request.settings === undefined) return refuseStored(asked, problems)
  return settingsProblems(observed, { rollout: true, nodeGroups: spec.nodeGroups, problems })
}

const joined = (problems: readonly Problem[]): { reason: string; message: string } => ({
  reason: problems[0]?.reason ?? NodeReason.StateRefused,
  message: [...new Set(problems.map(({ message }) => message))].join('; '),
})

function plannedBatch(facts: RunFacts, pace: Pace, { group, members, waitsFor }: ForeseenBatch): PlannedBatch {
  return {
    group,
    nodes: members.map((member) => plannedNode(facts, member)),
    waitsFor: waitsFor.map(({ message }) => message),
    estimateMs: estimateBatch(pace, facts.groups.get(group)?.type ?? 'worker'),
  }
}

function plannedNode(facts: RunFacts, member: Member): PlannedNode {
  const marked = member.node?.mark !== undefined
  const reasons = [
    ...outOfDate(member.machine, wantedOf(facts, member)),
    ...(isStopped(member) ? ['its machine is stopped'] : []),
    ...(marked ? ['an earlier run left its mark on it'] : []),
  ]
  return { name: member.name, reasons, ...(marked || isStopped(member) ? { leftover: true } : {}), findings: [] }
}

function plannedGroup(facts: RunFacts, work: Work, { name, type }: NodeGroup): PlannedGroup {
  const own = facts.byGroup.get(name) ?? []
  const taken = work.queue.some(({ group }) => group.name === name)
  return {
    name,
    type,
    nodes: own.length,
    outOfDate: own.filter((member) => differs(facts, member)).length,
    ...field('skipped', taken ? undefined : whySkipped(facts, work.leftOut, own)),
  }
}

function whySkipped(facts: RunFacts, leftOut: readonly LeftOut[], own: readonly Member[]): string | undefined {
  const names = new Set(own.map(({ name }) => name))
  const why = new Set(leftOut.filter(({ name }) => names.has(name)).map(({ message }) => message))
  if (why.size > 0) return [...why].join('; ')
  const outside = own.some((member) => differs(facts, member) && !isWork(facts, member))
  return outside ? 'none of its nodes is selected' : undefined
}

function notesOf(observed: RolloutObserved, facts: RunFacts, batches: readonly PlannedBatch[]): Note[] {
  const planned = batches.flatMap(({ nodes }) => nodes.flatMap(({ name }) => facts.byName.get(name) ?? []))
  const back = observed.members.filter(({ name, node }) => node !== undefined && facts.byName.get(name)?.node !== node)
  return [
    ...freezesOf(facts).map(({ reason }) =>
      note(NodeReason.Frozen, `nothing starts while frozen: ${reason}`, 'Warning'),
    ),
    ...back.map(({ name, node }) => {
      const message = `${name} was left behind by an earlier run and is put back in use first`
      return note(NodeReason.LeftoverReleased, message, 'Info', aboutNode(name, node?.uid))
    }),
    ...batches.flatMap(({ nodes, waitsFor }) =>
      waitsFor.map((what) => note(NodeReason.PreflightFailed, `before ${nodes[0]?.name}: ${what}`, 'Warning')),
    ),
    ...foreignCordonNotes(planned.flatMap(({ node }) => node ?? [])),
    ...planned.filter(isBusy).map(({ name, machine }) => {
      const message = `${name}: its machine is ${machine?.state}: the run would wait for it, ${facts.spec.nodeTimeout} at most`
      return note(NodeReason.PreflightFailed, message, 'Warning', aboutNode(name))
    }),
  ]
}

/** Nothing can be asked of it before it has come to an end of its own. */
const isBusy = (member: Member): boolean => !isRunning(member) && !isStopped(member)

/** Puts what was found of each node where the node is. */
export function withFindings(
  plan: RolloutPlan,
  findings: readonly Finding[],
  notes: readonly Note[] = [],
): RolloutPlan {
  const byNode = Map.groupBy(findings, ({ node }) => node)
  const of = (name: string): PlannedFinding[] => (byNode.get(name) ?? []).map(({ node: _known, ...finding }) => finding)
  return {
    ...plan,
    batches: plan.batches.map((batch) => ({
      ...batch,
      nodes: batch.nodes.map((node) => ({ ...node, findings: of(node.name) })),
    })),
    notes: [...plan.notes, ...notes],
  }
}

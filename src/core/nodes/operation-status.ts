/** `status` of a NodeOperation: nodes in flight, failed or skipped by name, everything else as counts, so that it stays small. */
import { formatTimestamp } from '../../api/timestamp.ts'
import { type Condition, ConditionType } from '../../api/v1alpha1/conditions.ts'
import { MAX_BATCH } from '../../api/v1alpha1/managed-cluster.ts'
import type { NodeOperation, NodeOperationStatus, OperationCounts } from '../../api/v1alpha1/node-operation.ts'
import { OperationPhase } from '../../api/v1alpha1/node-phases.ts'
import { type Finding, withFindings } from '../findings.ts'
import { field } from '../optional-field.ts'
import { stateOf } from './held-cluster.ts'
import { workOf } from './pick-batch.ts'
import { hasMachine, momentOf, type RunFacts } from './run-facts.ts'
import type { Step } from './step.ts'

const ENDS: ReadonlySet<OperationPhase> = new Set([
  OperationPhase.Succeeded,
  OperationPhase.Failed,
  OperationPhase.Cancelled,
  OperationPhase.Superseded,
])

export const hasEnded = ({ status }: NodeOperation): boolean => status?.phase !== undefined && ENDS.has(status.phase)

export interface StatusInput {
  readonly operation: NodeOperation
  readonly step: Step
  readonly now: number
  /** Absent: the operation does not hold its cluster. */
  readonly facts?: RunFacts
}

export function operationStatus({ operation, step, now, facts }: StatusInput): NodeOperationStatus {
  const before = operation.status ?? {}
  const phase = step.phase ?? phaseOf(facts)
  const ended = ENDS.has(phase)
  const shown = step.nodes ?? (ended ? before.nodes : undefined) ?? []
  const nodes = nodesOf(before.nodes ?? [], shown, now)
  return {
    ...field('observedGeneration', operation.metadata.generation ?? before.observedGeneration),
    phase,
    ...(facts === undefined ? unheld(before) : held(facts, before, ended)),
    ...field('finishedAt', ended ? (before.finishedAt ?? formatTimestamp(now)) : undefined),
    ...(nodes.length === 0 ? {} : { nodes }),
    message: step.message.slice(0, 4_000),
    conditions: conditionsOf(operation, step, { phase, now }),
  }
}

const phaseOf = (facts: RunFacts | undefined): OperationPhase =>
  facts === undefined ? OperationPhase.Pending : OperationPhase.Running

type Progress = Pick<NodeOperationStatus, 'state' | 'startedAt' | 'counts' | 'eta'>

const unheld = ({ state, startedAt, counts }: NodeOperationStatus): Progress => ({
  ...field('state', state),
  ...field('startedAt', startedAt),
  ...field('counts', counts),
})

function held(facts: RunFacts, before: NodeOperationStatus, ended: boolean): Progress {
  const counts = facts.holder.type === 'Destroy' ? countsOfDestroy(facts, before.counts) : countsOf(facts)
  return {
    state: stateOf(facts.observed.cluster),
    startedAt: facts.holder.startedAt,
    counts,
    ...field('eta', ended ? undefined : etaOf(facts, counts)),
  }
}

type Nodes = NonNullable<NodeOperationStatus['nodes']>

function nodesOf(
  before: Nodes,
  present: readonly (Omit<Nodes[number], 'since'> & { since?: string })[],
  now: number,
): Nodes {
  const known = new Map(before.map((node) => [node.name, node]))
  return present.slice(0, MAX_BATCH).map((node) => {
    const same = known.get(node.name)
    return { ...node, since: same?.step === node.step ? same.since : formatTimestamp(now) }
  })
}

function countsOf(facts: RunFacts): OperationCounts {
  const { queue, leftOut } = workOf(facts)
  const entries = facts.batch?.nodes ?? []
  const failed = entries.filter((entry) => entry.failed !== undefined).length
  const inFlight = entries.length - failed
  const waiting = queue.reduce((sum, { candidates }) => sum + candidates.length, 0)
  const done = facts.holder.done ?? 0
  const claimed = new Set(entries.map(({ name }) => name))
  const again = queue.reduce(
    (sum, { candidates }) => sum + candidates.filter(({ name }) => claimed.has(name)).length,
    0,
  )
  const outOfDate = waiting + entries.length - again - failed
  return {
    total: done + outOfDate + failed + leftOut.length,
    done,
    outOfDate,
    inFlight,
    failed,
    skipped: leftOut.length,
    ...field('batches', facts.holder.batches),
  }
}

/** What is terminated is not seen any more: it is what is missing from what there was. */
function countsOfDestroy({ observed }: RunFacts, before: OperationCounts | undefined): OperationCounts {
  const left = observed.members.filter(hasMachine)
  const total = Math.max(before?.total ?? 0, left.length)
  const inFlight = left.filter(({ machine }) => machine?.state === 'Terminating').length
  return { total, done: total - left.length, outOfDate: left.length, inFlight, failed: 0, skipped: 0 }
}

/** At the pace up to the last batch: it moves only when a batch is done, so that a quiet pass writes nothing. */
function etaOf({ holder }: RunFacts, { done, outOfDate }: OperationCounts): string | undefined {
  if (done === 0 || holder.lastBatchAt === undefined) return undefined
  const last = momentOf(holder.lastBatchAt, 0)
  return formatTimestamp(last + ((last - momentOf(holder.startedAt, last)) / done) * outOfDate)
}

function conditionsOf(
  operation: NodeOperation,
  { reason, message }: Step,
  { phase, now }: { phase: OperationPhase; now: number },
): Condition[] {
  const of = (status: Finding['status']): Finding => ({ status, reason, message: message.slice(0, 4_000) })
  const failed = phase === OperationPhase.Failed
  const over = ENDS.has(phase)
  return withFindings(
    operation.status?.conditions,
    [
      [ConditionType.Ready, of(over && !failed ? 'True' : 'False')],
      [ConditionType.Reconciling, over ? undefined : of('True')],
      [ConditionType.Stalled, failed ? of('True') : undefined],
    ],
    { generation: operation.metadata.generation, now },
  )
}

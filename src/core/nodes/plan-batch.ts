/**
 * One pass over the claimed batch. What has to be remembered is written first, alone; then every node takes its next step. The
 * steps before a node goes down are taken only while the rest of the cluster is well and the budget allows it: when anything
 * else fails, the batch pauses there by itself, and nodes that are down already are brought back.
 */
import { formatTimestamp } from '../../api/timestamp.ts'
import type { Batch, BatchNode, OperationHolder } from '../../api/v1alpha1/managed-cluster.ts'
import { MAX_BATCH } from '../../api/v1alpha1/managed-cluster.ts'
import { NodeReason } from '../../api/v1alpha1/node-reasons.ts'
import type { Note } from '../plan.ts'
import type { NodeAction } from './action.ts'
import { budgetOf, unavailableIn } from './budget.ts'
import { setHolder } from './held-cluster.ts'
import { type StepView, stepOf } from './node-step.ts'
import { type Problem, preflight } from './preflight.ts'
import { batchDeadline, isServing, type RunFacts } from './run-facts.ts'
import { aboutNode, note, POLL_MS, type Step } from './step.ts'

export function planBatch(facts: RunFacts, batch: Batch): Step {
  const views = batch.nodes.map((entry) => judged(facts, stepOf(facts, entry)))
  const failing = views.some(({ entry, change }) => entry.failed !== undefined || change?.failed !== undefined)
  const settled = failing ? views.map(givesUpWithTheOthers) : views
  return remember(facts, batch, settled) ?? takeSteps(facts, settled)
}

/** A node whose time is over is given up where it is. */
function judged(facts: RunFacts, view: StepView): StepView {
  const { entry, change, done } = view
  if (entry.failed !== undefined || entry.skipped !== undefined || done === true) return view
  if (change?.failed !== undefined || facts.now < batchDeadline(facts)) return view
  const message = `not done within ${facts.spec.nodeTimeout}: ${view.step}${view.waits === undefined ? '' : `, ${view.waits}`}`
  return failed(view, NodeReason.NodeTimeout, message)
}

/** The batch has failed: what has not gone down yet does not go down any more. */
function givesUpWithTheOthers(view: StepView): StepView {
  if (view.beforeStop !== true || view.change !== undefined) return view
  return failed(view, NodeReason.BatchFailed, 'given back before it went down, as another node of its batch failed')
}

const failed = ({ entry, member, step }: StepView, reason: NodeReason, message: string): StepView => ({
  entry,
  member,
  step,
  change: { failed: { reason, message: message.slice(0, 500) } },
})

/** Writes down what changed, and lets go of the batch when nothing of it is left to do. Undefined when there is nothing to write. */
function remember(facts: RunFacts, batch: Batch, views: readonly StepView[]): Step | undefined {
  const kept = views.filter(({ done }) => done !== true)
  const done = views.length - kept.length
  const open = kept.filter(({ settled }) => settled !== true)
  const changed = kept.some(({ change }) => change !== undefined)
  if (open.length === 0) return closeBatch(facts, views, kept)
  if (done === 0 && !changed) return undefined
  const nodes = kept.map(({ entry, change }): BatchNode => ({ ...entry, ...change }))
  const holder = { ...facts.holder, batch: { ...batch, nodes }, done: (facts.holder.done ?? 0) + done }
  return write(facts, views, holder)
}

function write(facts: RunFacts, views: readonly StepView[], holder: OperationHolder): Step {
  return {
    actions: [setHolder(facts.observed.cluster, holder)],
    notes: views.flatMap(noteOf),
    reason: NodeReason.BatchClaimed,
    message: summary(views),
    nodes: views.map(nodeOf),
  }
}

function closeBatch(facts: RunFacts, views: readonly StepView[], kept: readonly StepView[]): Step {
  const { batch: _closed, ...rest } = facts.holder
  const done = (facts.holder.done ?? 0) + views.length - kept.length
  const failures = kept.flatMap(({ entry }) =>
    entry.failed === undefined ? [] : { name: entry.name, ...entry.failed },
  )
  const over = { done, lastBatchAt: formatTimestamp(facts.now), batches: (facts.holder.batches ?? 0) + 1 }
  const [first] = failures.filter(({ reason }) => reason !== NodeReason.BatchFailed)
  if (first !== undefined) {
    const message = failures.map((failure) => `${failure.name}: ${failure.message}`).join('; ')
    const restored = failures.some(({ reason }) => reason === NodeReason.Restored)
    const reason = restored ? NodeReason.Restored : first.reason
    const outcome = { phase: 'Failed' as const, reason, message: message.slice(0, 4000) }
    return write(facts, views, { ...facts.holder, done, outcome })
  }
  const skipped = [
    ...(facts.holder.skipped ?? []),
    ...kept.map(({ entry }) => ({ name: entry.name, message: (entry.skipped ?? '').slice(0, 250) })),
  ]
  if (skipped.length > MAX_BATCH) {
    const message = `${skipped.length} nodes were skipped, more than ${MAX_BATCH} are not remembered`
    const outcome = { phase: 'Failed' as const, reason: NodeReason.TooManySkipped, message }
    return write(facts, views, { ...rest, ...over, outcome })
  }
  const next = write(facts, views, { ...rest, ...over, ...(skipped.length === 0 ? {} : { skipped }) })
  const message = `batch ${over.batches} is over: ${done} node(s) of the run are done`
  return { ...next, notes: [...(next.notes ?? []), note(NodeReason.BatchDone, message)] }
}

function takeSteps(facts: RunFacts, views: readonly StepView[]): Step {
  const hold = holdOf(facts, views)
  const nodes = gated(facts, hold, views)
  const actions = nodes.flatMap(({ action }) => action ?? [])
  return {
    actions,
    notes: [
      ...hold.map(({ reason, message }) => note(reason, `paused: ${message}`, 'Warning')),
      ...nodes.flatMap(noteOf),
    ],
    reason: hold[0]?.reason ?? NodeReason.BatchClaimed,
    message: hold.length > 0 ? `paused: ${hold.map(({ message }) => message).join('; ')}` : summary(nodes),
    nodes: nodes.map(nodeOf),
    wakeAt: [batchDeadline(facts), facts.now + POLL_MS],
  }
}

function holdOf(facts: RunFacts, views: readonly StepView[]): Problem[] {
  if (!views.some(({ beforeStop }) => beforeStop === true)) return []
  return preflight(
    facts,
    views.flatMap(({ member }) => member ?? []),
  )
}

/** Lets steps through, or says why not. Stops are counted one by one, so that no two of them spend the same place. */
function gated(facts: RunFacts, hold: readonly Problem[], views: readonly StepView[]): StepView[] {
  let stops = 0
  return views.map((view) => {
    const closed = view.beforeStop === true && view.action !== undefined ? whyNot(facts, hold, view, stops) : undefined
    if (closed !== undefined) {
      const { action: _not, ...waiting } = view
      return { ...waiting, waits: closed }
    }
    if (view.action?.kind === 'StopMachine') stops += costOf(view)
    return view
  })
}

/** What is down already costs nothing. */
const costOf = ({ member }: StepView): number => (member !== undefined && isServing(member) ? 1 : 0)

function whyNot(facts: RunFacts, hold: readonly Problem[], view: StepView, stops: number): string | undefined {
  if (hold.length > 0) return `paused: ${hold[0]?.message ?? ''}`
  return view.action?.kind === 'StopMachine' && costOf(view) > 0 ? overBudget(facts, view, stops) : undefined
}

/** All nodes of a batch are of one group. */
function overBudget(facts: RunFacts, { member }: StepView, stops: number): string | undefined {
  const group = member?.group ?? ''
  const budget = budgetOf(facts, group)
  const unavailable = unavailableIn(facts, group).length + stops
  return unavailable < budget
    ? undefined
    : `${unavailable} node(s) of ${group} are unavailable, at most ${budget} may be`
}

const REASONS: Partial<Record<NodeAction['kind'], NodeReason>> = {
  MarkNode: NodeReason.Marking,
  CordonNode: NodeReason.Cordoning,
  DrainNode: NodeReason.Draining,
  StopMachine: NodeReason.Stopping,
  ApplySettings: NodeReason.Changing,
  StartMachine: NodeReason.Starting,
  ReleaseNode: NodeReason.Uncordoning,
}

function noteOf({ entry, member, step, action, waits, change, done }: StepView): Note[] {
  const about = aboutNode(entry.name, member?.node?.uid)
  if (done === true) return [note(NodeReason.NodeDone, `${entry.name} is done`, 'Info', about)]
  if (change?.failed !== undefined)
    return [note(change.failed.reason as NodeReason, `${entry.name}: ${change.failed.message}`, 'Warning', about)]
  if (change?.skipped !== undefined)
    return [note(NodeReason.DrainSkipped, `${entry.name}: ${change.skipped}`, 'Warning', about)]
  if (action === undefined)
    return waits === undefined ? [] : [note(NodeReason.Verifying, `${entry.name}: ${step}: ${waits}`, 'Debug', about)]
  const reason = step === 'Restoring' ? NodeReason.Restoring : REASONS[action.kind]
  return [note(reason ?? NodeReason.Verifying, `${entry.name}: ${step}`, 'Info', about)]
}

function nodeOf({ entry, member, step, waits, change }: StepView): Omit<NonNullable<Step['nodes']>[number], 'since'> {
  const message = change?.failed?.message ?? change?.skipped ?? entry.failed?.message ?? entry.skipped ?? waits
  const shown = change?.failed === undefined ? (change?.skipped === undefined ? step : 'Skipped') : 'Failed'
  return {
    name: entry.name,
    group: member?.group ?? 'unknown',
    step: shown,
    ...(message === undefined ? {} : { message }),
  }
}

function summary(views: readonly StepView[]): string {
  const counts = new Map<string, number>()
  for (const { step } of views) counts.set(step, (counts.get(step) ?? 0) + 1)
  const steps = [...counts].map(([step, number]) => `${number} ${step}`).join(', ')
  return `${views.length} node(s) are worked on: ${steps}`
}

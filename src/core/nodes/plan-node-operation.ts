/**
 * `planNodeOperation`: what one pass over a NodeOperation does. First match:
 * ended -> let go of what it still holds, then of its finalizer · does not hold its cluster -> take it, or be refused ·
 * its end is written -> release · its requester still stores the settings -> wait · a batch is claimed -> one step of each of its
 * nodes · otherwise the next batch.
 */
import { Finalizer } from '../../api/v1alpha1/labels.ts'
import type { OperationHolder, Outcome } from '../../api/v1alpha1/managed-cluster.ts'
import type { NodeOperationStatus } from '../../api/v1alpha1/node-operation.ts'
import type { OperationOutcome } from '../../api/v1alpha1/node-phases.ts'
import { NodeReason } from '../../api/v1alpha1/node-reasons.ts'
import type { Plan } from '../plan.ts'
import { requeueAt } from '../requeue.ts'
import type { NodeAction } from './action.ts'
import { planEnter, settingsRefusal, waitForProvider, wantedNow } from './enter.ts'
import { holderOf, setHolder, setOutcome } from './held-cluster.ts'
import type { NodesObserved } from './model.ts'
import { hasEnded, operationStatus } from './operation-status.ts'
import { planBatch } from './plan-batch.ts'
import { isCancelled, planNext } from './plan-next.ts'
import { planPower } from './plan-power.ts'
import { lastAction, planRelease, releaseActions } from './release.ts'
import { momentOf, nodeTimeoutMs, type RunFacts, runFacts } from './run-facts.ts'
import { note, type Step } from './step.ts'

export type NodeOperationPlan = Plan<NodeAction, NodeOperationStatus>

export function planNodeOperation(observed: NodesObserved, now: number): NodeOperationPlan {
  const holder = holderOf(observed.cluster)
  const mine = holder !== undefined && holder.uid === observed.operation.metadata.uid
  const facts = mine ? runFacts(observed, holder, now) : undefined
  if (hasEnded(observed.operation)) return afterTheEnd(observed, facts)
  const step = facts === undefined ? planEnter(observed, now) : planHeld(facts)
  return {
    actions: step.actions ?? [],
    notes: step.notes ?? [],
    status: operationStatus({ operation: observed.operation, step, now, ...(facts === undefined ? {} : { facts }) }),
    ...requeue(now, step),
  }
}

function requeue(now: number, step: Step): { requeueAfterMs?: number } {
  const after = requeueAt(now, step.wakeAt ?? [])
  return after === undefined ? {} : { requeueAfterMs: after }
}

/** The status is final. The claim is let go, then the finalizer. */
function afterTheEnd({ operation }: NodesObserved, facts: RunFacts | undefined): NodeOperationPlan {
  const status = operation.status ?? {}
  if (facts !== undefined) {
    const outcome = facts.holder.outcome ?? outcomeOf(status)
    const back = releaseActions(facts)
    const actions = back.length > 0 ? back : [lastAction(facts, outcome)]
    return { actions, notes: [note(NodeReason.Released, 'lets go of the cluster')], status }
  }
  const held = (operation.metadata.finalizers ?? []).includes(Finalizer.nodeOperation)
  return { actions: held ? [{ kind: 'RemoveFinalizer' }] : [], notes: [], status }
}

const outcomeOf = ({ phase, message }: NodeOperationStatus): Outcome => ({
  phase: (phase ?? 'Failed') as OperationOutcome,
  reason: NodeReason.Released,
  message: message ?? '',
})

function planHeld(facts: RunFacts): Step {
  const { outcome, type, batch } = facts.holder
  if (outcome !== undefined) return planRelease(facts, outcome)
  if (type !== 'Rollout') return planPower(facts)
  const storing = whileStoring(facts)
  if (storing !== undefined) return storing
  return batch === undefined ? planNext(facts) : planBatch(facts, batch)
}

/** The cluster is held while its requester stores the settings; they are fixed once that is done [C]. */
function whileStoring(facts: RunFacts): Step | undefined {
  const { observed, holder, now } = facts
  if (holder.wanted !== undefined) return undefined
  const giveUp = (phase: Outcome['phase'], message: string, reason: NodeReason = NodeReason.StoringSettings): Step => ({
    actions: [setOutcome(observed.cluster, holder, { phase, reason, message })],
    reason,
    message,
  })
  if (isCancelled(observed)) return giveUp('Cancelled', 'cancelled before the settings were stored')
  const { settingsStored } = observed.operation.spec
  if (settingsStored && observed.problems === 'unknown') return waitForProvider(now)
  if (settingsStored) {
    const refused = settingsRefusal(observed)
    return refused === undefined ? fix(facts, holder) : giveUp('Failed', refused.message, refused.reason)
  }
  const until = momentOf(holder.startedAt, now) + nodeTimeoutMs(facts)
  if (now >= until) return giveUp('Failed', `the settings were not stored within ${facts.spec.nodeTimeout}`)
  const message = 'waits for its requester to store the settings'
  return {
    reason: NodeReason.StoringSettings,
    message,
    notes: [note(NodeReason.StoringSettings, message)],
    wakeAt: [until],
  }
}

function fix({ observed }: RunFacts, holder: OperationHolder): Step {
  const message = 'the settings of the groups are fixed for this run'
  return {
    actions: [setHolder(observed.cluster, { ...holder, wanted: wantedNow(observed) })],
    reason: NodeReason.StoringSettings,
    message,
  }
}

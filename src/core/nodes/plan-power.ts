/**
 * Start and Stop: all machines of the cluster, tier after tier. A start goes etcd, control, workers, each tier once the one
 * before it runs; a stop the other way round. Nothing is drained: everything goes.
 */
import type { Outcome } from '../../api/v1alpha1/managed-cluster.ts'
import { OperationPhase } from '../../api/v1alpha1/node-phases.ts'
import { NodeReason } from '../../api/v1alpha1/node-reasons.ts'
import type { NodeAction } from './action.ts'
import { clusterProblem } from './health.ts'
import { setOutcome } from './held-cluster.ts'
import type { Member } from './model.ts'
import { isCancelled } from './plan-next.ts'
import { named } from './preflight.ts'
import { isRunning, isStopped, momentOf, nodeTimeoutMs, type RunFacts } from './run-facts.ts'
import { note, POLL_MS, type Step } from './step.ts'

const TIERS = ['etcd', 'control', 'worker'] as const

export function planPower(facts: RunFacts): Step {
  const { observed, holder, now } = facts
  if (isCancelled(observed)) return end(facts, 'Cancelled', NodeReason.Cancelled, 'cancelled on the way')
  const open = openTier(facts)
  const message = missing(facts, open)
  if (message === undefined) {
    const what = holder.type === 'Start' ? 'run' : 'are stopped'
    return end(facts, 'Succeeded', NodeReason.Succeeded, `all ${observed.members.length} machines ${what}`)
  }
  const until = momentOf(holder.startedAt, now) + nodeTimeoutMs(facts)
  if (now >= until)
    return end(facts, 'Failed', NodeReason.NodeTimeout, `not done within ${facts.spec.nodeTimeout}: ${message}`)
  return goOn(facts, open, message, until)
}

function goOn(facts: RunFacts, open: readonly Member[], message: string, until: number): Step {
  const { observed, holder, now } = facts
  const wakeAt = [now + POLL_MS, until]
  const freezes = [facts.spec.policy.freeze, ...observed.freezes].flatMap((freeze) => freeze?.reason ?? [])
  if (freezes.length > 0)
    return { phase: OperationPhase.Frozen, reason: NodeReason.Frozen, message: `frozen: ${freezes.join('; ')}`, wakeAt }
  const reason = holder.type === 'Start' ? NodeReason.Starting : NodeReason.Stopping
  return { actions: actionsOf(facts, open), reason, message, notes: [note(reason, message)], wakeAt }
}

/** What is not as it should be at the end; undefined when nothing is. */
function missing({ observed, holder }: RunFacts, open: readonly Member[]): string | undefined {
  if (!observed.machinesKnown) return 'the machines could not be read'
  if (open.length > 0) return `${open.length} machine(s) to go: ${named(open)}`
  return holder.type === 'Start' ? clusterProblem(observed)?.message : undefined
}

const end = (facts: RunFacts, phase: Outcome['phase'], reason: NodeReason, message: string): Step => ({
  actions: [setOutcome(facts.observed.cluster, facts.holder, { phase, reason, message: message.slice(0, 4000) })],
  reason,
  message,
})

/** The first tier that is not where it should be; empty when all are. */
function openTier({ observed, holder }: RunFacts): Member[] {
  const there = holder.type === 'Start' ? isRunning : isStopped
  const tiers = holder.type === 'Start' ? TIERS : [...TIERS].reverse()
  for (const tier of tiers) {
    const open = observed.members.filter((member) => member.type === tier && !there(member))
    if (open.length > 0) return open
  }
  return []
}

function actionsOf({ observed, holder }: RunFacts, open: readonly Member[]): NodeAction[] {
  if (!observed.machinesKnown) return []
  const kind = holder.type === 'Start' ? ('StartMachine' as const) : ('StopMachine' as const)
  const now = holder.type === 'Start' ? 'Stopped' : 'Running'
  return open.flatMap(({ name, machine }) =>
    machine?.state === now ? [{ kind, node: name, machineId: machine.id }] : [],
  )
}

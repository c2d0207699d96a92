/**
 * Start, Stop and Destroy: all machines of the cluster, tier after tier. A start goes etcd, control, workers, each tier once the
 * one before it runs; a stop and a destroy the other way round. Nothing is drained: everything goes.
 *
 * A destroyed cluster has no machine left: then the ManagedCluster goes too, and only the operation tells of it. Until then the
 * cluster stays Destroying, however the operation ends, and another Destroy goes on.
 */
import type { Outcome } from '../../api/v1alpha1/managed-cluster.ts'
import { OperationPhase } from '../../api/v1alpha1/node-phases.ts'
import { NodeReason } from '../../api/v1alpha1/node-reasons.ts'
import type { NodeAction } from './action.ts'
import { clusterProblem } from './health.ts'
import { setOutcome } from './held-cluster.ts'
import type { MachineState, Member, NodesObserved } from './model.ts'
import { freezesOf, isCancelled } from './plan-next.ts'
import { named, type Problem } from './preflight.ts'
import { hasMachine, isRunning, isStopped, momentOf, nodeTimeoutMs, type RunFacts } from './run-facts.ts'
import { note, POLL_MS, type Step } from './step.ts'

const TIERS = ['etcd', 'control', 'worker'] as const
const LAST_TIER_FIRST = [...TIERS].reverse()

interface Course {
  readonly tiers: readonly Member['type'][]
  /** Its machine is where it should be. */
  readonly isThere: (member: Member) => boolean
  readonly action: 'StartMachine' | 'StopMachine' | 'TerminateMachine'
  /** In this state the action is asked for; in the others it is under way. */
  readonly actsOn: (state: MachineState) => boolean
  readonly reason: NodeReason
  /** What is still not as it should be when every machine is there. */
  readonly left: (observed: NodesObserved) => Problem | undefined
  readonly done: (machines: number) => string
}

const START: Course = {
  tiers: TIERS,
  isThere: isRunning,
  action: 'StartMachine',
  actsOn: (state) => state === 'Stopped',
  reason: NodeReason.Starting,
  left: clusterProblem,
  done: (machines) => `all ${machines} machines run`,
}

const STOP: Course = {
  tiers: LAST_TIER_FIRST,
  isThere: isStopped,
  action: 'StopMachine',
  actsOn: (state) => state === 'Running',
  reason: NodeReason.Stopping,
  left: () => undefined,
  done: (machines) => `all ${machines} machines are stopped`,
}

const DESTROY: Course = {
  tiers: LAST_TIER_FIRST,
  isThere: (member) => !hasMachine(member),
  action: 'TerminateMachine',
  actsOn: (state) => state !== 'Terminating',
  reason: NodeReason.Terminating,
  left: strangers,
  done: () => 'all machines are gone',
}

/** Machines that fit no group are not ours to terminate, and without a ManagedCluster nobody would know of them any more. */
function strangers({ ungroupedMachines = [] }: NodesObserved): Problem | undefined {
  if (ungroupedMachines.length === 0) return undefined
  const names = named(ungroupedMachines.map((name) => ({ name })))
  const message = `${ungroupedMachines.length} machine(s) fit no group and are left: ${names}; give them a group, or remove them`
  return { reason: NodeReason.MachinesLeft, message }
}

const courseOf = ({ type }: RunFacts['holder']): Course =>
  type === 'Start' ? START : type === 'Destroy' ? DESTROY : STOP

export function planPower(facts: RunFacts): Step {
  const { observed, holder, now } = facts
  const course = courseOf(holder)
  if (isCancelled(observed)) return end(facts, 'Cancelled', NodeReason.Cancelled, 'cancelled on the way')
  const open = openTier(facts, course)
  const message = missing(facts, course, open)
  if (message === undefined) return end(facts, 'Succeeded', NodeReason.Succeeded, course.done(observed.members.length))
  const until = momentOf(holder.startedAt, now) + nodeTimeoutMs(facts)
  if (now >= until)
    return end(facts, 'Failed', NodeReason.NodeTimeout, `not done within ${facts.spec.nodeTimeout}: ${message}`)
  return goOn(facts, open, message, until)
}

function goOn(facts: RunFacts, open: readonly Member[], message: string, until: number): Step {
  const { observed, holder, now } = facts
  const wakeAt = [now + POLL_MS, until]
  const freezes = freezesOf(facts).map(({ reason }) => reason)
  if (freezes.length > 0)
    return { phase: OperationPhase.Frozen, reason: NodeReason.Frozen, message: `frozen: ${freezes.join('; ')}`, wakeAt }
  const { reason, action, actsOn } = courseOf(holder)
  const actions = (observed.machinesKnown ? open : []).flatMap(({ name, machine }): NodeAction[] =>
    machine !== undefined && actsOn(machine.state) ? [{ kind: action, node: name, machineId: machine.id }] : [],
  )
  return { actions, reason, message, notes: [note(reason, message)], wakeAt }
}

/** What is not as it should be at the end; undefined when nothing is. */
function missing({ observed }: RunFacts, { left }: Course, open: readonly Member[]): string | undefined {
  if (!observed.machinesKnown) return 'the machines could not be read'
  if (open.length > 0) return `${open.length} machine(s) to go: ${named(open)}`
  return left(observed)?.message
}

const end = (facts: RunFacts, phase: Outcome['phase'], reason: NodeReason, message: string): Step => ({
  actions: [setOutcome(facts.observed.cluster, facts.holder, { phase, reason, message: message.slice(0, 4000) })],
  reason,
  message,
})

/** The first tier that is not where it should be; empty when all are. */
function openTier({ observed }: RunFacts, { tiers, isThere }: Course): Member[] {
  for (const tier of tiers) {
    const open = observed.members.filter((member) => member.type === tier && !isThere(member))
    if (open.length > 0) return open
  }
  return []
}

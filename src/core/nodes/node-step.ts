/**
 * The next step of one node of the batch, from what is observed of it:
 *
 *   given up              -> given back when it never went down or has come back; otherwise left for a person
 *   machine runs, as it was claimed -> mark -> cordon -> drain -> stop
 *   machine stopped       -> change (or put the former settings back) -> start
 *   machine runs again    -> verify: Ready, with a new boot ID, no longer out of date, etcd healthy -> uncordon and unmark
 *
 * A machine of an external etcd has no Node: no mark, cordon, drain or boot ID; verified by machine, settings and endpoint.
 */
import type { BatchNode } from '../../api/v1alpha1/managed-cluster.ts'
import type { NodeStep } from '../../api/v1alpha1/node-operation.ts'
import { NodeReason } from '../../api/v1alpha1/node-reasons.ts'
import type { NodeAction } from './action.ts'
import { isLeftover } from './left-out.ts'
import type { MachineFacts, Member, NodeFacts } from './model.ts'
import { changesOf, hasSettings } from './out-of-date.ts'
import { etcdHealthy, holdsEtcd } from './quorum.ts'
import { batchDeadline, differs, hasNode, isStopped, momentOf, type RunFacts, wantedOf } from './run-facts.ts'

export interface StepView {
  readonly entry: BatchNode
  readonly member: Member | undefined
  readonly step: NodeStep
  readonly action?: NodeAction
  /** Why there is no action. */
  readonly waits?: string
  /** What has to be remembered of it before anything else is done. */
  readonly change?: Pick<BatchNode, 'bootId' | 'failed' | 'skipped' | 'restoring'>
  /** It is through. */
  readonly done?: true
  /** It was given up, and nothing is left to be done for it. */
  readonly settled?: true
  /** It has not been taken down yet: the rest of the cluster has to be well for the next step. */
  readonly beforeStop?: true
}

type Found = Omit<StepView, 'entry' | 'member'>

export function stepOf(facts: RunFacts, entry: BatchNode): StepView {
  const member = facts.byName.get(entry.name)
  return { entry, member, ...find(facts, entry, member) }
}

function find(facts: RunFacts, entry: BatchNode, member: Member | undefined): Found {
  if (entry.failed !== undefined || entry.skipped !== undefined) return givenUp(facts, entry, member)
  const machine = member?.machine
  if (member === undefined || machine === undefined)
    return { step: 'Verifying', waits: 'its machine is not shown by the provider' }
  switch (machine.state) {
    case 'Stopped':
      return whileStopped(facts, entry, { member, machine })
    case 'Running':
      return hasRestarted(entry, member) ? verify(facts, entry, member) : asClaimed(facts, entry, { member, machine })
    case 'Stopping':
      return { step: 'Stopping', waits: 'its machine is stopping' }
    case 'Starting':
      return { step: entry.restoring ? 'Restoring' : 'Starting', waits: 'its machine is starting' }
    default:
      return { step: 'Verifying', waits: `its machine is ${machine.state}` }
  }
}

interface OnMachine {
  readonly member: Member
  readonly machine: MachineFacts
}

/** Only a new boot ID proves it; a Ready that was left over from before the stop does not. */
export function hasRestarted(entry: BatchNode, { type, node }: Member): boolean {
  return type !== 'etcd' && node !== undefined && node.bootId !== entry.bootId
}

/** Its machine runs and is what it was: nothing that takes a stop has happened to it. */
export const neverWentDown = (facts: RunFacts, entry: BatchNode, member: Member): boolean =>
  member.machine?.state === 'Running' &&
  !hasRestarted(entry, member) &&
  entry.restoring !== true &&
  differs(facts, member)

function asClaimed(facts: RunFacts, entry: BatchNode, { member, machine }: OnMachine): Found {
  if (!hasNode(member)) return etcdMachine(facts, entry, { member, machine })
  // It was changed and started, and its kubelet has not reported since.
  if (!neverWentDown(facts, entry, member))
    return { step: entry.restoring ? 'Restoring' : 'Verifying', waits: 'it has not reported a new boot ID yet' }
  const secured = secure(entry, member.node)
  if (secured !== undefined) return { ...secured, beforeStop: true }
  return drained(facts, { member, machine })
}

function etcdMachine(facts: RunFacts, entry: BatchNode, on: OnMachine): Found {
  if (entry.restoring !== true && differs(facts, on.member)) return stop(on)
  return verify(facts, entry, on.member)
}

const stop = ({ member, machine }: OnMachine): Found => ({
  step: 'Stopping',
  beforeStop: true,
  action: { kind: 'StopMachine', node: member.name, machineId: machine.id },
})

const target = ({ name, uid, resourceVersion }: NodeFacts) => ({ node: name, uid, resourceVersion })

/** Mark, then cordon: a cordon of ours is never without our mark. A node that somebody else cordoned gets no mark [C]. */
function secure(entry: BatchNode, node: NodeFacts | undefined): Found | undefined {
  if (node === undefined) return undefined
  if (node.cordon === 'foreign') {
    if (node.mark === undefined) return undefined
    return { step: 'Marking', action: { kind: 'ReleaseNode', ...target(node), uncordon: false } }
  }
  const bootId = entry.bootId ?? node.bootId
  if (node.mark !== bootId) return { step: 'Marking', action: { kind: 'MarkNode', ...target(node), bootId } }
  if (node.cordon === 'none') return { step: 'Cordoning', action: { kind: 'CordonNode', ...target(node) } }
  return undefined
}

function drained(facts: RunFacts, on: OnMachine): Found {
  const { drain, name, node } = on.member
  // It never registered: there is nothing to move.
  if (node === undefined) return stop(on)
  switch (drain?.outcome) {
    case 'Drained':
      return stop(on)
    case 'Failed':
      return give('Failed', { failed: { reason: NodeReason.DrainFailed, message: short(`drain: ${drain.message}`) } })
    case 'Skipped':
      return give('Skipped', { skipped: short(`drain: ${drain.message}`) })
    default:
      return {
        step: 'Draining',
        beforeStop: true,
        action: {
          kind: 'DrainNode',
          node: name,
          startedAt: momentOf(facts.batch?.startedAt, facts.now),
          deadline: batchDeadline(facts),
        },
        ...(drain === undefined ? {} : { waits: drain.message }),
      }
  }
}

const give = (step: NodeStep, change: NonNullable<StepView['change']>): Found => ({ step, change })

const MAX_MESSAGE = 500

export const short = (message: string): string =>
  message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}...` : message

/** Codes with which another try cannot help. */
const NO_ROOM = 'InsufficientCapacity'
const REFUSED = 'Refused'

function whileStopped(facts: RunFacts, entry: BatchNode, on: OnMachine): Found {
  const { node } = on.member
  if (facts.observed.nodesKnown && node !== undefined) {
    // It came back and went down again: what its Node shows now is old as well.
    if (hasRestarted(entry, on.member)) return give('Starting', { bootId: node.bootId })
    // Nothing may be put on it before it is known to be well.
    const secured = secure(entry, node)
    if (secured !== undefined) return secured
  }
  return entry.restoring ? putBack(entry, on) : changeAndStart(facts, entry, on)
}

function changeAndStart(facts: RunFacts, entry: BatchNode, { member, machine }: OnMachine): Found {
  const of = { node: member.name, machineId: machine.id }
  const changes = changesOf(machine, wantedOf(facts, member))
  const failure = machine.failure?.code
  if (failure === NO_ROOM || failure === REFUSED) return fallBack(entry, machine)
  if (Object.keys(changes).length > 0)
    return { step: 'Changing', action: { kind: 'ApplySettings', ...of, settings: changes } }
  return { step: 'Starting', action: { kind: 'StartMachine', ...of } }
}

/** The settings it had before are put back, once [ours]. */
function fallBack({ before }: BatchNode, machine: MachineFacts): Found {
  const refused = machine.failure?.code === REFUSED
  if (before !== undefined && (refused || !hasSettings(machine, before))) return give('Restoring', { restoring: true })
  return startFailed(machine)
}

const startFailed = ({ failure }: MachineFacts): Found =>
  give('Failed', {
    failed: { reason: NodeReason.StartFailed, message: short(`start: ${failure?.message ?? 'failed'}`) },
  })

function putBack({ before = {} }: BatchNode, { member, machine }: OnMachine): Found {
  const of = { node: member.name, machineId: machine.id }
  if (!hasSettings(machine, before))
    return { step: 'Restoring', action: { kind: 'ApplySettings', ...of, settings: before } }
  if (machine.failure?.code === NO_ROOM) return startFailed(machine)
  return { step: 'Restoring', action: { kind: 'StartMachine', ...of } }
}

function verify(facts: RunFacts, entry: BatchNode, member: Member): Found {
  const { node } = member
  if (hasNode(member) && node?.ready !== true) return { step: 'Verifying', waits: 'it is not Ready yet' }
  // Two members that an earlier run left stopped are brought back one after the other.
  const comesNext = (other: Member): boolean => isStopped(other) && isLeftover(facts, other)
  if (holdsEtcd(facts, member) && !etcdHealthy(facts, comesNext))
    return { step: 'Verifying', waits: 'etcd is not healthy yet' }
  if (entry.restoring) {
    const message = 'no room for it with the wanted settings: it runs with the former ones'
    return give('Failed', { failed: { reason: NodeReason.Restored, message } })
  }
  if (differs(facts, member)) {
    const message = 'it was restarted and still differs from the wanted settings'
    return give('Failed', { failed: { reason: NodeReason.SettingsNotTaken, message } })
  }
  return giveBack(node) ?? { step: 'Uncordoning', done: true }
}

/** Uncordon what we cordoned, and unmark. */
function giveBack(node: NodeFacts | undefined): Found | undefined {
  if (node === undefined || !isHeld(node)) return undefined
  const uncordon = node.cordon === 'ours'
  return { step: 'Uncordoning', action: { kind: 'ReleaseNode', ...target(node), uncordon } }
}

export const isHeld = (node: NodeFacts): boolean => node.mark !== undefined || node.cordon === 'ours'

/** A node whose drain failed never went down: the cordon and the mark are taken off again, if they are ours [C]. */
function givenUp(facts: RunFacts, entry: BatchNode, member: Member | undefined): Found {
  const step = entry.failed === undefined ? 'Skipped' : 'Failed'
  if (!facts.observed.nodesKnown) return { step, waits: 'the nodes could not be read' }
  if (member?.node === undefined) return { step, settled: true }
  const isBack = hasRestarted(entry, member) && member.node.ready
  if (!isBack && !neverWentDown(facts, entry, member)) return { step, settled: true }
  return { ...(giveBack(member.node) ?? { settled: true }), step }
}

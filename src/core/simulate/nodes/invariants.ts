/** N1 to N8 of the design, and the order of the steps, checked against what is true when an action takes effect. */
import type { ManagedClusterStatus } from '../../../api/v1alpha1/managed-cluster.ts'
import { resolveAmount } from '../../nodes/budget.ts'
import type { Settings } from '../../nodes/model.ts'
import { quorumOf } from '../../nodes/quorum.ts'
import {
  answers,
  blame,
  etcdAnswers,
  etcdMembers,
  holdsEtcd,
  memberNamed,
  type NodesWorld,
  type SimMember,
  serves,
} from './world.ts'

/** N1: what does not serve, whatever the cause, stays within the budget. N2: the other etcd members keep the quorum. */
export function checkStop<W extends NodesWorld>(world: W, member: SimMember): W {
  const holder = world.cluster.status?.operation
  if (holder?.type !== 'Rollout') return world
  const down = world.members.filter(
    (other) => other.group === member.group && other.name !== member.name && isMissed(other),
  )
  const limit = budgetIn(world, member)
  const taken = down.length + 1
  const within = taken <= limit || !serves(member)
  let next = blame(
    world,
    within,
    `N1: stopping ${member.name} makes ${taken} of ${member.group} unavailable, ${limit} may be`,
  )
  if (holdsEtcd(world, member)) {
    const holders = etcdMembers(world)
    const left = holders.filter((other) => other.name !== member.name && etcdAnswers(other)).length
    const known = world.members.every((other) => !holdsEtcd(world, other) || other.machine.member === undefined)
    next = blame(next, known, `C16: stopping ${member.name} while the members of etcd are not the machines there are`)
    next = blame(next, left >= quorumOf(holders.length), `N2: stopping ${member.name} leaves ${left} etcd members`)
  }
  if (member.type === 'control' || member.type === 'etcd') {
    const served = world.members.some(
      (other) => other.type === 'control' && other.name !== member.name && answers(other),
    )
    next = blame(next, served, `C16: stopping ${member.name} leaves no control node that serves`)
  }
  return checkPrepared(next, member)
}

/** What is away in truth, of the nodes that the run itself took down; of the others, what anybody can see. */
const isMissed = (member: SimMember): boolean =>
  member.claimedAt === undefined ? !answers(member) || member.node?.ready === false : !serves(member)

function budgetIn(world: NodesWorld, { type, group: name }: SimMember): number {
  if (type !== 'worker') return 1
  const group = world.cluster.spec.nodeGroups.find((candidate) => candidate.name === name)
  const workers = world.members.filter((member) => member.type === 'worker').length
  const holder = world.cluster.status?.operation
  const operation = world.operations.find(({ metadata }) => metadata.uid === holder?.uid)
  if (workers === 1) return operation?.spec.allowLastWorker === true ? 1 : 0
  const size = world.members.filter((member) => member.group === name).length
  const asked = operation?.spec.maxUnavailable ?? group?.maxUnavailable ?? 1
  return Math.min(resolveAmount(asked, size), workers - 1)
}

/** Mark, cordon, drain, then stop. */
function checkPrepared<W extends NodesWorld>(world: W, { name, node }: SimMember): W {
  if (node === undefined) return world
  let next = blame(world, node.cordon !== undefined, `C18: ${name} is stopped without being cordoned`)
  next = blame(next, node.pods === 0, `C20: ${name} is stopped with ${node.pods} pod(s) on it`)
  if (node.cordon === 'foreign')
    return blame(next, node.mark === undefined, `C19: ${name} is cordoned by somebody else, and marked`)
  return blame(next, node.mark === node.boot, `C18: ${name} is stopped without a mark of its present boot`)
}

export function checkCordon<W extends NodesWorld>(world: W, name: string): W {
  const node = memberNamed(world, name)?.node
  return blame(world, node?.mark !== undefined, `C18: ${name} is cordoned without a mark`)
}

export function checkRelease<W extends NodesWorld>(world: W, name: string, uncordon: boolean): W {
  const node = memberNamed(world, name)?.node
  return blame(world, !uncordon || node?.cordon !== 'foreign', `N3: the cordon of somebody else on ${name} is removed`)
}

export function checkApply<W extends NodesWorld>(world: W, { name, machine }: SimMember, settings: Settings): W {
  const has = machine.settings.rootDiskSizeGB ?? 0
  const asked = settings.rootDiskSizeGB ?? has
  let next = blame(world, asked >= has, `C21: the disk of ${name} would shrink from ${has} to ${asked} GB`)
  next = blame(next, settings.image === undefined, `C6: the image of ${name} is changed by a restart`)
  return next
}

/** What a write of the cluster's status may not do. */
export function checkCluster<W extends NodesWorld>(world: W, status: ManagedClusterStatus): W {
  const before = world.cluster.status
  const [old, next] = [before?.operation, status.operation]
  let checked = blame(
    world,
    old === undefined || next === undefined || old.uid === next.uid,
    `N8: ${next?.name} takes the cluster from ${old?.name}`,
  )
  if (old !== undefined && next === undefined) checked = checkEnd(checked, status)
  const claimed = next?.batch !== undefined && old?.batch === undefined
  const frozen = world.cluster.spec.policy.freeze !== undefined || world.freezes.length > 0
  checked = blame(checked, !claimed || !frozen, 'N7: a batch is claimed while frozen')
  const operation = world.operations.find(({ metadata }) => metadata.uid === next?.uid)
  checked = blame(checked, !claimed || operation?.spec.cancel !== true, 'C25: a batch is claimed after the cancel')
  return checkDone(checked, status)
}

/** N6: a node counts as done only when it was restarted, in truth, and has what is wanted. */
function checkDone<W extends NodesWorld>(world: W, status: ManagedClusterStatus): W {
  const old = world.cluster.status?.operation
  if ((status.operation?.done ?? 0) <= (old?.done ?? 0)) return world
  const kept = new Set(status.operation?.batch?.nodes.map(({ name }) => name))
  const through = (old?.batch?.nodes ?? []).filter(
    ({ name, failed, skipped }) => !kept.has(name) && failed === undefined && skipped === undefined,
  )
  return through.reduce((next, { name }) => {
    const member = memberNamed(next, name)
    const wanted = old?.wanted?.find((group) => group.name === member?.group)?.settings.offering
    return member === undefined ? next : checkThrough(next, member, wanted)
  }, world)
}

function checkThrough<W extends NodesWorld>(world: W, member: SimMember, wanted: string | undefined): W {
  const { name, machine, node, claimedAt = 0 } = member
  let next = blame(world, machine.boot > claimedAt, `N6: ${name} counts as done and was never restarted`)
  const back = answers(member) && (node === undefined || node.boot > claimedAt)
  next = blame(next, back, `N6: ${name} counts as done and has not reported since`)
  const has = machine.settings.offering
  return blame(next, wanted === undefined || wanted === has, `C22: ${name} counts as done and has ${has}`)
}

/** N4: nothing of ours is left where it could be given back, and what is left is named. */
function checkEnd<W extends NodesWorld>(world: W, status: ManagedClusterStatus): W {
  const error = status.lastError ?? ''
  const held = world.members.filter(({ node }) => node?.cordon === 'ours' || node?.mark !== undefined)
  // The scanner lets go of the claim of an operation that is gone, and never touches a node.
  const gone = error.startsWith('OperationGone')
  return held.reduce((before, member) => {
    const left = `N4: ${member.name} could have been given back, and is left with our cordon or mark`
    const next = blame(before, gone || !couldBeGivenBack(member), left)
    return blame(next, error.includes(member.name), `N4: ${member.name} is left behind, and lastError does not name it`)
  }, world)
}

function couldBeGivenBack({ node, machine, claimedAt }: SimMember): boolean {
  if (machine.state !== 'Running') return false
  const back = node?.ready === true && node.mark !== node.boot
  return back || (claimedAt !== undefined && machine.boot === claimedAt)
}

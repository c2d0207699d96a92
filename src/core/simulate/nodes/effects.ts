/** What the actions of the planners do to a simulated cluster, and what must hold when they do it (N1 to N8 of the design). */
import { formatTimestamp } from '../../../api/timestamp.ts'
import { Finalizer } from '../../../api/v1alpha1/labels.ts'
import type { ManagedClusterStatus } from '../../../api/v1alpha1/managed-cluster.ts'
import type { NodeOperation, NodeOperationStatus } from '../../../api/v1alpha1/node-operation.ts'
import type { NodeAction } from '../../nodes/action.ts'
import { assertNever } from '../../plan.ts'
import { checkApply, checkCluster, checkCordon, checkRelease, checkStop } from './invariants.ts'
import { blame, changeMachine, changeNode, memberNamed, type NodesWorld } from './world.ts'

/** Who acts: the operation's UID. The scanner holds nothing. */
export interface Actor {
  readonly operation: string
  readonly uid: string
}

export function carryOut<W extends NodesWorld>(world: W, actor: Actor, action: NodeAction): W {
  const held = checkHolder(world, actor, action)
  switch (action.kind) {
    case 'AddFinalizer':
      return changeFinalizer(held, actor, true)
    case 'RemoveFinalizer':
      return changeFinalizer(held, actor, false)
    case 'SetCluster':
      return setCluster(held, action)
    case 'MarkNode':
      return onNode(held, action, (node) => ({ ...node, mark: Number(action.bootId.slice('boot-'.length)) }))
    case 'CordonNode':
      return onNode(checkCordon(held, action.node), action, (node) => ({ ...node, cordon: 'ours', owned: true }))
    case 'ReleaseNode':
      return release(held, action)
    case 'DrainNode':
      return drain(held, action)
    case 'StopMachine':
      return stop(held, action.node)
    case 'ApplySettings':
      return apply(held, actor, action)
    case 'StartMachine':
      return start(held, actor, action.node)
    case 'TerminateMachine':
      return { ...held, members: held.members.filter(({ name }) => name !== action.node) }
    case 'DeleteCluster':
      return deleteCluster(held, action.resourceVersion)
    default:
      return assertNever(action)
  }
}

const ON_NODES: ReadonlySet<NodeAction['kind']> = new Set([
  'MarkNode',
  'CordonNode',
  'DrainNode',
  'StopMachine',
  'ApplySettings',
  'StartMachine',
  'TerminateMachine',
  'ReleaseNode',
])

function checkHolder<W extends NodesWorld>(world: W, { operation, uid }: Actor, { kind }: NodeAction): W {
  if (!ON_NODES.has(kind)) return world
  const holder = world.cluster.status?.operation
  return blame(
    world,
    holder?.uid === uid,
    `N8: ${operation} does ${kind} while ${holder?.name ?? 'nobody'} holds the cluster`,
  )
}

export const changeOperation = <W extends NodesWorld>(
  world: W,
  uid: string,
  change: (operation: NodeOperation) => NodeOperation,
): W => {
  const serial = world.serial + 1
  const operations = world.operations.flatMap((operation) => {
    if (operation.metadata.uid !== uid) return [operation]
    const next = change(operation)
    const { deletionTimestamp, finalizers = [] } = next.metadata
    if (deletionTimestamp !== undefined && finalizers.length === 0) return []
    return [{ ...next, metadata: { ...next.metadata, resourceVersion: String(serial) } }]
  })
  return { ...world, serial, operations }
}

function changeFinalizer<W extends NodesWorld>(world: W, { uid }: Actor, present: boolean): W {
  return changeOperation(world, uid, (operation) => {
    const others = (operation.metadata.finalizers ?? []).filter((name) => name !== Finalizer.nodeOperation)
    const finalizers = present ? [...others, Finalizer.nodeOperation] : others
    return { ...operation, metadata: { ...operation.metadata, finalizers } }
  })
}

/** The status of an operation, fenced by the version it was planned from. */
export function writeOperation<W extends NodesWorld>(
  world: W,
  operation: NodeOperation,
  status: NodeOperationStatus,
): W {
  const { uid, resourceVersion } = operation.metadata
  const present = world.operations.find(({ metadata }) => metadata.uid === uid)
  if (present === undefined || present.metadata.resourceVersion !== resourceVersion) return world
  return changeOperation(world, uid ?? '', (before) => ({ ...before, status }))
}

function setCluster<W extends NodesWorld>(world: W, action: Extract<NodeAction, { kind: 'SetCluster' }>): W {
  if (world.cluster.metadata.resourceVersion !== action.resourceVersion) return world
  const checked = checkCluster(world, action.status)
  return rememberClaims(writeCluster(checked, action.status), world.cluster.status)
}

/** Something else still holds the object: it stays, and is going. */
function deleteCluster<W extends NodesWorld>(world: W, resourceVersion: string): W {
  const { metadata, status } = world.cluster
  if (metadata.resourceVersion !== resourceVersion) return world
  const whole = blame(world, world.members.length === 0, 'Destroy: the cluster is deleted and has machines left')
  const deletionTimestamp = formatTimestamp(world.now)
  const going = { ...whole, cluster: { ...whole.cluster, metadata: { ...metadata, deletionTimestamp } } }
  return writeCluster(going, status ?? {})
}

export function writeCluster<W extends NodesWorld>(world: W, status: ManagedClusterStatus): W {
  const serial = world.serial + 1
  const metadata = { ...world.cluster.metadata, resourceVersion: String(serial) }
  return { ...world, serial, cluster: { ...world.cluster, metadata, status } }
}

/** In truth: how many times a node had booted when it was claimed. */
function rememberClaims<W extends NodesWorld>(world: W, before: ManagedClusterStatus | undefined): W {
  const old = new Set(before?.operation?.batch?.nodes.map(({ name }) => name))
  const claimed = new Set(world.cluster.status?.operation?.batch?.nodes.map(({ name }) => name))
  if (old.size === 0 && claimed.size === 0) return world
  const members = world.members.map((member) => {
    if (!claimed.has(member.name)) {
      const { claimedAt: _over, ...rest } = member
      return rest
    }
    return old.has(member.name) ? member : { ...member, claimedAt: member.machine.boot }
  })
  return { ...world, members }
}

type Node = NonNullable<NodesWorld['members'][number]['node']>

interface Fenced {
  readonly node: string
  readonly uid: string
  readonly resourceVersion: string
}

function onNode<W extends NodesWorld>(
  world: W,
  { node, uid, resourceVersion }: Fenced,
  change: (node: Node) => Node,
): W {
  const present = memberNamed(world, node)?.node
  if (present === undefined || present.uid !== uid || String(present.version) !== resourceVersion) return world
  return changeNode(world, node, change)
}

function release<W extends NodesWorld>(world: W, action: Extract<NodeAction, { kind: 'ReleaseNode' }>): W {
  const checked = checkRelease(world, action.node, action.uncordon)
  return onNode(checked, action, ({ mark: _mark, owned, cordon, ...node }) => ({
    ...node,
    ...(action.uncordon || cordon === undefined ? {} : { cordon, ...(owned === undefined ? {} : { owned }) }),
  }))
}

/** Evicts what may be evicted; past the deadline with Force, everything. */
function drain<W extends NodesWorld>(world: W, { node, startedAt }: Extract<NodeAction, { kind: 'DrainNode' }>): W {
  const present = memberNamed(world, node)?.node
  if (present === undefined || present.pods === 0) return world
  const forced = world.cluster.spec.drain.onTimeout === 'Force' && world.now > startedAt
  if (present.blocked === true && !forced) return world
  return changeNode(world, node, ({ blocked: _gone, ...rest }) => ({ ...rest, pods: 0 }))
}

function stop<W extends NodesWorld>(world: W, name: string): W {
  const member = memberNamed(world, name)
  if (member?.machine.state !== 'Running') return world
  return changeMachine(checkStop(world, member), name, { state: 'Stopping' })
}

const attempt = <W extends NodesWorld>(world: W, name: string, { uid }: Actor): W => ({
  ...world,
  attempted: new Map(world.attempted).set(name, uid),
})

function withoutFailure<W extends NodesWorld>(world: W, name: string): W {
  return {
    ...world,
    members: world.members.map((member) => {
      if (member.name !== name) return member
      const { failure: _tried, ...machine } = member.machine
      return { ...member, machine }
    }),
  }
}

function apply<W extends NodesWorld>(
  world: W,
  actor: Actor,
  { node, settings }: Extract<NodeAction, { kind: 'ApplySettings' }>,
): W {
  const member = memberNamed(world, node)
  if (member?.machine.state !== 'Stopped') return world
  const tried = attempt(withoutFailure(checkApply(world, member, settings), node), node, actor)
  if (settings.offering !== undefined && settings.offering === world.rules.refused)
    return changeMachine(tried, node, { failure: 'Refused' })
  const disk = Math.max(member.machine.settings.rootDiskSizeGB ?? 0, settings.rootDiskSizeGB ?? 0)
  const next = { ...member.machine.settings, ...settings, ...(disk === 0 ? {} : { rootDiskSizeGB: disk }) }
  return changeMachine(tried, node, { settings: next })
}

function start<W extends NodesWorld>(world: W, actor: Actor, name: string): W {
  if (memberNamed(world, name)?.machine.state !== 'Stopped') return world
  return changeMachine(attempt(withoutFailure(world, name), name, actor), name, { state: 'Starting' })
}

/** What the operator sees of a simulated cluster. */
import { parseDuration } from '../../../api/duration.ts'
import { parseTimestamp } from '../../../api/timestamp.ts'
import type { ManagedCluster } from '../../../api/v1alpha1/managed-cluster.ts'
import type { NodeOperation } from '../../../api/v1alpha1/node-operation.ts'
import type {
  Capabilities,
  ClusterFacts,
  DrainFacts,
  EtcdFacts,
  ManagedClusterObserved,
  Member,
  NodeFacts,
  NodesObserved,
} from '../../nodes/model.ts'
import { quorumOf } from '../../nodes/quorum.ts'
import { answers, etcdAnswers, etcdMembers, type NodesWorld, type SimMember } from './world.ts'

/** The objects of the API as the operator's caches show them; each may be older than the others. */
export interface Seen {
  readonly cluster: ManagedCluster
  readonly operations: readonly NodeOperation[]
  /** Of the Nodes; machines are always asked for. */
  readonly nodes: readonly SimMember[]
}

export const live = ({ cluster, operations, members }: NodesWorld): Seen => ({ cluster, operations, nodes: members })

const CAPABILITIES: Capabilities = {
  restart: true,
  replace: true,
  changes: new Set(['offering', 'rootDiskSizeGB', 'affinityGroups'] as const),
}

export function observeOperation(world: NodesWorld, name: string, seen: Seen = live(world)): NodesObserved | undefined {
  const operation = seen.operations.find(({ metadata }) => metadata.name === name)
  if (operation === undefined) return undefined
  return {
    ...clusterFacts(world, seen, operation.metadata.uid ?? ''),
    cluster: seen.cluster,
    operation,
    freezes: world.freezes,
    capabilities: CAPABILITIES,
  }
}

export const observeCluster = (world: NodesWorld, seen: Seen = live(world)): ManagedClusterObserved => ({
  ...clusterFacts(world, seen, ''),
  cluster: seen.cluster,
  operations: seen.operations,
})

function clusterFacts(world: NodesWorld, seen: Seen, uid: string): ClusterFacts {
  const shown = new Map(seen.nodes.map((member) => [member.name, member]))
  const serving = world.members.filter((member) => member.type === 'control' && answers(member))
  return {
    members: world.members.map((member) => memberFacts(world, seen, { member, shown: shown.get(member.name), uid })),
    ungrouped: [],
    nodesKnown: serving.length > 0,
    machinesKnown: true,
    etcd: etcdFacts(world),
    serving: new Set(serving.map(({ name }) => name)),
    health: [],
  }
}

interface Asked {
  readonly member: SimMember
  readonly shown: SimMember | undefined
  readonly uid: string
}

function memberFacts(world: NodesWorld, seen: Seen, { member, shown, uid }: Asked): Member {
  const { name, type, group, machine } = member
  const node = shown?.node
  const drain = drainFacts(world, seen, member)
  const failure = world.attempted.get(name) === uid ? machine.failure : undefined
  return {
    name,
    type,
    group,
    ...(member.zone === undefined ? {} : { zone: member.zone }),
    machine: {
      id: name,
      name,
      type,
      group,
      state: machine.state,
      settings: machine.settings,
      cpu: 2,
      memoryMiB: 4096,
      ...(failure === undefined ? {} : { failure: { code: failure, message: 'no host has room for it' } }),
    },
    ...(node === undefined ? {} : { node: nodeFacts(name, node) }),
    ...(drain === undefined ? {} : { drain }),
  }
}

const bootId = (boot: number): string => `boot-${boot}`

const nodeFacts = (name: string, node: NonNullable<SimMember['node']>): NodeFacts => ({
  name,
  uid: node.uid,
  resourceVersion: String(node.version),
  ready: node.ready,
  bootId: bootId(node.boot),
  cordon: node.cordon === undefined ? 'none' : node.owned === true ? 'ours' : 'foreign',
  ...(node.mark === undefined ? {} : { mark: bootId(node.mark) }),
  ...(node.doNotDisrupt === undefined ? {} : { doNotDisrupt: true }),
})

/** Pods are read afresh: the drain of a node ends when none is left, or when its time is over. */
function drainFacts(world: NodesWorld, { cluster }: Seen, member: SimMember): DrainFacts | undefined {
  const batch = cluster.status?.operation?.batch
  if (member.node === undefined || batch === undefined) return undefined
  if (!batch.nodes.some(({ name }) => name === member.name)) return undefined
  if (member.node.pods === 0) return { outcome: 'Drained', message: 'no pod is left' }
  const { timeout, onTimeout } = cluster.spec.drain
  const deadline = (parseTimestamp(batch.startedAt) ?? 0) + (parseDuration(timeout) ?? 0)
  const message = `${member.node.pods} pod(s) left`
  if (world.now < deadline || onTimeout === 'Force') return { outcome: 'InProgress', message }
  return { outcome: onTimeout === 'Skip' ? 'Skipped' : 'Failed', message: `${message} after ${timeout}` }
}

function etcdFacts(world: NodesWorld): EtcdFacts | undefined {
  const listed = etcdMembers(world)
  const healthy = listed.filter(etcdAnswers).length
  if (healthy === 0) return undefined
  return {
    members: listed.map((member) => ({
      name: member.name,
      ...(member.machine.member === 'zombie' ? {} : { machineId: member.name }),
      healthy: etcdAnswers(member),
      voter: true,
    })),
    ready: healthy >= quorumOf(listed.length),
  }
}

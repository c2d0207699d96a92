/**
 * A standing cluster as a value: machines, Nodes, the ManagedCluster and its operations. Every change makes a new one that shares
 * what did not change, so a world can be explored, replayed and compared. What is true and what is shown are kept apart: a machine
 * has booted so many times, and its Node shows the boot that its kubelet reported last.
 */
import type { ManagedCluster, NodeType } from '../../../api/v1alpha1/managed-cluster.ts'
import type { NodeOperation } from '../../../api/v1alpha1/node-operation.ts'
import type { Freeze, MachineState, Settings } from '../../nodes/model.ts'

export interface SimMachine {
  readonly state: MachineState
  readonly settings: Settings
  /** How many times it has booted. */
  readonly boot: number
  /** Why the last start or change failed. */
  readonly failure?: 'InsufficientCapacity' | 'Refused'
  /** It boots, and nothing on it ever answers. */
  readonly dead?: true
  /** Its etcd does not answer, though the machine runs. */
  readonly sick?: true
  /** `removed`: its etcd is not a member any more. `zombie`: the member of its name belongs to a machine that is gone. */
  readonly member?: 'removed' | 'zombie'
}

export interface SimNode {
  readonly uid: string
  readonly version: number
  /** As the API shows it, which may be old. */
  readonly ready: boolean
  /** The boot that its kubelet reported last. */
  readonly boot: number
  /** Who cordoned it, in truth. */
  readonly cordon?: 'ours' | 'foreign'
  /** Whether the annotation says that the cordon is ours. */
  readonly owned?: true
  /** Boot in the mark. */
  readonly mark?: number
  /** Pods that have to be moved before it may go down. */
  readonly pods: number
  /** A budget does not allow their eviction. */
  readonly blocked?: true
  readonly doNotDisrupt?: true
}

export interface SimMember {
  readonly name: string
  readonly type: NodeType
  readonly group: string
  readonly zone?: string
  readonly machine: SimMachine
  readonly node?: SimNode
  /** Boots at the moment it was claimed, in truth. */
  readonly claimedAt?: number
}

/** What the provider does with a machine that is started. */
export interface SimRules {
  /** Offering for which there is no room. */
  readonly noRoomFor?: string
  /** Offering that is refused when it is asked for. */
  readonly refused?: string
}

export interface NodesWorld {
  readonly now: number
  readonly serial: number
  readonly cluster: ManagedCluster
  readonly operations: readonly NodeOperation[]
  readonly members: readonly SimMember[]
  readonly freezes: readonly Freeze[]
  readonly rules: SimRules
  /** Machines on which this process has acted, and for which operation. Lost in a crash. */
  readonly attempted: ReadonlyMap<string, string>
  /** What went wrong, as `N1: sentence`. */
  readonly violations: readonly string[]
}

export const blame = <W extends NodesWorld>(world: W, holds: boolean, message: string): W =>
  holds ? world : { ...world, violations: [...world.violations, message] }

export const memberNamed = ({ members }: NodesWorld, name: string): SimMember | undefined =>
  members.find((member) => member.name === name)

export const changeMember = <W extends NodesWorld>(
  world: W,
  name: string,
  change: (member: SimMember) => SimMember,
): W => ({ ...world, members: world.members.map((member) => (member.name === name ? change(member) : member)) })

export const changeMachine = <W extends NodesWorld>(world: W, name: string, change: Partial<SimMachine>): W =>
  changeMember(world, name, (member) => ({ ...member, machine: { ...member.machine, ...change } }))

/** A write to the Node: it gets a new version. */
export const changeNode = <W extends NodesWorld>(world: W, name: string, change: (node: SimNode) => SimNode): W =>
  changeMember(world, name, (member) =>
    member.node === undefined
      ? member
      : { ...member, node: { ...change(member.node), version: member.node.version + 1 } },
  )

/** Whether etcd runs on it. */
export const holdsEtcd = ({ members }: NodesWorld, { type }: SimMember): boolean =>
  type === (members.some((member) => member.type === 'etcd') ? 'etcd' : 'control')

export const answers = ({ machine }: SimMember): boolean => machine.state === 'Running' && machine.dead !== true

/** Whether its etcd serves as a member. */
export const etcdAnswers = (member: SimMember): boolean =>
  answers(member) && member.machine.sick !== true && member.machine.member === undefined

/** The members that etcd lists. */
export const etcdMembers = (world: NodesWorld): SimMember[] =>
  world.members.filter((member) => holdsEtcd(world, member) && member.machine.member !== 'removed')

/** In truth: it runs, and its Node, if it has one, is Ready with the present boot. */
export const serves = (member: SimMember): boolean =>
  answers(member) && (member.node === undefined || (member.node.ready && member.node.boot === member.machine.boot))

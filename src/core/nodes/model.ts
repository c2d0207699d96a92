/**
 * Everything that the planners of nodes may know: one readonly value, gathered before. What could not be read is `undefined`,
 * and no data is never taken for good news.
 *
 * What survives a crash: `status.operation` of the ManagedCluster (the claim, the batch, boot IDs, former settings; written
 * by compare-and-set before each effect) and two annotations on each Node (the mark with its boot ID; whose cordon it is).
 */
import type { ManagedCluster, NodeType } from '../../api/v1alpha1/managed-cluster.ts'
import type { NodeOperation } from '../../api/v1alpha1/node-operation.ts'

/** What a machine has. A field that is absent is not known. Fits `MachineSettings` of the provider interface. */
export interface Settings {
  readonly offering?: string
  readonly rootDiskSizeGB?: number
  /** Without dedication groups, in any order. */
  readonly affinityGroups?: readonly string[]
  readonly image?: string
}

export type MachineState =
  | 'Creating'
  | 'Running'
  | 'Stopping'
  | 'Stopped'
  | 'Starting'
  | 'Terminating'
  /** The provider gave up on it. */
  | 'Error'

/** A machine as its provider shows it now. Fits `Machine` of the provider interface. */
export interface MachineFacts {
  readonly id: string
  readonly name: string
  readonly type: NodeType
  readonly group?: string
  readonly nodeName?: string
  readonly zone?: string
  readonly state: MachineState
  readonly settings: Settings
  /** Groups that dedicate hosts to an account: kept on every change, never compared. */
  readonly dedicationGroups?: readonly string[]
  readonly cpu?: number
  readonly memoryMiB?: number
  /**
   * Why the last thing that was asked of it failed. Only when this process asked since the batch was claimed: what an earlier
   * run, or an operator before a restart, failed at is worth another try.
   */
  readonly failure?: { readonly code: string; readonly message: string }
}

/** A cordon is ours when the node says so in the annotation that is written together with it. */
export type Cordon = 'none' | 'ours' | 'foreign'

export interface NodeFacts {
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly labels?: Readonly<Record<string, string>>
  readonly ready: boolean
  readonly bootId: string
  readonly cordon: Cordon
  /** Boot ID in the mark of a run; absent: no mark. */
  readonly mark?: string
  /** It asks not to be disrupted: it is left out and reported. */
  readonly doNotDisrupt?: boolean
  /** The operator runs on it: it goes last. */
  readonly holdsOperator?: boolean
}

/** How the drain of a node stands, as `core/drain` plans it. */
export interface DrainFacts {
  readonly outcome: 'InProgress' | 'Drained' | 'Skipped' | 'Failed'
  readonly message: string
  readonly requeueAfterMs?: number
}

/** A machine with its Node, in its group. */
export interface Member {
  /** Name of the Node; of the machine, for one without a Node. Never changes. */
  readonly name: string
  readonly group: string
  readonly type: NodeType
  readonly zone?: string
  /** Absent: the provider does not show it. */
  readonly machine?: MachineFacts
  /** Absent: it has none (external etcd), or has not registered. */
  readonly node?: NodeFacts
  /** Only for nodes that are to be drained now; absent: not known yet. */
  readonly drain?: DrainFacts
}

export interface EtcdMemberFacts {
  readonly name: string
  readonly machineId?: string
  readonly healthy: boolean
  readonly voter: boolean
}

export interface EtcdFacts {
  readonly members: readonly EtcdMemberFacts[]
  /** What `/readyz/etcd` says. */
  readonly ready: boolean
}

export interface HealthFacts {
  readonly name: string
  /** Passes in a row up to now; 0 when it failed last, or has no data. */
  readonly passes: number
  readonly message: string
}

export interface Freeze {
  readonly name: string
  readonly reason: string
}

export interface Capabilities {
  readonly restart: boolean
  readonly replace: boolean
  readonly changes: ReadonlySet<keyof Settings>
  /** How long a stop, a change and a start usually take, the boot included. Milliseconds; absent: not known. */
  readonly restartMs?: number
}

/** What a provider says is wrong with settings. Fits `SettingsProblem` of the provider interface. */
export interface ProviderProblem {
  readonly field: keyof Settings
  readonly message: string
  /** Only wrong for machines that exist, and fine for new ones. */
  readonly onlyForExisting: boolean
}

/** By name of the group whose settings they are. */
export type ProviderProblems = ReadonlyMap<string, readonly ProviderProblem[]>

/** The cluster as it is, without what anybody wants of it. */
export interface ClusterFacts {
  readonly members: readonly Member[]
  /** Names of nodes and machines that fit no group. */
  readonly ungrouped: readonly string[]
  /** Those of them that are machines. Absent: none. */
  readonly ungroupedMachines?: readonly string[]
  /** False: its API did not answer, so `node` of the members is worth nothing. */
  readonly nodesKnown: boolean
  /** False: the provider did not answer, so `machine` of the members is worth nothing. */
  readonly machinesKnown: boolean
  /** Undefined: nothing can be said, which counts as unhealthy. */
  readonly etcd: EtcdFacts | undefined
  /** Names of the control members whose API server answers. */
  readonly serving: ReadonlySet<string>
  readonly health: readonly HealthFacts[]
}

export interface NodesObserved extends ClusterFacts {
  readonly cluster: ManagedCluster
  readonly operation: NodeOperation
  readonly freezes: readonly Freeze[]
  readonly capabilities: Capabilities
  /**
   * What is wrong with the stored settings, as the provider says. Asked before the run is bound to them; absent afterwards.
   * `unknown`: it could not be asked.
   */
  readonly problems?: ProviderProblems | 'unknown'
}

export interface ManagedClusterObserved extends ClusterFacts {
  readonly cluster: ManagedCluster
  /** All operations of the cluster, ended ones included. */
  readonly operations: readonly NodeOperation[]
}

/** A small standing cluster, what may happen in it, and how often. */
import type { ManagedClusterSpec } from '../../../src/api/v1alpha1/managed-cluster.ts'
import type { NodeOperationSpec } from '../../../src/api/v1alpha1/node-operation.ts'
import type { ClusterState } from '../../../src/api/v1alpha1/node-phases.ts'
import type { SimRules } from '../../../src/core/simulate/nodes/world.ts'

export type NodeKindName = 'cluster' | 'operations' | 'nodes'

export interface NodeBudget {
  /** The operator dies before or after a write. */
  readonly crashes: number
  /** A write is applied, and its answer is lost. */
  readonly lostAnswers: number
  /** A pass stands still between two writes while another operator goes on. */
  readonly pauses: number
  /** A watch lags. */
  readonly lags: number
  /** A start finds no room. */
  readonly noRoom: number
  /** A machine boots and never answers. */
  readonly deaths: number
  /** A node is NotReady for a while. */
  readonly flaps: number
  /** etcd of one machine does not answer for a while. */
  readonly sickness: number
  /** Somebody stops, or starts, a machine. */
  readonly machinesByHand: number
  readonly cordons: number
  readonly uncordons: number
  readonly cancels: number
  readonly deletes: number
  /** An operation is deleted, and its finalizer taken off by hand. */
  readonly strips: number
  readonly freezes: number
  readonly edits: number
  /** Before anything begins, etcd of so many machines is slow, down, no member any more, or a stranger. */
  readonly spoils: number
  /** Further operations. */
  readonly operations: number
  /** Time passes while something is still under way. */
  readonly slow: number
}

export interface NodesConfig {
  readonly name: string
  readonly control?: number
  readonly etcd?: number
  readonly workers?: number
  readonly spec?: Partial<ManagedClusterSpec>
  /** State of the cluster at first. Default: Running. */
  readonly state?: ClusterState
  readonly maxUnavailable?: number | string
  readonly operation?: Partial<NodeOperationSpec>
  readonly rules?: SimRules
  /** Members that are up to date already. */
  readonly upToDate?: readonly string[]
  /** Members whose machine is stopped at first. */
  readonly stopped?: readonly string[]
  /** Nodes that somebody else has cordoned at first. */
  readonly cordoned?: readonly string[]
  /** Nodes with a pod that has to be moved. */
  readonly pods?: readonly string[]
  /** Nodes whose pods may not be evicted at first; `blockedForEver`: never. */
  readonly blocked?: readonly string[]
  readonly blockedForEver?: readonly string[]
  readonly doNotDisrupt?: readonly string[]
  readonly budget?: Partial<NodeBudget>
  /** Whatever may happen here, the run has to succeed. */
  readonly succeeds?: true
  /** What may be done by hand: only to these. Default: all. */
  readonly only?: readonly string[]
}

/**
 * What is asked about a standing cluster without changing it: its nodes, what a rollout would do now, and whether settings would
 * be accepted. HTTP asks; the controllers' side observes and answers.
 */
import type { ManagedCluster, NodeSelector, NodeSettings, NodeType } from '../../api/v1alpha1/managed-cluster.ts'
import type { ClusterState } from '../../api/v1alpha1/node-phases.ts'
import type { FindingKind } from '../drain/preview.ts'
import type { Note } from '../plan.ts'
import type { Cordon, MachineState } from './model.ts'

export interface ClusterInsight {
  /** What a rollout would do now. An unreachable cluster, or one that refuses, is told in `refused`, not thrown. */
  plan(cluster: ManagedCluster, request: RolloutRequest): Promise<RolloutPlan>
  /**
   * What is wrong with settings, all of it, and the groups with them as they would be stored. About the settings alone: neither
   * the state of the cluster nor who holds it counts here. Groups of a cluster from before its groups had settings first get
   * what the cluster and its machines have, so that changing one group does not change another.
   */
  judgeSettings(cluster: ManagedCluster, asked: SettingsCheck): Promise<JudgedSettings>
  /** Every node and machine of the groups, in the order of the groups, then by name. What cannot be read is absent. */
  nodes(cluster: ManagedCluster): Promise<readonly NodeRow[]>
}

/** Settings to store, by name of a group or of a type; a name of a group comes first. What is left out stays as it is. */
export type AskedSettings = Readonly<Record<string, NodeSettings>>

export interface RolloutRequest {
  readonly settings?: AskedSettings
  /** Instead of what the groups say. */
  readonly maxUnavailable?: number | string
  /** Default false. */
  readonly allowLastWorker?: boolean
  readonly selector?: NodeSelector
}

export interface SettingsCheck {
  readonly settings: AskedSettings
  /** Whether the nodes that exist are brought to them as well: then more is refused. */
  readonly rollout: boolean
}

export interface JudgedSettings {
  readonly nodeGroups: ManagedCluster['spec']['nodeGroups']
  /** Why they are not to be stored; empty: they may. */
  readonly refusals: readonly Refusal[]
}

export interface Refusal {
  /** Stable code, one of `NodeReason`. */
  readonly reason: string
  readonly message: string
  readonly group?: string
  /** The provider could not be asked: the same request may be accepted later. */
  readonly temporary?: boolean
}

export interface NodeRow {
  /** Name of the Node; of the machine, for one without a Node. */
  readonly name: string
  readonly group: string
  readonly type: NodeType
  readonly zone?: string
  /** Absent: the provider does not show the machine, or could not be asked. */
  readonly machine?: MachineState
  /** Absent: it has no Node, or the API of the cluster could not be asked. */
  readonly ready?: boolean
  readonly cordon?: Cordon
  /** It carries the mark of a run. */
  readonly marked?: boolean
  /** Why a rollout would restart it; empty when it would not. */
  readonly outOfDate: readonly string[]
}

export interface PlannedFinding {
  readonly kind: FindingKind
  /** A drain would fail on it. */
  readonly blocks: boolean
  /** `namespace/name`. */
  readonly pods: readonly string[]
  readonly budgets: readonly string[]
  readonly message: string
}

export interface PlannedNode {
  readonly name: string
  /** Why it is rolled. */
  readonly reasons: readonly string[]
  /** What an earlier run left behind: stopped, or marked. */
  readonly leftover?: boolean
  /** What its drain would meet. */
  readonly findings: readonly PlannedFinding[]
}

export interface PlannedBatch {
  readonly group: string
  readonly nodes: readonly PlannedNode[]
  /** Sentences: what the run would wait for before this batch. Empty: nothing. */
  readonly waitsFor: readonly string[]
  readonly estimateMs: number
}

export interface PlannedGroup {
  readonly name: string
  readonly type: NodeType
  readonly nodes: number
  readonly outOfDate: number
  /** Why nothing of it is rolled although it differs. */
  readonly skipped?: string
}

/** A node that differs, or is stopped, and is not rolled. */
export interface LeftOutNode {
  readonly node: string
  readonly reason: string
  readonly message: string
}

export interface RolloutPlan {
  readonly cluster: string
  readonly state: ClusterState
  /** Why a rollout would not start now; the batches are those it would have otherwise, as far as they are known. */
  readonly refused?: { readonly reason: string; readonly message: string }
  readonly groups: readonly PlannedGroup[]
  /** In the order in which they would go. */
  readonly batches: readonly PlannedBatch[]
  readonly leftOut: readonly LeftOutNode[]
  /** Nodes in all batches. */
  readonly totalNodes: number
  readonly estimateMs: number
  /** What the estimate comes from, in words. */
  readonly estimateBasis: string
  readonly notes: readonly Note[]
}

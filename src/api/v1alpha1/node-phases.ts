/** The states of a ManagedCluster and the phases of a NodeOperation. */

/** Moved by compare-and-set only: who enters a state of an operation has the cluster to itself. */
export const ClusterState = {
  /** Described, not looked at yet. */
  Created: 'Created',
  Running: 'Running',
  /** Needs attention: a run failed, or the cluster is not healthy. */
  Alert: 'Alert',
  Updating: 'Updating',
  Upgrading: 'Upgrading',
  Scaling: 'Scaling',
  Starting: 'Starting',
  Stopping: 'Stopping',
  Stopped: 'Stopped',
  /** Healthy again after Alert, and being looked at once more. */
  Recovering: 'Recovering',
  /** Could not be started. */
  Error: 'Error',
  Destroying: 'Destroying',
} as const
export type ClusterState = (typeof ClusterState)[keyof typeof ClusterState]

export const CLUSTER_STATES = [
  'Created',
  'Running',
  'Alert',
  'Updating',
  'Upgrading',
  'Scaling',
  'Starting',
  'Stopping',
  'Stopped',
  'Recovering',
  'Error',
  'Destroying',
] as const

export const OPERATION_TYPES = ['Rollout', 'Upgrade', 'Scale', 'Start', 'Stop', 'Destroy'] as const
export type OperationType = (typeof OPERATION_TYPES)[number]

export const OperationPhase = {
  Pending: 'Pending',
  Running: 'Running',
  /** Keeps its claim on the cluster and starts nothing new. */
  Frozen: 'Frozen',
  Succeeded: 'Succeeded',
  Failed: 'Failed',
  Cancelled: 'Cancelled',
  /** Another operation took over. */
  Superseded: 'Superseded',
} as const
export type OperationPhase = (typeof OperationPhase)[keyof typeof OperationPhase]

export const OPERATION_PHASES = [
  'Pending',
  'Running',
  'Frozen',
  'Succeeded',
  'Failed',
  'Cancelled',
  'Superseded',
] as const

/** How an operation can end. */
export const OPERATION_OUTCOMES = ['Succeeded', 'Failed', 'Cancelled', 'Superseded'] as const
export type OperationOutcome = (typeof OPERATION_OUTCOMES)[number]

export const ROTATIONS = ['Freeze', 'Rotate'] as const

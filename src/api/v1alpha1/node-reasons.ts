/** Stable codes of why a run over nodes did something, or did not. Public, like those of `reasons.ts`. */
export const NodeReason = {
  // Taking and giving back the cluster
  /** The operation took the cluster. */
  Entered: 'Entered',
  /** Another operation holds the cluster. */
  ClusterBusy: 'ClusterBusy',
  /** The ManagedCluster that the operation names does not exist. */
  ClusterMissing: 'ClusterMissing',
  /** The state of the cluster has no transition for the operation. */
  StateRefused: 'StateRefused',
  /** The wanted settings break a rule: a disk that would shrink or cannot be resized, a group that dedicates hosts. */
  SettingsRefused: 'SettingsRefused',
  /** The provider, or this operator, cannot do what is asked for. */
  Unsupported: 'Unsupported',
  /** The cluster is held, and its requester still stores the settings. */
  StoringSettings: 'StoringSettings',
  /** Everything the run held is released. */
  Released: 'Released',
  /** The operation that held the cluster is gone. */
  OperationGone: 'OperationGone',
  /** A state without an operation: left to whoever set it, as an operation of an older operator may be running. */
  LeftAlone: 'LeftAlone',

  // What is done next
  /** A batch was claimed. */
  BatchClaimed: 'BatchClaimed',
  /** A node has come through and is in use again. */
  NodeDone: 'NodeDone',
  /** Every node of the batch is done. */
  BatchDone: 'BatchDone',
  /** Nothing is left to do. */
  UpToDate: 'UpToDate',
  /** A node that an earlier run left behind is in use again. */
  LeftoverReleased: 'LeftoverReleased',

  // One node
  /** It gets the mark of the run. */
  Marking: 'Marking',
  /** It is cordoned. */
  Cordoning: 'Cordoning',
  /** What the drain of a node is going to meet, told before the first node is touched. */
  DrainPreview: 'DrainPreview',
  /** Its pods are moved. */
  Draining: 'Draining',
  /** Its machine is stopped. */
  Stopping: 'Stopping',
  /** Its machine gets the wanted settings. */
  Changing: 'Changing',
  /** Its machine is started. */
  Starting: 'Starting',
  /** Its machine is terminated. */
  Terminating: 'Terminating',
  /** It has to come back Ready, with a new boot ID. */
  Verifying: 'Verifying',
  /** It is put back in use. */
  Uncordoning: 'Uncordoning',
  /** The settings it had before are put back. */
  Restoring: 'Restoring',
  /** Somebody else cordoned it: no mark, and it stays cordoned. */
  ForeignCordon: 'ForeignCordon',

  // Why nothing new starts
  /** A freeze object or `policy.freeze` is there. */
  Frozen: 'Frozen',
  /** Something else in the cluster is not well. */
  PreflightFailed: 'PreflightFailed',
  /** As many nodes are unavailable as may be. */
  BudgetSpent: 'BudgetSpent',
  /** The quorum of the other etcd members is not sure. */
  QuorumAtRisk: 'QuorumAtRisk',
  /** A health check does not pass, or has no data. */
  HealthCheckFailing: 'HealthCheckFailing',
  /** `bakeTime` since the last batch is not over. */
  Baking: 'Baking',
  /** The nodes or the machines could not be read. */
  NoData: 'NoData',

  // What is left out
  /** The type has too few nodes to lose one. */
  CannotLoseNode: 'CannotLoseNode',
  /** It is the only worker, and `allowLastWorker` is not set. */
  LastWorker: 'LastWorker',
  /** It says that it must not be disrupted. */
  DoNotDisrupt: 'DoNotDisrupt',
  /** Its drain took too long, and it is to be skipped then. */
  DrainSkipped: 'DrainSkipped',

  // Failures
  /** Its pods could not be moved. */
  DrainFailed: 'DrainFailed',
  /** The batch took longer than `nodeTimeout`. */
  NodeTimeout: 'NodeTimeout',
  /** No room to start it with the wanted settings; it runs with the former ones. */
  Restored: 'Restored',
  /** It could not be started, not even with the former settings. */
  StartFailed: 'StartFailed',
  /** It was restarted and still differs. */
  SettingsNotTaken: 'SettingsNotTaken',
  /** Another node of the batch failed; this one was given back. */
  BatchFailed: 'BatchFailed',
  /** Machines that fit no group are left: they are not terminated. */
  MachinesLeft: 'MachinesLeft',
  /** Too many nodes were skipped to remember them all. */
  TooManySkipped: 'TooManySkipped',

  // Ends
  /** Everything that the run was about is done, or was left out and is named. */
  Succeeded: 'Succeeded',
  /** Somebody cancelled the run, or deleted its NodeOperation. */
  Cancelled: 'Cancelled',

  // The cluster
  /** Every machine runs and every node is Ready. */
  Healthy: 'Healthy',
  /** A machine does not run, a node is not Ready, or etcd is not well. */
  Unhealthy: 'Unhealthy',
  /** An operation works on it. */
  Operating: 'Operating',
  /** Stopped on purpose. */
  Stopped: 'Stopped',
} as const
export type NodeReason = (typeof NodeReason)[keyof typeof NodeReason]

/**
 * Stable codes of why something was done, or was not: `reason` of conditions, Events and notes.
 * Each says in one line what it stands for. They are public: a code is never reused for another meaning.
 */
export const Reason = {
  // Pool: size
  /** A member is created because fewer than wanted are warm. */
  ScalingUp: 'ScalingUp',
  /** A surplus member is removed for lack of demand. */
  ScalingDown: 'ScalingDown',
  /** The pool has as many warm members as wanted. */
  AtTarget: 'AtTarget',
  /** No further member fits under the ceiling. */
  AtCeiling: 'AtCeiling',
  /** As many members are being created as may be at a time. */
  CreatesLimited: 'CreatesLimited',
  /** Own earlier writes are not visible yet; nothing new is started. */
  WaitingForCache: 'WaitingForCache',
  /** Scaled to zero, and nobody waits. */
  Idle: 'Idle',
  /** Members are on their way and none is free yet. */
  Warming: 'Warming',

  // Pool: failures
  /** Members failed to come up, three times or more in a row. */
  Failing: 'Failing',
  /** Creation pauses after a failure. */
  Backoff: 'Backoff',
  /** A member failed to come up and was counted. */
  CreateFailed: 'CreateFailed',
  /** A member did not become Ready in time. */
  CreatingTimeout: 'CreatingTimeout',
  /** A member is replaced because it failed or is unhealthy. */
  UnhealthyMember: 'UnhealthyMember',
  /** The host has no room for another member. */
  CapacityBlocked: 'CapacityBlocked',
  /** Something a readiness gate or a bootstrap needs is not supported by the backend. */
  Unsupported: 'Unsupported',
  /** A BootstrapConfig that the pool names cannot be read right now. */
  BootstrapUnreadable: 'BootstrapUnreadable',

  // Pool: upgrade
  /** Something that shapes members changed; the message names the source. */
  SpecChanged: 'SpecChanged',
  /** An outdated Ready member is replaced. */
  DriftedReady: 'DriftedReady',
  /** An outdated member that was still being created is replaced at once. */
  DriftedCreating: 'DriftedCreating',
  /** An outdated member has to stay, or too few would be Ready. */
  HoldingForFloor: 'HoldingForFloor',
  /** An outdated member has to stay until the surge member is Ready. */
  HoldingForSurge: 'HoldingForSurge',
  /** As many members are being recycled as may be at a time. */
  RecyclingLimited: 'RecyclingLimited',
  /** The upgrade is paused: `maxRecycling` is 0. */
  UpgradePaused: 'UpgradePaused',
  /** Members are being replaced because the template changed. */
  Upgrading: 'Upgrading',
  /** No member is outdated any more. */
  UpgradeComplete: 'UpgradeComplete',
  /** The floor can never be kept with `maxSurge` 0: no outdated member can ever be replaced. */
  FloorNeverSatisfied: 'FloorNeverSatisfied',
  /** A surplus member is removed because the upgrade is over. */
  SurgeSurplus: 'SurgeSurplus',
  /** A member has been in Recycling for longer than creation may take. */
  RecyclingStuck: 'RecyclingStuck',

  // Pool: end
  /** The pool is being deleted; its members go when their leases end. */
  PoolDeleting: 'PoolDeleting',

  // Instance
  /** The backend is making the cluster. */
  Provisioning: 'Provisioning',
  /** The backend has made the cluster. */
  Provisioned: 'Provisioned',
  /** The backend could not make the cluster. */
  ProvisioningFailed: 'ProvisioningFailed',
  /** The host has no room for this member. */
  Unschedulable: 'Unschedulable',
  /** Addons are being installed. */
  InstallingAddons: 'InstallingAddons',
  /** An addon could not be installed. */
  AddonFailed: 'AddonFailed',
  /** A readiness gate does not pass yet. */
  GateNotReady: 'GateNotReady',
  /** A bootstrap runs. */
  Bootstrapping: 'Bootstrapping',
  /** Every bootstrap has run. */
  Bootstrapped: 'Bootstrapped',
  /** A bootstrap failed. */
  BootstrapFailed: 'BootstrapFailed',
  /** A bootstrap still ran when the time for creation was over. */
  BootstrapTimeout: 'BootstrapTimeout',
  /** A container of the cluster was killed for lack of memory. */
  OOMKilled: 'OOMKilled',
  /** A container of the cluster keeps crashing. */
  CrashLooping: 'CrashLooping',
  /** The cluster is warm and free. */
  Ready: 'Ready',
  /** The cluster is bound to a lease. */
  Leased: 'Leased',
  /** A probe failed. */
  HealthCheckFailing: 'HealthCheckFailing',
  /** A probe passed again after failures. */
  HealthCheckRecovered: 'HealthCheckRecovered',
  /** Too many probes failed in a row; the cluster is recycled. */
  HealthCheckFailed: 'HealthCheckFailed',
  /** The cluster is being destroyed. */
  Recycling: 'Recycling',
  /** Something of the cluster is still there. */
  DestroyPending: 'DestroyPending',
  /** The backend could not destroy the cluster; it is tried again. */
  DestroyFailed: 'DestroyFailed',
  /** Nothing of the cluster is left. */
  Destroyed: 'Destroyed',
  /** Deletion waits for the lease to end. */
  WaitingForLease: 'WaitingForLease',
  /** The lease of the instance is gone although it was never ended; the instance is recycled. */
  LeaseVanished: 'LeaseVanished',
  /** The binding on the instance cannot be verified; the instance is never offered again. */
  BindingUnverified: 'BindingUnverified',
  /** The pool of the instance does not exist. */
  PoolNotFound: 'PoolNotFound',
  /** A verified cleanup could not be proven. */
  Quarantined: 'Quarantined',
  /** A person gave up on a quarantined instance. */
  QuarantineReleased: 'QuarantineReleased',

  // Lease
  /** The lease waits for a member. */
  Pending: 'Pending',
  /** The lease is bound to an instance. */
  Bound: 'Bound',
  /** The lease was extended. */
  Extended: 'Extended',
  /** The requester gave the cluster back. */
  Released: 'Released',
  /** The lease was cancelled before it was bound. */
  Cancelled: 'Cancelled',
  /** The life of the lease is over. */
  Expired: 'Expired',
  /** The lease waited in the queue for too long. */
  QueueTimeout: 'QueueTimeout',
  /** No heartbeat arrived for longer than `idleTimeout`. */
  IdleTimeout: 'IdleTimeout',
  /** The diagnostics that were asked for are stored. */
  DiagnosticsStored: 'DiagnosticsStored',
  /** The diagnostics that were asked for could not be made. */
  DiagnosticsFailed: 'DiagnosticsFailed',
  /** The member of an ended lease is left as it is until its diagnostics are made. */
  WaitingForDiagnostics: 'WaitingForDiagnostics',
  /** The backend of the pool cannot prove a cleanup, as the lease asks for. */
  CleanupModeUnsupported: 'CleanupModeUnsupported',
  /** Another write won; the next candidate is tried. */
  BindLost: 'BindLost',
  /** The instance of the lease is gone. */
  InstanceVanished: 'InstanceVanished',
  /** The lease stays until somebody acknowledges its teardown receipt. */
  ReceiptUnacknowledged: 'ReceiptUnacknowledged',

  // Lease: why it waits
  /** Every member is leased and the pool is at its ceiling. */
  AllLeased: 'AllLeased',
  /** The requester has as many leases as it may have. */
  QuotaReached: 'QuotaReached',
  /** The host has no room for another member. */
  HostFull: 'HostFull',
  /** Members are held back to keep the floor of an upgrade. */
  UpgradeFloor: 'UpgradeFloor',
  /** The pool creates nothing: it is being deleted or paused. */
  Paused: 'Paused',
  /** Only outdated members are free, and the lease refuses them. */
  OnlyStale: 'OnlyStale',
  /** The pool cannot create members and has none to give. */
  PoolExhausted: 'PoolExhausted',
  /** The pool serves fewer members than wanted. */
  Degraded: 'Degraded',

  // Any kind
  /** Computed for the first time; nothing is known yet. */
  NotObserved: 'NotObserved',
  /** The spec cannot be used as it is. */
  InvalidSpec: 'InvalidSpec',
} as const

export type Reason = (typeof Reason)[keyof typeof Reason]

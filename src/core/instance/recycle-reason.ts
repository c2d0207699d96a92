/** The `reason` label of `kobe_instance_recycles_total`, from the cause that stands in the Ready condition. */
import { Reason } from '../../api/v1alpha1/reasons.ts'

export type RecycleReason =
  | 'spec_drift'
  | 'lease_released'
  | 'lease_expired'
  | 'unhealthy'
  | 'stuck_creating'
  | 'scale_down'
  | 'pool_deleted'

const BY_CAUSE: ReadonlyMap<string, RecycleReason> = new Map<Reason, RecycleReason>([
  [Reason.DriftedReady, 'spec_drift'],
  [Reason.DriftedCreating, 'spec_drift'],
  [Reason.Released, 'lease_released'],
  [Reason.LeaseVanished, 'lease_released'],
  [Reason.BindingUnverified, 'lease_released'],
  [Reason.Expired, 'lease_expired'],
  [Reason.UnhealthyMember, 'unhealthy'],
  [Reason.HealthCheckFailed, 'unhealthy'],
  [Reason.CreatingTimeout, 'stuck_creating'],
  [Reason.BootstrapTimeout, 'stuck_creating'],
  [Reason.ScalingDown, 'scale_down'],
  [Reason.SurgeSurplus, 'scale_down'],
  [Reason.PoolDeleting, 'pool_deleted'],
  [Reason.PoolNotFound, 'pool_deleted'],
])

/** Undefined for a member that somebody deleted by hand: that is no recycle of ours. */
export const recycleReasonOf = (cause: string): RecycleReason | undefined => BY_CAUSE.get(cause)

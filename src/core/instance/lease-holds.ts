/** Whether a lease still has a right to the instance that names it. */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { LeasePhase } from '../../api/v1alpha1/phases.ts'
import { Reason } from '../../api/v1alpha1/reasons.ts'
import type { Cause } from './instance-status.ts'

/** Pending counts: the binding is half done and will be finished. */
export const leaseHolds = (instance: ClusterInstance, lease: ClusterLease): boolean =>
  endOfUse(instance, lease) === undefined

/** Why the lease has no right to the instance any more; undefined while it has. */
export function endOfUse(instance: ClusterInstance, lease: ClusterLease): Cause | undefined {
  const name = lease.metadata.name ?? ''
  const phase = lease.status?.phase ?? LeasePhase.Pending
  if (lease.metadata.uid !== instance.status?.leaseRef?.uid) {
    return { reason: Reason.LeaseVanished, message: `lease ${name} was replaced by another of the same name` }
  }
  if (phase === LeasePhase.Expired) return { reason: Reason.Expired, message: `lease ${name} has expired` }
  if (phase !== LeasePhase.Bound && phase !== LeasePhase.Pending) {
    return { reason: Reason.Released, message: `lease ${name} is ${phase}` }
  }
  if (lease.metadata.deletionTimestamp !== undefined) {
    return { reason: Reason.Released, message: `lease ${name} is being deleted` }
  }
  if (lease.status?.binding?.bindingId !== instance.status?.binding?.bindingId) {
    return { reason: Reason.BindingUnverified, message: `lease ${name} is bound to another instance` }
  }
  return undefined
}

/** Which changes matter to leases that wait. */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import { ConditionType, findCondition } from '../../api/v1alpha1/conditions.ts'
import { isFree } from '../../core/lease/candidates.ts'
import { isQueued } from '../../core/lease/queue.ts'
import type { Change } from '../../kube/informer.ts'

export const isPending = ({ status }: ClusterLease): boolean => (status?.phase ?? 'Pending') === 'Pending'

/** Whether the reason why leases wait may be another one now; the counts of a pool change all the time. */
export function poolMatters(now: ClusterPool, before: ClusterPool | undefined): boolean {
  if (before === undefined || before.metadata.generation !== now.metadata.generation) return true
  return whyLeasesWait(before) !== whyLeasesWait(now)
}

function whyLeasesWait({ status }: ClusterPool): string {
  const finding = (type: ConditionType) => {
    const condition = findCondition(status?.conditions, type)
    return [condition?.status, condition?.reason]
  }
  const { phase, creating = 0, currentSpecHash, nextAttemptAt } = status ?? {}
  const conditions = [ConditionType.CapacityBlocked, ConditionType.Stalled].map(finding)
  return JSON.stringify([phase, creating > 0, currentSpecHash, nextAttemptAt, conditions])
}

/** Whether both wait in the same way: what a waiting lease is told changes nothing for the others. */
export function waitsAsBefore(now: ClusterLease, before: ClusterLease | undefined): boolean {
  return before !== undefined && isQueued(before) && isQueued(now) && before.metadata.uid === now.metadata.uid
}

/** Whether the queue is as before but for a lease that has, or is about to have, the member that fell to it; or was not in it. */
export function tookMember({ type, object, old }: Change<ClusterLease>): boolean {
  if (old !== undefined && !isPending(old)) return true
  const { phase = 'Pending', binding } = object.status ?? {}
  return type !== 'DELETED' && (phase === 'Bound' || (phase === 'Pending' && binding !== undefined))
}

export function becameFree(now: ClusterInstance, before: ClusterInstance | undefined): boolean {
  return isFree(now) && (before === undefined || !isFree(before))
}

/** What a waiting lease tells its requester: why, how long it may take, and what that is based on. */
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { field } from '../../core/optional-field.ts'
import type { HttpContext } from '../context.ts'
import { estimateWait } from '../leases/estimate.ts'
import { phaseOf } from '../leases/lease-state.ts'
import { type WaitingView, waitingOf } from './lease-view.ts'

export function waitingView(
  { deps, outlooks }: Pick<HttpContext, 'deps' | 'outlooks'>,
  lease: ClusterLease,
): WaitingView {
  const waiting = waitingOf(lease)
  if (phaseOf(lease) !== 'Pending') return waiting
  const outlook = outlooks.of(lease.spec.poolRef)
  const estimate = estimateWait(outlook, lease.status?.queuePosition ?? 1, deps.clock.now())
  return { ...waiting, ...field('estimate_seconds', estimate?.seconds), ...field('estimate_basis', estimate?.basis) }
}

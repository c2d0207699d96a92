/** Counts the transitions of leases. Called after the status was written, so a lost write is not counted. */
import { parseTimestamp } from '../../api/timestamp.ts'
import type { ClusterLease, LeaseStatus } from '../../api/v1alpha1/cluster-lease.ts'
import type { OperatorMetrics } from '../metrics.ts'

const secondsSince = (text: string | undefined, now: number): number => {
  const then = text === undefined ? undefined : parseTimestamp(text)
  return then === undefined ? 0 : Math.max(0, (now - then) / 1000)
}

export function observeLeaseMetrics(
  metrics: OperatorMetrics,
  before: ClusterLease,
  after: LeaseStatus,
  now: number,
): void {
  const was = before.status?.phase ?? 'Pending'
  if (was === after.phase) return
  const profile = before.spec.poolRef
  const waited = secondsSince(before.metadata.creationTimestamp, now)
  if (after.phase === 'Bound') {
    metrics.claims.inc({ profile, event: 'bound' })
    metrics.claimBindDuration.observe({ profile }, waited)
    metrics.leaseQueueWait.observe({ profile, outcome: 'bound' }, waited)
  } else if (after.phase === 'Released' || after.phase === 'Expired') {
    const expired = after.phase === 'Expired'
    metrics.claims.inc({ profile, event: expired ? 'expired' : 'released' })
    if (was === 'Bound') {
      metrics.leaseHold.observe(
        { profile, outcome: expired ? 'expired' : 'released' },
        secondsSince(before.status?.boundAt, now),
      )
    } else metrics.leaseQueueWait.observe({ profile, outcome: expired ? 'expired' : 'cancelled' }, waited)
  }
}

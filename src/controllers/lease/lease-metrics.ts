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
  if ((before.status?.phase ?? 'Pending') === after.phase) return
  if (after.phase === 'Bound') bound(metrics, before, now)
  if (after.phase === 'Released') ended(metrics, before, 'released', now)
  if (after.phase === 'Expired') ended(metrics, before, 'expired', now)
}

function bound(metrics: OperatorMetrics, { metadata, spec }: ClusterLease, now: number): void {
  const profile = spec.poolRef
  const waited = secondsSince(metadata.creationTimestamp, now)
  metrics.claims.inc({ profile, event: 'bound' })
  metrics.claimBindDuration.observe({ profile }, waited)
  metrics.leaseQueueWait.observe({ profile, outcome: 'bound' }, waited)
}

function ended(metrics: OperatorMetrics, lease: ClusterLease, outcome: 'released' | 'expired', now: number): void {
  const profile = lease.spec.poolRef
  metrics.claims.inc({ profile, event: outcome })
  if (lease.status?.phase === 'Bound') {
    metrics.leaseHold.observe({ profile, outcome }, secondsSince(lease.status.boundAt, now))
    return
  }
  const wait = outcome === 'expired' ? 'expired' : 'cancelled'
  metrics.leaseQueueWait.observe({ profile, outcome: wait }, secondsSince(lease.metadata.creationTimestamp, now))
}

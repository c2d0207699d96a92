/** Counts the transitions of leases, as the cache shows them: each once, whoever wrote it. */
import { parseTimestamp } from '../../api/timestamp.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { LeasePhase } from '../../api/v1alpha1/phases.ts'
import type { OperatorMetrics } from '../metrics.ts'

const secondsSince = (text: string | undefined, now: number): number => {
  const then = text === undefined ? undefined : parseTimestamp(text)
  return then === undefined ? 0 : Math.max(0, (now - then) / 1000)
}

/** `after` is undefined when the object is gone: a lease that was still alive then was deleted by hand. */
export function observeLeaseMetrics(
  metrics: OperatorMetrics,
  before: ClusterLease,
  after: ClusterLease | undefined,
  now: number,
): void {
  const was = phaseOf(before)
  const is = after === undefined ? LeasePhase.Released : phaseOf(after)
  if (was === is || (was !== LeasePhase.Pending && was !== LeasePhase.Bound)) return
  if (is === LeasePhase.Bound) bound(metrics, before, now)
  if (is === LeasePhase.Released) ended(metrics, before, 'released', now)
  if (is === LeasePhase.Expired) ended(metrics, before, 'expired', now)
}

const phaseOf = ({ status }: ClusterLease): string => status?.phase ?? LeasePhase.Pending

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

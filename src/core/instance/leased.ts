/**
 * Leased: kept running until the lease ends, whatever its health, its template or a wish to delete it. When the lease is
 * released, expired or gone the member goes to Recycling, never back to Ready: a used member is never offered again.
 */
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import { Reason } from '../../api/v1alpha1/reasons.ts'
import { diagnosticsDue } from '../lease/diagnostics.ts'
import { endOfUse } from './lease-holds.ts'
import type { InstanceObserved } from './observed.ts'
import { arrival, keepRunning, note, type Step, toRecycling } from './step.ts'

export function planLeased(observed: InstanceObserved, now: number): Step {
  const { instance, lease, evidence } = observed
  if (lease.state === 'none') {
    return toRecycling(
      observed,
      { reason: Reason.BindingUnverified, message: 'Leased without naming a lease: recycling' },
      now,
    )
  }
  if (lease.state === 'absent') {
    const name = instance.status?.leaseRef?.name ?? instance.status?.binding?.lease.name ?? 'unknown'
    return toRecycling(observed, { reason: Reason.LeaseVanished, message: `lease ${name} is gone: recycling` }, now)
  }
  const end = endOfUse(instance, lease.lease)
  const due = end === undefined ? undefined : diagnosticsDue(lease.lease, poolOf(observed), now)
  if (due !== undefined) return holdForDiagnostics(lease.lease, due)
  if (end !== undefined) return toRecycling(observed, { ...end, message: `${end.message}: recycling` }, now)
  const waiting =
    instance.metadata.deletionTimestamp === undefined
      ? []
      : [
          note({
            reason: Reason.WaitingForLease,
            message: `deletion waits for lease ${lease.lease.metadata.name ?? ''} to end`,
          }),
        ]
  const leased = { reason: Reason.Leased, message: `leased by ${lease.lease.metadata.name ?? ''}` }
  const told = [...arrival(observed, leased, now), ...waiting]
  const kept = keepRunning(observed, now)
  if (evidence.member?.state !== 'Failed') return { ...kept, notes: told }
  const broken = note(
    { reason: Reason.UnhealthyMember, message: `leased, but broken: ${evidence.member.message}` },
    'Warning',
  )
  return { notes: [...told, broken] }
}

const poolOf = ({ pool }: InstanceObserved): ClusterPool | undefined => (pool.state === 'found' ? pool.pool : undefined)

function holdForDiagnostics({ metadata }: ClusterLease, due: number): Step {
  const message = `lease ${metadata.name ?? ''} has ended; recycling waits for its diagnostics`
  return { notes: [note({ reason: Reason.WaitingForDiagnostics, message }, 'Debug')], wakeAt: [due] }
}

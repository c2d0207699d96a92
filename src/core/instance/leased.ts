/**
 * Leased: kept running until the lease ends, whatever its health, its template or a wish to delete it. When the lease is
 * released, expired or gone the member goes to Recycling, never back to Ready: a used member is never offered again.
 */
import { Reason } from '../../api/v1alpha1/reasons.ts'
import { endOfUse } from './lease-holds.ts'
import type { InstanceObserved } from './observed.ts'
import { keepRunning, note, type Step, toRecycling } from './step.ts'

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
  const kept = keepRunning(observed, now)
  if (evidence.member?.state !== 'Failed') return { ...kept, notes: waiting }
  const broken = note(
    { reason: Reason.UnhealthyMember, message: `leased, but broken: ${evidence.member.message}` },
    'Warning',
  )
  return { notes: [...waiting, broken] }
}

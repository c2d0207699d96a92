/** Questions about a lease that several routes ask. */
import { parseTimestamp } from '../../api/timestamp.ts'
import type { ClusterLease, LeasePhase } from '../../api/v1alpha1/cluster-lease.ts'

export function phaseOf(lease: ClusterLease): LeasePhase {
  return lease.status?.phase ?? 'Pending'
}

/** Counts against the quota and holds its alias. */
export function isActive(lease: ClusterLease): boolean {
  const phase = phaseOf(lease)
  return (phase === 'Pending' || phase === 'Bound') && lease.metadata.deletionTimestamp === undefined
}

/** Nothing more will happen for the requester. */
export function isOver(lease: ClusterLease): boolean {
  return !isActive(lease)
}

/** Epoch milliseconds until which the cluster may be used; `undefined`: not now. A missing or unreadable expiry grants nothing. */
export function usableUntil(lease: ClusterLease, now: number): number | undefined {
  if (!isActive(lease) || phaseOf(lease) !== 'Bound') return undefined
  const expiry = parseTimestamp(lease.status?.expiresAt ?? '')
  return expiry !== undefined && expiry > now ? expiry : undefined
}

/** Oldest first; leases of the same second by name. */
export function byAge(a: ClusterLease, b: ClusterLease): number {
  const left = `${a.metadata.creationTimestamp ?? ''}/${a.metadata.name ?? ''}`
  const right = `${b.metadata.creationTimestamp ?? ''}/${b.metadata.name ?? ''}`
  return left < right ? -1 : left > right ? 1 : 0
}

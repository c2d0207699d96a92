/** One row per lease, as `kobe status` and `kobe list` show it. */
import type { LeaseView } from './wire.ts'

export const LEASE_HEADER = ['LEASE', 'POOL', 'PHASE', 'CLUSTER', 'EXPIRES', 'ALIAS'] as const

export function leaseRow(lease: LeaseView): readonly string[] {
  const phase = lease.phase === 'Pending' && lease.queue_position ? `Pending (#${lease.queue_position})` : lease.phase
  return [lease.id, lease.profile ?? '', phase, lease.cluster_name ?? '-', lease.expires_at ?? '-', lease.alias ?? '-']
}

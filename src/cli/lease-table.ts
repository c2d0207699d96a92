/** One row per lease, as `kobe status` and `kobe list` show it. */
import type { LeaseSummary } from '../client/api.ts'
import { shortDuration } from './duration-option.ts'
import type { Output, OutputFormat } from './output.ts'

const HEADER = ['LEASE', 'POOL', 'PHASE', 'CLUSTER', 'LEFT', 'ALIAS']
const WIDE_HEADER = [...HEADER, 'EXPIRES', 'WAITS FOR', 'ESTIMATE']

export function printLeases(output: Output, format: OutputFormat, leases: readonly LeaseSummary[]): void {
  const wide = format === 'wide'
  const rows = leases.map((lease) => [...leaseRow(lease), ...(wide ? wideCells(lease) : [])])
  output.table(wide ? WIDE_HEADER : HEADER, rows)
}

function leaseRow(lease: LeaseSummary): readonly string[] {
  const phase = lease.phase === 'Pending' && lease.queue_position ? `Pending (#${lease.queue_position})` : lease.phase
  const left =
    lease.expires_at && lease.phase === 'Bound' ? shortDuration(Date.parse(lease.expires_at) - Date.now()) : '-'
  return [lease.id, lease.profile, phase, lease.cluster_name ?? '-', left, lease.alias ?? '-']
}

function wideCells({ phase, expires_at, reason, estimate_seconds }: LeaseSummary): readonly string[] {
  const estimate = estimate_seconds === undefined ? '-' : `${estimate_seconds}s`
  return [expires_at ?? '-', phase === 'Pending' ? (reason ?? '-') : '-', estimate]
}

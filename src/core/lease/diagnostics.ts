/**
 * Diagnostics of a lease: made after its end, when nobody gets in any more, and before the member is recycled. Both planners ask
 * here: the lease has them made, the instance waits for them, and neither waits for longer than a bound.
 */
import { parseTimestamp } from '../../api/timestamp.ts'
import type { ClusterLease, LeaseStatus } from '../../api/v1alpha1/cluster-lease.ts'
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import { ConditionType, findCondition, setCondition } from '../../api/v1alpha1/conditions.ts'
import { Finalizer } from '../../api/v1alpha1/labels.ts'
import { LeasePhase } from '../../api/v1alpha1/phases.ts'
import { Reason } from '../../api/v1alpha1/reasons.ts'

/** Longest time that the end of a lease is held up by its diagnostics, whatever becomes of them. Milliseconds. [ours] */
export const DIAGNOSTICS_WAIT_MS = 60_000

/** How far they are, as this process knows. */
export type DiagnosticsSeen =
  /** Nobody makes them. */
  | { readonly state: 'none' }
  | { readonly state: 'running' }
  /** `complete` false: a bound cut something off. */
  | { readonly state: 'stored'; readonly complete: boolean }
  /** There are none, and there will be none. */
  | { readonly state: 'failed'; readonly message: string }

/** What the requester asks for, else what the pool says. */
export const wantsDiagnostics = (lease: ClusterLease, pool: ClusterPool | undefined): boolean =>
  lease.spec.diagnostics ?? pool?.spec.diagnostics?.enabled ?? false

/** Until when the member of an ended lease has to be left as it is, epoch milliseconds; undefined: no longer, or not at all. */
export function diagnosticsDue(lease: ClusterLease, pool: ClusterPool | undefined, now: number): number | undefined {
  const { status } = lease
  if (status?.binding === undefined || !wantsDiagnostics(lease, pool)) return undefined
  if (findCondition(status.conditions, ConditionType.DiagnosticsCaptured) !== undefined) return undefined
  const ended = endOf(lease)
  const deadline = ended === undefined ? undefined : ended + DIAGNOSTICS_WAIT_MS
  return deadline !== undefined && now < deadline ? deadline : undefined
}

/** One that is being deleted ends as soon as its planner sees it. */
function endOf({ metadata, status }: ClusterLease): number | undefined {
  const over = status?.phase === LeasePhase.Released || status?.phase === LeasePhase.Expired
  return parseTimestamp((over ? status.endedAt : metadata.deletionTimestamp) ?? '')
}

/** The status that says what became of them. */
export function capturedStatus(
  lease: ClusterLease,
  status: LeaseStatus,
  seen: Extract<DiagnosticsSeen, { state: 'stored' | 'failed' }>,
  now: number,
): LeaseStatus {
  const stored = seen.state === 'stored'
  const condition = {
    type: ConditionType.DiagnosticsCaptured,
    status: stored ? ('True' as const) : ('False' as const),
    reason: stored ? Reason.DiagnosticsStored : Reason.DiagnosticsFailed,
    message: stored ? storedText(seen.complete) : seen.message,
  }
  const url = stored ? { diagnosticsUrl: diagnosticsPath(lease.metadata.name ?? '') } : {}
  return { ...status, ...url, conditions: setCondition(status.conditions, condition, now) }
}

const storedText = (complete: boolean): string =>
  complete ? 'diagnostics are stored' : 'diagnostics are stored; a bound on size or time cut something off'

/** Where the HTTP API serves them. */
export const diagnosticsPath = (lease: string): string => `/v1/leases/${lease}/diagnostics/bundle`

/**
 * Whether the lease has to be marked, so that it cannot vanish before its end was seen to: a verified cleanup ends with a
 * receipt on it, diagnostics are made, and one with an owner goes when the owner goes. Others need no mark.
 */
export function needsFinalizer(lease: ClusterLease, pool: ClusterPool | undefined): boolean {
  const { metadata, spec } = lease
  if (metadata.finalizers?.includes(Finalizer.leaseCleanup)) return false
  const owned = (metadata.ownerReferences ?? []).length > 0
  return spec.cleanupMode === 'VerifiedDestroy' || owned || wantsDiagnostics(lease, pool)
}

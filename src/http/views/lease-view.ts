/** ClusterLease to wire: snake_case, absent rather than null, never two spellings of one field. */
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { findCondition } from '../../api/v1alpha1/conditions.ts'
import { field } from '../../core/optional-field.ts'
import type { HttpDeps } from '../deps.ts'
import { phaseOf } from '../leases/lease-state.ts'
import type { LeaseDetail, LeaseSummary } from '../schemas/lease.ts'

export function leaseSummary(lease: ClusterLease, waiting: WaitingView = waitingOf(lease)): LeaseSummary {
  const { spec, status } = lease
  return {
    id: lease.metadata.name ?? '',
    phase: phaseOf(lease),
    profile: spec.poolRef,
    ...field('cluster_name', status?.clusterName),
    ...field('expires_at', status?.expiresAt),
    ...field('queue_position', status?.queuePosition || undefined),
    ...field('diagnostics_url', status?.diagnosticsUrl),
    ...field('alias', spec.alias),
    ...field('metadata', spec.metadata),
    ...waiting,
  }
}

export function leaseDetail(lease: ClusterLease, waiting: WaitingView = waitingOf(lease)): LeaseDetail {
  const { status } = lease
  const conditions = status?.conditions ?? []
  return {
    ...leaseSummary(lease, waiting),
    ttl: lease.spec.ttl,
    ...field('created_at', lease.metadata.creationTimestamp),
    ...field('bound_at', status?.boundAt),
    ...field('extensions', status?.extensionsCount || undefined),
    ...field('conditions', conditions.length === 0 ? undefined : [...conditions]),
    ...field('teardown_receipt', status?.teardownReceipt),
  }
}

export interface WaitingView {
  reason?: string
  message?: string
  estimate_seconds?: number
  estimate_basis?: NonNullable<LeaseSummary['estimate_basis']>
}

/** Why a Pending lease waits, as the operator last said; a lease it has not looked at yet says so. */
export function waitingOf(lease: ClusterLease): WaitingView {
  const { status } = lease
  if (phaseOf(lease) !== 'Pending') return field('message', status?.message)
  const bound = findCondition(status?.conditions, 'Bound')
  const satisfiable = findCondition(status?.conditions, 'Satisfiable')
  const condition = satisfiable?.status === 'False' ? satisfiable : bound
  return {
    reason: condition?.reason ?? 'NotObserved',
    message: status?.message ?? condition?.message ?? 'the request is accepted and not looked at yet',
  }
}

/** Absolute, as clients store it. */
export const diagnosticsUrl = ({ publicUrl }: Pick<HttpDeps, 'publicUrl'>, id: string): string =>
  `${publicUrl()}/v1/leases/${id}/diagnostics/bundle`

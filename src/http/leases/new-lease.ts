/** The ClusterLease that answers a request. */
import { formatDuration, parseDuration } from '../../api/duration.ts'
import type { ClusterLease, ClusterLeaseInput } from '../../api/v1alpha1/cluster-lease.ts'
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import { Finalizer, Label } from '../../api/v1alpha1/labels.ts'
import { field } from '../../core/optional-field.ts'
import { maxTtlMs } from '../auth/principal.ts'
import { ApiError } from '../errors.ts'
import type { LeaseRequest } from './lease-request.ts'
import { requesterHash } from './requester-hash.ts'

/** Annotation: which entry of the admission record this lease belongs to. */
export const ADMISSION_ANNOTATION = 'kobe.kunobi.ninja/admission'

const DEFAULT_TTL_MS = 3_600_000

/** `min(asked or pool ttl, maxTtl of the policy)`. */
export function effectiveTtlMs(request: LeaseRequest, pool: ClusterPool | undefined): number {
  const asked = request.ttlMs ?? parseDuration(pool?.spec.ttl ?? '') ?? DEFAULT_TTL_MS
  const effective = Math.min(asked, maxTtlMs(request.principal.rule))
  if (effective < 1000) {
    throw new ApiError('ttl_too_short', { detail: `The policy allows ${request.principal.rule.maxTtl}`, field: 'ttl' })
  }
  return effective
}

export interface NewLease {
  readonly request: LeaseRequest
  readonly pool: ClusterPool
  readonly name: string
  readonly namespace: string
  readonly admissionId: string
}

/**
 * A lease that ends with a receipt has its finalizer from the start: it must not vanish before that. `status` is left to the
 * operator: a lease without one is Pending.
 */
export function newLease({ request, pool, name, namespace, admissionId }: NewLease): ClusterLeaseInput {
  const { principal, alias, metadata, idleTimeout, diagnostics, idempotency } = request
  return {
    metadata: {
      name,
      namespace,
      ...field('finalizers', request.cleanupMode === 'VerifiedDestroy' ? [Finalizer.leaseCleanup] : undefined),
      annotations: { [ADMISSION_ANNOTATION]: admissionId },
      labels: {
        [Label.profile]: request.pool,
        [Label.requesterHash]: requesterHash(principal.identity),
        ...field(Label.alias, alias),
        ...field(Label.idempotencyKey, idempotency?.keyHash.slice(0, 32)),
      },
    },
    spec: {
      poolRef: request.pool,
      ttl: formatDuration(effectiveTtlMs(request, pool)),
      requester: { type: principal.type, identity: principal.identity },
      cleanupMode: request.cleanupMode,
      allowStale: request.allowStale,
      ...field('idleTimeout', idleTimeout),
      ...field('diagnostics', diagnostics),
      ...field('alias', alias),
      ...field('metadata', metadata),
      ...field('idempotency', idempotency),
    },
  }
}

/** Whether the TTL of a lease is less than what was asked for. */
export function isClamped(request: LeaseRequest, lease: ClusterLease): boolean {
  return request.ttlMs !== undefined && (parseDuration(lease.spec.ttl) ?? 0) < request.ttlMs
}

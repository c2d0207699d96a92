/** Whether a pool can serve a new lease at all. Checked in this order; a pool with a Ready member always accepts. */
import { parseTimestamp } from '../../api/timestamp.ts'
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import { ApiError } from '../errors.ts'
import type { LeaseRequest } from './lease-request.ts'

const DEFAULT_RETRY_SECONDS = 30

export interface Preflight {
  readonly request: LeaseRequest
  readonly pool: ClusterPool | undefined
  readonly now: number
  supportsVerifiedDestroy(pool: ClusterPool): boolean
}

/** The pool, or why it cannot serve. */
export function checkPool({ request, pool, now, supportsVerifiedDestroy }: Preflight): ClusterPool | ApiError {
  if (pool === undefined) return poolNotFound(request.pool)
  if (pool.metadata.deletionTimestamp !== undefined) {
    return new ApiError('pool_deleting', {
      detail: `Pool ${request.pool} takes no new leases; use another pool`,
      field: 'profile',
    })
  }
  if (request.cleanupMode === 'VerifiedDestroy' && !supportsVerifiedDestroy(pool)) {
    const detail = `The backend ${pool.spec.backend.type} of pool ${request.pool} cannot prove that nothing is left; use cleanup_mode Standard or a pool whose backend can`
    return new ApiError('cleanup_mode_unsupported', { detail, field: 'cleanup_mode' })
  }
  return cannotServe(pool, now) ?? pool
}

export function poolNotFound(name: string, field = 'profile'): ApiError {
  return new ApiError('pool_not_found', {
    error: `Profile '${name}' not found`,
    detail: `There is no pool named '${name}'; GET /v1/pools lists those you may use`,
    field,
  })
}

function cannotServe(pool: ClusterPool, now: number): ApiError | undefined {
  const { status } = pool
  if (status === undefined || status.ready > 0) return undefined
  if (status.phase === 'Failing') return refusal('pool_exhausted', pool, now)
  if (status.phase === 'Backoff' && membersOf(pool) >= ceilingOf(pool)) return refusal('capacity_blocked', pool, now)
  return undefined
}

function membersOf({ status }: ClusterPool): number {
  if (status === undefined) return 0
  return status.leased + status.creating + status.recycling + status.unhealthy + status.quarantined
}

/** A pool of fixed size may hold ten members more than its size, leased ones included. */
const FIXED_HEADROOM = 10

function ceilingOf({ spec }: ClusterPool): number {
  return spec.scaling === undefined ? spec.size + FIXED_HEADROOM : spec.scaling.maxClusters
}

function refusal(reason: 'pool_exhausted' | 'capacity_blocked', pool: ClusterPool, now: number): ApiError {
  const { status } = pool
  const facts = [
    `phase=${status?.phase ?? 'unknown'}`,
    `consecutiveFailures=${status?.consecutiveFailures ?? 0}`,
    ...(status?.lastFailureReason ? [`lastFailureReason=${status.lastFailureReason}`] : []),
    ...(status?.nextAttemptAt ? [`nextAttemptAt=${status.nextAttemptAt}`] : []),
  ]
  const next = parseTimestamp(status?.nextAttemptAt ?? '')
  const retryAfterSeconds = next === undefined || next <= now ? DEFAULT_RETRY_SECONDS : Math.ceil((next - now) / 1000)
  return new ApiError(reason, {
    detail: `no Ready cluster; pool ${pool.metadata.name} ${facts.join(', ')}`,
    retryAfterSeconds,
    field: 'profile',
  })
}

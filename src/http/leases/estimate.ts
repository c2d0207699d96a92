/**
 * How long a queued lease may still wait, from what was measured: members being created become Ready after the mean of the
 * recent creations of their pool, leased ones come free at their expiry at the latest. Pure.
 */
import { parseTimestamp } from '../../api/timestamp.ts'
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { phaseOf } from './lease-state.ts'

export interface EstimateInput {
  /** 1 is next. */
  readonly position: number
  /** Members of the pool. */
  readonly instances: readonly ClusterInstance[]
  /** Leases of the pool, whoever holds them. */
  readonly leases: readonly ClusterLease[]
  readonly now: number
}

/** Whole seconds; `undefined` when nothing is known to come. */
export function estimateWaitSeconds({ position, instances, leases, now }: EstimateInput): number | undefined {
  const createMs = meanCreateMs(instances)
  const arriving = createMs === undefined ? [] : instances.flatMap((instance) => readyIn(instance, createMs, now))
  const ending = leases.flatMap((lease) => endsIn(lease, createMs ?? 0, now))
  const soonest = [...arriving, ...ending].sort((a, b) => a - b)
  const waitMs = soonest[Math.max(1, position) - 1]
  return waitMs === undefined ? undefined : Math.max(1, Math.ceil(waitMs / 1000))
}

function meanCreateMs(instances: readonly ClusterInstance[]): number | undefined {
  const times = instances.flatMap(({ metadata, status }) => {
    const created = parseTimestamp(metadata.creationTimestamp ?? '')
    const ready = parseTimestamp(status?.readySince ?? '')
    return created === undefined || ready === undefined || ready < created ? [] : [ready - created]
  })
  return times.length === 0 ? undefined : times.reduce((sum, ms) => sum + ms, 0) / times.length
}

function readyIn({ metadata, status }: ClusterInstance, createMs: number, now: number): number[] {
  const created = parseTimestamp(metadata.creationTimestamp ?? '')
  if (status?.phase !== 'Creating' || created === undefined) return []
  return [Math.max(0, created + createMs - now)]
}

/** After its lease a member is destroyed, so its place serves the next lease only after another creation. */
function endsIn(lease: ClusterLease, createMs: number, now: number): number[] {
  const expiry = parseTimestamp(lease.status?.expiresAt ?? '')
  return phaseOf(lease) === 'Bound' && expiry !== undefined ? [Math.max(0, expiry - now) + createMs] : []
}

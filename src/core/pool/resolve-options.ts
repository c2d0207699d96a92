/** The knobs of a pool with every default filled in, in one place. Durations are milliseconds. */
import { parseDuration } from '../../api/duration.ts'
import type { ClusterPool, FailureBackoff } from '../../api/v1alpha1/cluster-pool.ts'
import { type BackoffOptions, DEFAULT_BACKOFF } from '../fleet/backoff.ts'

/** Fixed pools: members above `size`, leased and dying ones included, before creation stops. [doc: public behaviour] */
export const FIXED_POOL_HEADROOM = 10
export const DEFAULT_CREATING_TIMEOUT_MS = 600_000

export interface PoolOptions {
  /** True when `spec.scaling` is set; `spec.size` is then ignored. */
  readonly scales: boolean
  /** Members kept Ready: `scaling.minReady`, else `size`. */
  readonly warm: number
  /** Most members in any state: `scaling.maxClusters`, else size + 10. */
  readonly ceiling: number
  /** Total Ready that a drift recycle must leave. Default: `warm`. */
  readonly floor: number
  /** Drift recycles under way at once. Default 1; 0 pauses them. */
  readonly maxRecycling: number
  /** Members above `warm` while a drifted Ready member remains. Default 1; 0 when `warm` is 0. */
  readonly maxSurge: number
  readonly scaleUpThreshold: number
  /** Idle time before a surplus member goes; absent: it never goes for lack of demand. */
  readonly scaleDownAfterMs?: number
  readonly creatingTimeoutMs: number
  /** Longest wait of a lease in the queue; absent: no limit. */
  readonly queueTimeoutMs?: number
  readonly backoff: BackoffOptions
  /** Most members Creating at once. Default: what the backend recommends. */
  readonly maxConcurrentCreates: number
}

/** Every waiting lease asks for them. What is frozen is the same for ever. */
const kept = new WeakMap<ClusterPool['spec'], Omit<PoolOptions, 'maxConcurrentCreates'>>()

export function resolvePoolOptions(spec: ClusterPool['spec'], maxConcurrentCreates: number): PoolOptions {
  const resolved = kept.get(spec) ?? resolveFrom(spec)
  if (Object.isFrozen(spec)) kept.set(spec, resolved)
  return { ...resolved, maxConcurrentCreates: Math.max(1, spec.maxConcurrentCreates ?? maxConcurrentCreates) }
}

function resolveFrom(spec: ClusterPool['spec']): Omit<PoolOptions, 'maxConcurrentCreates'> {
  const { scaling, upgradePolicy } = spec
  const warm = scaling?.minReady ?? spec.size
  return {
    scales: scaling !== undefined,
    warm,
    ceiling: scaling?.maxClusters ?? spec.size + FIXED_POOL_HEADROOM,
    floor: upgradePolicy?.minReadyDuringUpgrade ?? warm,
    maxRecycling: upgradePolicy?.maxRecycling ?? 1,
    maxSurge: warm === 0 ? 0 : (upgradePolicy?.maxSurge ?? 1),
    scaleUpThreshold: scaling?.scaleUpThreshold ?? 0,
    ...durationsOf(spec),
    backoff: backoffOf(scaling?.failureBackoff),
  }
}

type Durations = Pick<PoolOptions, 'creatingTimeoutMs' | 'scaleDownAfterMs' | 'queueTimeoutMs'>

function durationsOf(spec: ClusterPool['spec']): Durations {
  const { scaling } = spec
  const scaleDownAfterMs = durationOf(scaling?.scaleDownAfter)
  const queueTimeoutMs = durationOf(scaling === undefined ? spec.queueTimeout : scaling.queueTimeout)
  return {
    creatingTimeoutMs: durationOf(scaling?.creatingTimeout) ?? DEFAULT_CREATING_TIMEOUT_MS,
    ...(scaleDownAfterMs === undefined ? {} : { scaleDownAfterMs }),
    ...(queueTimeoutMs === undefined ? {} : { queueTimeoutMs }),
  }
}

function backoffOf(spec: FailureBackoff | undefined): BackoffOptions {
  return {
    baseMs: durationOf(spec?.base) ?? DEFAULT_BACKOFF.baseMs,
    multiplier: Math.max(1, spec?.multiplier ?? DEFAULT_BACKOFF.multiplier),
    maxMs: durationOf(spec?.max) ?? DEFAULT_BACKOFF.maxMs,
  }
}

const durationOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : parseDuration(text)

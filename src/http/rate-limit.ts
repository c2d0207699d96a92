/** How many requests one principal may send: a bucket that fills at a steady rate and holds a burst. */
import type { Clock } from '../kube/clock.ts'
import type { HttpLimits } from './deps.ts'
import { ApiError } from './errors.ts'

export interface RateLimit {
  /** Counts one request of the principal. Throws `ApiError` `rate_limited` when there was no room for it; it costs nothing then. */
  take(principal: string): void
}

/** Full buckets are those of a principal nobody has heard of: from this many on they are forgotten. */
const SWEEP_AT = 4096

interface Bucket {
  left: number
  /** On the monotonic clock. */
  at: number
}

export function createRateLimit(
  { requestsPerSecond, requestBurst }: Pick<HttpLimits, 'requestsPerSecond' | 'requestBurst'>,
  clock: Pick<Clock, 'monotonic'>,
): RateLimit {
  const buckets = new Map<string, Bucket>()
  const burst = Math.max(1, requestBurst)
  const filled = ({ left, at }: Bucket, now: number): number =>
    Math.min(burst, left + ((now - at) / 1000) * requestsPerSecond)
  const sweep = (now: number): void => {
    for (const [principal, bucket] of buckets) if (filled(bucket, now) >= burst) buckets.delete(principal)
  }
  return {
    take(principal) {
      const now = clock.monotonic()
      const before = buckets.get(principal)
      const left = before === undefined ? burst : filled(before, now)
      if (left < 1) {
        const retryAfterSeconds = Math.max(1, Math.ceil((1 - left) / requestsPerSecond))
        const detail = `You may send ${requestsPerSecond} such requests a second, and ${burst} at once; waiting for a lease is not counted`
        throw new ApiError('rate_limited', { detail, retryAfterSeconds })
      }
      buckets.set(principal, { left: left - 1, at: now })
      if (buckets.size >= SWEEP_AT) sweep(now)
    },
  }
}

/** Growing, jittered waits between attempts. */

/** Answers a number in [0, 1), as `Math.random` does. */
export type Random = () => number

export interface BackoffOptions {
  /** Longest first wait, milliseconds. */
  readonly baseMs: number
  /** No wait is longer, milliseconds. */
  readonly maxMs: number
  readonly random: Random
}

export interface Backoff {
  /** The next wait, milliseconds. */
  next(): number
  /** The next wait is short again. */
  reset(): void
}

/**
 * The wait before attempt `failures + 1`: `base * 2^failures`, at most `max`, of which a random half is taken off.
 * Without the jitter all clients of a server that comes back would return in the same instant.
 */
export function backoffMs(failures: number, options: BackoffOptions): number {
  const full = Math.min(options.maxMs, options.baseMs * 2 ** Math.min(failures, 30))
  return full * (0.5 + options.random() / 2)
}

export function createBackoff(options: BackoffOptions): Backoff {
  let failures = 0
  return {
    next: () => backoffMs(failures++, options),
    reset: () => {
      failures = 0
    },
  }
}

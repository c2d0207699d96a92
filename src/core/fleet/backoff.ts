/** Growing delay after failures in a row: `min(base * multiplier^(n-1), max)`. */

export interface BackoffOptions {
  /** Delay after the first failure, milliseconds. Default 5 s. */
  readonly baseMs: number
  /** Factor per further failure, at least 1. Default 2. */
  readonly multiplier: number
  /** Longest delay, milliseconds. Default 2 min. */
  readonly maxMs: number
}

export const DEFAULT_BACKOFF: BackoffOptions = { baseMs: 5_000, multiplier: 2, maxMs: 120_000 }

/** How long to wait after the `failures`-th failure in a row: 5, 10, 20, 40, 80, 120, 120 ... s by default; 0 for none. */
export function backoffDelayMs(failures: number, options: BackoffOptions = DEFAULT_BACKOFF): number {
  if (failures <= 0) return 0
  // Infinity is fine: it is cut by the maximum, so a huge multiplier never gives a negative or a missing delay.
  return Math.min(options.baseMs * options.multiplier ** (failures - 1), options.maxMs)
}

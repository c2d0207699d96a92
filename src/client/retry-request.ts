/** Asks again where the server says that this helps, or where one broken connection does not tell whether it was heard. */
import { setTimeout as pause } from 'node:timers/promises'
import { KobeError } from './errors.ts'

export interface RetryOptions {
  readonly signal?: AbortSignal | undefined
  /** Milliseconds for all attempts together; default 120 s. */
  readonly budgetMs?: number | undefined
  /** Told before each pause. */
  readonly onRetry?: ((error: KobeError, pauseMs: number) => void) | undefined
}

const BUDGET_MS = 120_000
const LONGEST_PAUSE_MS = 10_000
const PASSES = new Set(['admission_busy', 'server_busy', 'starting', 'kubernetes_unavailable'])

/** `ask` carries a key that makes its repetition the same request. Throws whatever a repetition does not cure, and the last error once the budget is used up. */
export async function retryRequest<T>(
  ask: (signal: AbortSignal | undefined) => Promise<T>,
  options: RetryOptions = {},
): Promise<T> {
  const deadline = performance.now() + (options.budgetMs ?? BUDGET_MS)
  const signal = options.signal === undefined ? undefined : afterGrace(options.signal)
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await ask(signal)
    } catch (error) {
      const pauseMs = pauseAfter(error, attempt)
      if (pauseMs === undefined || performance.now() + pauseMs > deadline) throw error
      options.onRetry?.(error as KobeError, pauseMs)
      await pause(pauseMs, undefined, { signal: options.signal })
    }
  }
}

/** Milliseconds; undefined where asking again does not help. Spread, as many clients hear the same advice at once. */
function pauseAfter(error: unknown, attempt: number): number | undefined {
  if (!(error instanceof KobeError)) return undefined
  // A connection that broke may have carried the request: the key finds the lease then. One retry tells that from a server that is down.
  const passes = error.code === 'unreachable' ? attempt === 0 : PASSES.has(error.reason ?? '')
  if (!passes) return undefined
  const advised = Math.min((error.retryAfterSeconds ?? 0.5) * 1000, LONGEST_PAUSE_MS)
  return advised * (1 + Math.random() / 2)
}

const GRACE_MS = 3_000

/** A request under way may have made the lease already: its answer is worth a moment, as only that names what was made. */
function afterGrace(signal: AbortSignal): AbortSignal {
  const late = new AbortController()
  const abort = () => setTimeout(() => late.abort(signal.reason), GRACE_MS).unref()
  if (signal.aborted) late.abort(signal.reason)
  else signal.addEventListener('abort', abort, { once: true })
  return late.signal
}

/** Time as a collaborator, so that tests move it by hand. */
import { performance } from 'node:perf_hooks'

export interface Clock {
  /** Wall time, epoch milliseconds: what is written into objects. May be stepped by the system. */
  now(): number
  /** Milliseconds since an arbitrary moment, never stepping back: what durations are measured with. */
  monotonic(): number
  /** Resolves after `ms`, or as soon as `signal` aborts. Never rejects: the caller looks at its signal. */
  after(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls `fn` once after `ms`. The answer cancels it; cancelling twice, or after the call, does nothing. */
  setTimer(ms: number, fn: () => void): () => void
}

/** Node fires a longer timer at once (its delay is a signed 32 bit number), so longer waits are cut into pieces. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

function setSystemTimer(ms: number, fn: () => void): () => void {
  const due = performance.now() + ms
  let timer: NodeJS.Timeout
  const arm = (): void => {
    const left = due - performance.now()
    timer = left > LONGEST_TIMER_MS ? setTimeout(arm, LONGEST_TIMER_MS) : setTimeout(fn, Math.max(0, Math.ceil(left)))
  }
  arm()
  return () => clearTimeout(timer)
}

/** `after` for any clock, out of its `setTimer`. */
export function afterTimer(setTimer: Clock['setTimer'], ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const finish = (): void => {
      cancel()
      signal?.removeEventListener('abort', finish)
      resolve()
    }
    const cancel = setTimer(ms, finish)
    signal?.addEventListener('abort', finish, { once: true })
  })
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, signal) => afterTimer(setSystemTimer, ms, signal),
  setTimer: setSystemTimer,
}

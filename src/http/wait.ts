/** Waiting for an object, driven by the cache: nothing is polled and a waiter costs one map entry. */
import type { ServerResponse } from 'node:http'
import { parseDuration } from '../api/duration.ts'
import type { Clock } from '../kube/clock.ts'
import { ApiError } from './errors.ts'

export interface WaitDeps<T> {
  readonly store: {
    /** Undefined: it is gone. */
    peek(name: string): T | undefined
    onChange(name: string, listener: () => void): () => void
  }
  readonly clock: Clock
}

/** Resolves as soon as `done` holds, the object is gone, `ms` have passed, or `signal` aborts. Never rejects. */
export function waitForObject<T>(
  { store, clock }: WaitDeps<T>,
  name: string,
  until: { readonly done: (object: T) => boolean; readonly ms: number; readonly signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      unsubscribe()
      cancelTimer()
      until.signal.removeEventListener('abort', finish)
      resolve()
    }
    const look = (): void => {
      const object = store.peek(name)
      if (object === undefined || until.done(object)) finish()
    }
    const unsubscribe = store.onChange(name, look)
    const cancelTimer = clock.setTimer(until.ms, finish)
    until.signal.addEventListener('abort', finish, { once: true })
    if (until.signal.aborted) finish()
    else look()
  })
}

/** `0` or nothing: no wait. A longer wait than allowed is cut, as a proxy in between would do it less politely. */
export function waitMs(text: string | undefined, longest: number): number {
  if (text === undefined || text === '' || /^0+[hms]?$/.test(text)) return 0
  const ms = parseDuration(text)
  if (ms === undefined) {
    throw new ApiError('invalid_wait', {
      detail: `Could not parse wait '${text.slice(0, 80)}'. Use a format like '60s'`,
      field: 'wait',
    })
  }
  return Math.min(ms, longest)
}

/** Aborts when the client hangs up, or when `closing` does. */
export function untilClosed(response: ServerResponse, closing: AbortSignal): AbortSignal {
  const gone = new AbortController()
  // With a reason: without one a DOMException and its stack trace are made for every answer.
  response.once('close', () => gone.abort('closed'))
  return AbortSignal.any([closing, gone.signal])
}

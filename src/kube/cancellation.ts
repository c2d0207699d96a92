/** One exchange under a deadline and a signal; whichever ends it first says so. */
import { systemClock } from './clock.ts'
import { KubeError } from './errors.ts'
import { unreachable } from './response-error.ts'

/** What ends an exchange from outside. An AbortSignal could do it; one for each request is a good part of its cost. */
export interface Cancellation {
  /** Replaces what was given before. Called at once when it is too late. */
  onCancel(destroy: (reason: Error) => void): void
  readonly isCancelled: boolean
  cancel(reason: Error): void
}

function createCancellation(): Cancellation {
  let destroyCurrent: ((reason: Error) => void) | undefined
  let cancelled: Error | undefined
  return {
    onCancel(destroy) {
      destroyCurrent = destroy
      if (cancelled !== undefined) destroy(cancelled)
    },
    get isCancelled() {
      return cancelled !== undefined
    },
    cancel(reason) {
      cancelled = reason
      destroyCurrent?.(reason)
    },
  }
}

/** A connection that failed before an answer. On a reused one the server may simply have closed it while it was idle. */
export class ConnectionFailure extends Error {
  readonly reusedSocket: boolean
  constructor(cause: unknown, reusedSocket: boolean) {
    super('connection failed', { cause })
    this.reusedSocket = reusedSocket
  }
}

interface Limits {
  /** Of the request, for messages. */
  readonly name: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** @throws KubeError `Timeout` or `Unreachable`, or the reason of the signal. */
export async function underDeadline<R>(
  { name, timeoutMs, signal }: Limits,
  exchange: (cancellation: Cancellation) => Promise<R>,
): Promise<R> {
  signal?.throwIfAborted()
  const cancellation = createCancellation()
  let late = false
  const cancelTimer = systemClock.setTimer(timeoutMs, () => {
    late = true
    cancellation.cancel(new Error('no answer in time'))
  })
  const abort = (): void => cancellation.cancel(new Error('aborted'))
  signal?.addEventListener('abort', abort, { once: true })
  try {
    return await exchange(cancellation)
  } catch (error) {
    signal?.throwIfAborted()
    const cause = error instanceof ConnectionFailure ? error.cause : error
    if (late) throw new KubeError('Timeout', `${name}: no answer within ${timeoutMs} ms`, {}, cause)
    throw unreachable(name, cause)
  } finally {
    cancelTimer()
    signal?.removeEventListener('abort', abort)
  }
}

/**
 * A read may be sent again on a fresh connection; whether a write was applied is unknown, so it may not. What was
 * cancelled looks like a cut connection too: it must not go out again, or it would be sent for ever.
 */
export async function sendAgain<R>(
  send: () => Promise<R>,
  { isRead, cancellation }: { readonly isRead: boolean; readonly cancellation: Cancellation },
): Promise<R> {
  for (;;) {
    try {
      return await send()
    } catch (error) {
      const wasIdle = error instanceof ConnectionFailure && error.reusedSocket
      if (!isRead || !wasIdle || cancellation.isCancelled) throw error
    }
  }
}

/** Waits until a lease is usable. Each request waits on the server, so the answer comes with the event, not with a timer. */
import { setTimeout as pause } from 'node:timers/promises'
import type { KobeApi, LeaseDetail } from './api.ts'
import { KobeError } from './errors.ts'

/** A lease with a cluster behind it. */
export type UsableLease = LeaseDetail & { readonly kubeconfig: string }

export interface WaitOptions {
  /** Milliseconds; absent: as long as the server keeps the lease. */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** The lease after each look at it while it waits. May throw to end the wait. */
  readonly onWaiting?: ((lease: LeaseDetail) => void | Promise<void>) | undefined
  /** Seconds between two looks at the place in the queue; the end of the wait is heard of at once. Default 2. */
  readonly lookEverySeconds?: number
}

const ENDED: ReadonlySet<string> = new Set(['Released', 'Expired', 'Recycling', 'Quarantined'])
/** A server that restarts comes back within this time. */
const PATIENCE_MS = 60_000
const LOOK_PAUSE_MS = 1_000

/** Throws `KobeError`: `timeout`, `ended`, `refused` (404: no such lease) or `unreachable` for longer than a minute. */
export async function waitForLease(api: KobeApi, id: string, options: WaitOptions = {}): Promise<UsableLease> {
  const deadline = performance.now() + (options.timeoutMs ?? Number.POSITIVE_INFINITY)
  const look = createLook(api, id, options)
  let last: LeaseDetail | undefined
  for (;;) {
    const remainingMs = deadline - performance.now()
    if (remainingMs <= 0) throw timedOut(id, last)
    const lookedAt = performance.now()
    const lease = await look(remainingMs)
    const usable = await judge(lease, options)
    if (usable !== undefined) return usable
    last = lease ?? last
    // A server that does not wait with us, for whatever reason, is not asked more than once a second.
    const restMs = Math.min(LOOK_PAUSE_MS - (performance.now() - lookedAt), remainingMs)
    if (restMs > 0) await pause(restMs, undefined, { signal: options.signal })
  }
}

/** The lease when it can be used; undefined while the wait goes on. */
async function judge(lease: LeaseDetail | undefined, options: WaitOptions): Promise<UsableLease | undefined> {
  if (lease === undefined) return undefined
  if (isUsable(lease)) return lease
  if (ENDED.has(lease.phase)) throw ended(lease)
  await options.onWaiting?.(lease)
  return undefined
}

/** One look; undefined when the server cannot answer for the moment. */
function createLook(api: KobeApi, id: string, { signal, lookEverySeconds = 2 }: WaitOptions) {
  let heardAt = performance.now()
  return async (remainingMs: number): Promise<LeaseDetail | undefined> => {
    const seconds = Math.max(1, Math.min(lookEverySeconds, Math.ceil(remainingMs / 1000)))
    try {
      const lease = await api.call('getLease', { params: { id }, query: { wait: `${seconds}s` } }, { signal })
      heardAt = performance.now()
      return lease
    } catch (error) {
      if (!passes(error) || performance.now() - heardAt > PATIENCE_MS) throw error
      return undefined
    }
  }
}

function isUsable(lease: LeaseDetail): lease is UsableLease {
  return lease.phase === 'Bound' && lease.kubeconfig !== undefined
}

/** The lease is not at fault when the server cannot answer for a moment. */
function passes(error: unknown): boolean {
  return error instanceof KobeError && (error.code === 'unreachable' || error.status === 503 || error.status === 429)
}

/** One line: place in the queue, what is missing, how long it may take. */
export function describeWait(lease: LeaseDetail): string {
  const place = lease.queue_position ? `place ${lease.queue_position} in the queue` : 'waiting'
  const because = [lease.reason, lease.message].filter(Boolean).join(': ')
  const estimate = lease.estimate_seconds === undefined ? '' : `about ${lease.estimate_seconds} s`
  return [`${lease.id}: ${place}`, because, estimate].filter(Boolean).join(' - ')
}

function timedOut(id: string, last: LeaseDetail | undefined): KobeError {
  return new KobeError('timeout', `${id} was not ready in time`, {
    why: last === undefined ? undefined : describeWait(last),
    fix: `it keeps its place: \`kobe wait ${id}\` goes on waiting, \`kobe release ${id}\` gives it up`,
  })
}

function ended(lease: LeaseDetail): KobeError {
  return new KobeError('ended', `${lease.id} ended before it was ready: ${lease.phase}`, {
    why: lease.message,
    fix: '`kobe pools` shows whether the pool can serve; then ask again',
  })
}

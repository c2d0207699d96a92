/**
 * A queue of keys for level-based controllers. A key waits in at most one place, is handed to at most one worker at a
 * time, and when it is added while a worker has it, it is handed out once more after `done`.
 *
 *   add              -> ready now
 *   addFirst         -> ready now, before all that was added without haste
 *   addAfter         -> ready in a while; of several waits for one key the earliest counts
 *   addRateLimited   -> addAfter with a wait that grows with the failures of the key, and with all failures together
 *   get / done       -> a worker takes a key and gives it back
 *   forget           -> the failures of a key are over
 */
import { backoffMs, type Random } from './backoff.ts'
import { type Clock, systemClock } from './clock.ts'
import { createTokenBucket } from './token-bucket.ts'

export interface WorkQueue {
  add(key: string): void
  addFirst(key: string): void
  addAfter(key: string, ms: number): void
  addRateLimited(key: string): void
  forget(key: string): void
  /** How often in a row `addRateLimited` was called for the key. */
  failures(key: string): number
  /** The next key, as soon as there is one; `undefined` once the signal has aborted. */
  get(signal: AbortSignal): Promise<string | undefined>
  /** Must follow every `get`. */
  done(key: string): void
  /** Keys that are ready and not yet taken. */
  depth(): number
  /** Drops all waits and keys; later additions are ignored. */
  close(): void
}

export interface WorkQueueOptions {
  readonly clock?: Clock
  readonly random?: Random
  /** First wait of a failing key, milliseconds, default 5. */
  readonly baseDelayMs?: number
  /** Longest wait of a failing key, milliseconds, default 60 000. */
  readonly maxDelayMs?: number
  /** Retries per second of all keys together after the burst, default 20. */
  readonly retriesPerSecond?: number
  /** Retries that may come at once, default 200. */
  readonly retryBurst?: number
  readonly hooks?: WorkQueueHooks
}

export interface WorkQueueHooks {
  /** The number of ready keys changed. */
  depth?(ready: number): void
  /** A key became ready. */
  added?(): void
  retried?(): void
  /** How long a key was ready before a worker took it, milliseconds. */
  latency?(ms: number): void
}

/** A key that waits for its time. */
interface Delayed {
  readonly due: number
  readonly cancel: () => void
}

class KeyedQueue implements WorkQueue {
  readonly #clock: Clock
  readonly #hooks: WorkQueueHooks
  readonly #delayOf: (failures: number) => number
  readonly #globalDelay: () => number
  /** Ready keys in order, with the time since when. */
  readonly #ready = new Map<string, number>()
  /** The same of those that go first. */
  readonly #first = new Map<string, number>()
  readonly #processing = new Set<string>()
  /** Added again while a worker has them, and whether they go first. */
  readonly #again = new Map<string, boolean>()
  readonly #delayed = new Map<string, Delayed>()
  readonly #failures = new Map<string, number>()
  readonly #waiting = new Set<() => void>()
  #closed = false

  constructor(options: WorkQueueOptions) {
    this.#clock = options.clock ?? systemClock
    this.#hooks = options.hooks ?? {}
    const backoff = {
      baseMs: options.baseDelayMs ?? 5,
      maxMs: options.maxDelayMs ?? 60_000,
      random: options.random ?? Math.random,
    }
    this.#delayOf = (failures) => backoffMs(failures, backoff)
    const now = (): number => this.#clock.monotonic()
    this.#globalDelay = createTokenBucket(options.retriesPerSecond ?? 20, options.retryBurst ?? 200, now)
  }

  add(key: string): void {
    this.#add(key, this.#ready)
  }

  addFirst(key: string): void {
    const since = this.#ready.get(key)
    if (since === undefined) {
      this.#add(key, this.#first)
      return
    }
    this.#ready.delete(key)
    this.#first.set(key, since)
  }

  #add(key: string, where: Map<string, number>): void {
    if (this.#closed) return
    if (this.#processing.has(key)) {
      this.#again.set(key, where === this.#first || this.#again.get(key) === true)
      return
    }
    if (this.#ready.has(key) || this.#first.has(key)) return
    where.set(key, this.#clock.monotonic())
    this.#hooks.added?.()
    this.#hooks.depth?.(this.depth())
    this.#wakeOne()
  }

  addAfter(key: string, ms: number): void {
    if (this.#closed) return
    if (!(ms > 0)) {
      this.add(key)
      return
    }
    const due = this.#clock.monotonic() + ms
    const held = this.#delayed.get(key)
    if (held !== undefined && held.due <= due) return
    held?.cancel()
    const cancel = this.#clock.setTimer(ms, () => {
      this.#delayed.delete(key)
      this.add(key)
    })
    this.#delayed.set(key, { due, cancel })
  }

  addRateLimited(key: string): void {
    const failures = this.failures(key)
    this.#failures.set(key, failures + 1)
    this.#hooks.retried?.()
    this.addAfter(key, Math.max(this.#delayOf(failures), this.#globalDelay()))
  }

  forget(key: string): void {
    this.#failures.delete(key)
  }

  failures(key: string): number {
    return this.#failures.get(key) ?? 0
  }

  async get(signal: AbortSignal): Promise<string | undefined> {
    while (!signal.aborted) {
      const key = this.#take()
      if (key !== undefined) return key
      await this.#wake(signal)
    }
    // This waiter may have been woken for a key in the very moment of the abort: pass it on.
    if (this.depth() > 0) this.#wakeOne()
    return undefined
  }

  done(key: string): void {
    this.#processing.delete(key)
    const goesFirst = this.#again.get(key)
    if (goesFirst === undefined) return
    this.#again.delete(key)
    this.#add(key, goesFirst ? this.#first : this.#ready)
  }

  depth(): number {
    return this.#ready.size + this.#first.size
  }

  close(): void {
    this.#closed = true
    for (const { cancel } of this.#delayed.values()) cancel()
    for (const keys of [this.#delayed, this.#ready, this.#first, this.#again, this.#failures]) keys.clear()
    this.#hooks.depth?.(0)
  }

  #take(): string | undefined {
    const from = this.#first.size > 0 ? this.#first : this.#ready
    for (const [key, since] of from) {
      from.delete(key)
      this.#processing.add(key)
      this.#hooks.latency?.(this.#clock.monotonic() - since)
      this.#hooks.depth?.(this.depth())
      return key
    }
    return undefined
  }

  /** Resolves when a key became ready for this waiter, or at abort. */
  #wake(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        this.#waiting.delete(finish)
        signal.removeEventListener('abort', finish)
        resolve()
      }
      this.#waiting.add(finish)
      signal.addEventListener('abort', finish, { once: true })
    })
  }

  #wakeOne(): void {
    for (const finish of this.#waiting) {
      finish()
      return
    }
  }
}

export function createWorkQueue(options: WorkQueueOptions = {}): WorkQueue {
  return new KeyedQueue(options)
}

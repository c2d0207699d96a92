/**
 * Runs a reconcile function over keys: level-based, one pass per key at a time, several keys at once.
 *
 *   pass ends well          -> failures forgotten; looks again after `requeueAfterMs`, if given
 *   409 Conflict            -> again soon (10 ms growing to 1 s, jittered): the cache is about to show what changed
 *   TerminalError           -> reported, not tried again until an event
 *   anything else           -> reported, again with growing waits
 *
 * This loop is the only place that reports a failed pass, with one line.
 */
import { backoffMs, type Random } from '../../kube/backoff.ts'
import type { Clock } from '../../kube/clock.ts'
import { isKubeError, type KubeError } from '../../kube/errors.ts'
import type { Log } from '../../kube/log.ts'
import { createWorkQueue, type WorkQueue } from '../../kube/workqueue.ts'
import { type ControllerMetrics, noMetrics, type PassResult } from './controller-metrics.ts'
import { isTerminalError } from './terminal-error.ts'

export type { ControllerMetrics, PassResult } from './controller-metrics.ts'

export interface ReconcileResult {
  /** Look again after so long, even without an event. Milliseconds; absent: only an event can change anything. */
  readonly requeueAfterMs?: number | undefined
}

/** One pass over the object behind `key`. Re-reads everything. The signal aborts when the controller is to stop. */
// biome-ignore lint/suspicious/noConfusingVoidType: a pass that has nothing to say returns nothing
export type Reconcile = (key: string, signal: AbortSignal) => Promise<ReconcileResult | void>

export interface ControllerOptions {
  /** Label of its metrics and log lines. */
  readonly name: string
  readonly reconcile: Reconcile
  /** Passes at the same time, of different keys. Default 4. */
  readonly concurrency?: number
  readonly clock: Clock
  readonly random?: Random
  readonly log: Log
  readonly metrics?: ControllerMetrics
  /** A pass that takes longer is warned about: passes must not wait for anything. Milliseconds, default 60 000. */
  readonly slowAfterMs?: number
}

export interface Controller {
  readonly name: string
  /** Something about the object may have changed. Also before `run`. */
  enqueue(key: string): void
  /** Like `enqueue`, before all keys that were enqueued without haste. */
  enqueueFirst(key: string): void
  enqueueAfter(key: string, ms: number): void
  /** Works until the signal aborts; resolves when the passes under way have ended. Called once. */
  run(signal: AbortSignal): Promise<void>
}

const DEFAULT_CONCURRENCY = 4
/** A pass that asks for no wait at all, for ever, would take a whole core. */
const SHORTEST_REQUEUE_MS = 10
/** Jittered, since two writers that lost together would meet again; and apart from the waits of real failures. */
const CONFLICT_WAIT = { baseMs: 20, maxMs: 1_000 }
const DEFAULT_SLOW_AFTER_MS = 60_000

class QueueController {
  readonly #options: ControllerOptions
  readonly #metrics: ControllerMetrics
  readonly #log: Log
  readonly #queue: WorkQueue
  /** Conflicts in a row, by key. */
  readonly #conflicts = new Map<string, number>()

  constructor(options: ControllerOptions) {
    this.#options = options
    this.#log = options.log.child({ controller: options.name })
    this.#metrics = options.metrics ?? noMetrics
    this.#queue = createWorkQueue({
      clock: options.clock,
      random: options.random ?? Math.random,
      hooks: { depth: (ready) => this.#metrics.queueDepth(ready) },
    })
  }

  enqueue(key: string): void {
    this.#queue.add(key)
  }

  enqueueFirst(key: string): void {
    this.#queue.addFirst(key)
  }

  enqueueAfter(key: string, ms: number): void {
    this.#queue.addAfter(key, ms)
  }

  async run(signal: AbortSignal): Promise<void> {
    const concurrency = this.#options.concurrency ?? DEFAULT_CONCURRENCY
    await Promise.all(Array.from({ length: concurrency }, () => this.#work(signal)))
    this.#queue.close()
  }

  async #work(signal: AbortSignal): Promise<void> {
    for (let key = await this.#queue.get(signal); key !== undefined; key = await this.#queue.get(signal)) {
      try {
        await this.#pass(key, signal)
      } finally {
        this.#queue.done(key)
      }
    }
  }

  async #pass(key: string, signal: AbortSignal): Promise<void> {
    const { clock, reconcile, slowAfterMs = DEFAULT_SLOW_AFTER_MS } = this.#options
    const startedAt = clock.monotonic()
    const cancelWarning = clock.setTimer(slowAfterMs, () => {
      this.#log.warn(
        { key, seconds: slowAfterMs / 1000 },
        'a pass is slow: it waits for something it should not wait for',
      )
    })
    let result: PassResult
    try {
      result = this.#succeeded(key, await reconcile(key, signal))
    } catch (error) {
      result = this.#failed(key, error, signal)
    } finally {
      cancelWarning()
    }
    this.#metrics.reconciled(result, (clock.monotonic() - startedAt) / 1000)
  }

  #succeeded(key: string, outcome: Awaited<ReturnType<Reconcile>>): PassResult {
    this.#queue.forget(key)
    this.#conflicts.delete(key)
    if (outcome?.requeueAfterMs === undefined) return 'success'
    this.#queue.addAfter(key, Math.max(SHORTEST_REQUEUE_MS, outcome.requeueAfterMs))
    return 'requeue'
  }

  #failed(key: string, error: unknown, signal: AbortSignal): PassResult {
    if (isKubeError(error, 'Conflict')) return this.#conflicted(key, error)
    this.#conflicts.delete(key)
    if (isTerminalError(error)) {
      this.#queue.forget(key)
      this.#log.error({ key, err: error }, 'a pass failed for good: waiting for a change of the object')
      return 'terminal'
    }
    this.#queue.addRateLimited(key)
    const code = isKubeError(error) ? error.code : undefined
    const fields = { key, code, failures: this.#queue.failures(key), err: error }
    // A pass that is interrupted by the stop is no failure.
    if (signal.aborted) this.#log.debug(fields, 'a pass was interrupted')
    else this.#log.error(fields, 'a pass failed: trying again')
    return 'error'
  }

  #conflicted(key: string, error: KubeError): PassResult {
    const before = this.#conflicts.get(key) ?? 0
    this.#conflicts.set(key, before + 1)
    const random = this.#options.random ?? Math.random
    this.#queue.addAfter(key, backoffMs(before, { ...CONFLICT_WAIT, random }))
    this.#log.debug({ key, code: error.code, conflicts: before + 1 }, 'somebody else wrote first: trying again')
    return 'conflict'
  }
}

export function createController(options: ControllerOptions): Controller {
  const controller = new QueueController(options)
  return {
    name: options.name,
    enqueue: (key) => controller.enqueue(key),
    enqueueFirst: (key) => controller.enqueueFirst(key),
    enqueueAfter: (key, ms) => controller.enqueueAfter(key, ms),
    run: (signal) => controller.run(signal),
  }
}

/**
 * Keeps a consumer in step with the objects of one kind: list, then watch, for as long as it runs.
 *
 *   list    -> the whole state at one resourceVersion (in pages; once more in one piece when a page token has expired)
 *   watch   -> events after it; bookmarks move the position on
 *   ended   -> watch again from the position
 *   silent  -> no event and no bookmark for `idleTimeoutMs`: the connection may be dead, watch again from the position
 *   Gone, ERROR event, or refused three times in a row -> list again
 *   failed  -> wait (100 ms growing to 30 s, jittered), then as above
 */
import type { KubeObject, ResourceType } from '../api/resource.ts'
import { type Backoff, createBackoff, type Random } from './backoff.ts'
import type { KubeClient, ListResult, WatchEvent } from './client.ts'
import type { Clock } from './clock.ts'
import { isKubeError } from './errors.ts'
import { isNewer } from './resource-version.ts'
import { WatchEventError } from './response-error.ts'

export interface ReflectorOptions<T extends KubeObject> {
  readonly client: KubeClient
  readonly type: ResourceType<T>
  readonly namespace?: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
  /** Objects per page of a list. Default 500. */
  readonly pageSize?: number | undefined
  /** A watch that is silent for so long is opened again. Milliseconds, default 90 000; servers send a bookmark a minute. */
  readonly idleTimeoutMs?: number | undefined
  readonly clock: Clock
  readonly random: Random
}

export interface ReflectorSink<T> {
  replaceAll(objects: readonly T[], resourceVersion: string): void
  event(event: Exclude<WatchEvent<T>, { type: 'BOOKMARK' }>): void
  hooks: ReflectorHooks
}

/** Why a reflector lists. */
export type RelistReason = 'start' | 'gone' | 'error-event' | 'refused'
/** Why a reflector opens a watch again. */
export type ReconnectReason = 'ended' | 'idle' | 'failed'

/** Called as things happen; for counters and logs. */
export interface ReflectorHooks {
  relist?(reason: RelistReason): void
  reconnect?(reason: ReconnectReason): void
  /** A list or watch failed and is tried again after `retryInMs`. */
  failed?(error: unknown, retryInMs: number): void
  /** An event at or before the position was dropped. */
  stale?(): void
}

export interface Reflector {
  /** Runs until the signal aborts; never rejects. */
  run(signal: AbortSignal): Promise<void>
  /** The position: everything up to it has been delivered. Empty before the first list. */
  lastResourceVersion(): string
}

const PAGE_SIZE = 500
const IDLE_TIMEOUT_MS = 90_000
/** A watch that lived for so long was healthy: what ended it was no trouble. */
const HEALTHY_AFTER_MS = 10_000
/** After so many refusals in a row the position itself is the suspect (a server restored from a backup, for one). */
const REFUSALS_BEFORE_RELIST = 3
/** client-go spreads the ends of watches over such a range too, so that they do not all return at once. */
const WATCH_SECONDS = { least: 290, most: 580 }

type WatchEnd = { readonly reason: ReconnectReason; readonly error?: unknown }

class ListWatch<T extends KubeObject> implements Reflector {
  readonly #options: ReflectorOptions<T>
  readonly #sink: ReflectorSink<T>
  readonly #backoff: Backoff
  #position = ''
  #relist: RelistReason | undefined = 'start'
  #refusals = 0

  constructor(options: ReflectorOptions<T>, sink: ReflectorSink<T>) {
    this.#options = options
    this.#sink = sink
    this.#backoff = createBackoff({ baseMs: 200, maxMs: 30_000, random: options.random })
  }

  lastResourceVersion(): string {
    return this.#position
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#relist !== undefined) await this.#list(this.#relist, signal)
      else await this.#watchOnce(signal)
    }
  }

  async #list(reason: RelistReason, signal: AbortSignal): Promise<void> {
    try {
      const { items, resourceVersion } = await this.#listAll(signal)
      if (signal.aborted) return
      this.#relist = undefined
      this.#refusals = 0
      this.#position = resourceVersion
      if (reason !== 'start') this.#sink.hooks.relist?.(reason)
      this.#sink.replaceAll(items, resourceVersion)
    } catch (error) {
      await this.#wait(error, signal)
    }
  }

  async #listAll(signal: AbortSignal): Promise<ListResult<T>> {
    try {
      return await this.#listPages(this.#options.pageSize ?? PAGE_SIZE, signal)
    } catch (error) {
      // The pages are a snapshot that the server keeps for a few minutes only. One piece cannot expire.
      if (!isKubeError(error, 'Gone')) throw error
      return this.#listPages(undefined, signal)
    }
  }

  async #listPages(limit: number | undefined, signal: AbortSignal): Promise<ListResult<T>> {
    const items: T[] = []
    let next: string | undefined
    for (;;) {
      const page: ListResult<T> = await this.#options.client.list(this.#options.type, {
        ...this.#selection(),
        ...(limit === undefined ? {} : { limit }),
        ...(next === undefined ? {} : { continue: next }),
        signal,
      })
      items.push(...page.items)
      next = page.continue
      if (next === undefined) return { items, resourceVersion: page.resourceVersion }
    }
  }

  async #watchOnce(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    const openedAt = clock.monotonic()
    const positionBefore = this.#position
    const end = await this.#watch(signal)
    if (signal.aborted) return
    const healthy = clock.monotonic() - openedAt >= HEALTHY_AFTER_MS
    if (healthy || this.#position !== positionBefore) {
      this.#backoff.reset()
      this.#refusals = 0
    }
    this.#judge(end)
    this.#sink.hooks.reconnect?.(end.reason)
    // Even a watch that ends without a fault may do so at once, for ever: only one that has lived is spared the wait.
    if (!healthy || end.error !== undefined) await this.#wait(end.error, signal)
  }

  /** Decides whether the position can still be used. */
  #judge({ error }: WatchEnd): void {
    if (error === undefined || isKubeError(error, 'Unreachable', 'TooManyRequests')) return
    this.#refusals++
    if (isKubeError(error, 'Gone')) this.#relist = 'gone'
    else if (error instanceof WatchEventError) this.#relist = 'error-event'
    else if (this.#refusals >= REFUSALS_BEFORE_RELIST) this.#relist = 'refused'
  }

  async #watch(parent: AbortSignal): Promise<WatchEnd> {
    const { client, type, clock } = this.#options
    const controller = new AbortController()
    const abort = (): void => controller.abort()
    parent.addEventListener('abort', abort, { once: true })
    const idleTimeoutMs = this.#options.idleTimeoutMs ?? IDLE_TIMEOUT_MS
    let cancelIdle = clock.setTimer(idleTimeoutMs, abort)
    try {
      const events = client.watch(type, this.#watchOptions(controller.signal))
      for await (const event of events) {
        cancelIdle()
        if (controller.signal.aborted) break
        this.#deliver(event)
        cancelIdle = clock.setTimer(idleTimeoutMs, abort)
      }
      return { reason: controller.signal.aborted ? 'idle' : 'ended' }
    } catch (error) {
      return controller.signal.aborted ? { reason: 'idle' } : { reason: 'failed', error }
    } finally {
      cancelIdle()
      parent.removeEventListener('abort', abort)
    }
  }

  #watchOptions(signal: AbortSignal) {
    const { least, most } = WATCH_SECONDS
    return {
      ...this.#selection(),
      resourceVersion: this.#position,
      allowBookmarks: true,
      timeoutSeconds: Math.round(least + this.#options.random() * (most - least)),
      signal,
    }
  }

  #selection(): { namespace?: string; labelSelector?: string; fieldSelector?: string } {
    const { namespace, labelSelector, fieldSelector } = this.#options
    return {
      ...(namespace === undefined ? {} : { namespace }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
    }
  }

  #deliver(event: WatchEvent<T>): void {
    const version = event.object.metadata.resourceVersion ?? ''
    const newer = !isNewer(this.#position, version) && version !== this.#position
    if (event.type !== 'BOOKMARK') {
      // A deletion may carry the version of the last write, so the store judges it; the others are repeats.
      if (newer || event.type === 'DELETED') this.#sink.event(event)
      else this.#sink.hooks.stale?.()
    }
    if (newer && version !== '') this.#position = version
  }

  async #wait(error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const asked = isKubeError(error) ? (error.details.retryAfterSeconds ?? 0) * 1000 : 0
    const delay = Math.max(asked, this.#backoff.next())
    if (error !== undefined) this.#sink.hooks.failed?.(error, delay)
    await this.#options.clock.after(delay, signal)
  }
}

export function createReflector<T extends KubeObject>(options: ReflectorOptions<T>, sink: ReflectorSink<T>): Reflector {
  return new ListWatch(options, sink)
}

/**
 * One open watch. Events are queued as references and written while the connection takes them; a client that falls
 * too far behind loses its watch, not the server its memory (it comes back with the last revision it saw).
 */
import type { ServerResponse } from 'node:http'
import type { Core } from '../registry/core.ts'
import type { OpenWatch } from '../registry/watch-hub.ts'
import type { Entry } from '../store/entry.ts'
import type { WatchEncoder, WatchEventType } from './watch-encoder.ts'

export interface Line {
  readonly type: WatchEventType
  readonly view: Entry
}

export interface WatchStreamOptions {
  readonly core: Core
  readonly storage: string
  readonly response: ServerResponse
  readonly encode: WatchEncoder
  readonly timeoutMs: number
  /** Absent: the client did not ask for bookmarks. */
  readonly makeBookmark: (() => Entry) | undefined
}

const MAX_QUEUED = 4096
/** A watch that is asked to be shorter gets no last bookmark: the real server makes them this long before the end. */
const BOOKMARKED_FROM_MS = 2000

export class WatchStream implements OpenWatch {
  readonly storage: string
  readonly #options: WatchStreamOptions
  readonly #timer: NodeJS.Timeout
  #initial: Iterator<Line> | undefined
  #queue: Line[] = []
  #unsubscribe: (() => void) | undefined
  #ended = false
  #corked = false

  constructor(options: WatchStreamOptions) {
    this.#options = options
    this.storage = options.storage
    const { response } = options
    response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache, private' })
    response.flushHeaders()
    response.on('drain', () => this.#pump())
    response.on('close', () => this.#release())
    this.#timer = setTimeout(() => this.end(), options.timeoutMs).unref()
  }

  /** Sends `initial`, then what `subscribe` brings. Nothing may happen between the two: both are synchronous. */
  start(initial: Iterable<Line>, subscribe: () => () => void): void {
    this.#initial = initial[Symbol.iterator]()
    this.#unsubscribe = subscribe()
    this.#options.core.watches.add(this)
    this.#pump()
  }

  push(line: Line): void {
    if (this.#ended) return
    this.#queue.push(line)
    if (this.#queue.length > MAX_QUEUED) this.#options.response.destroy()
    else this.#pump()
  }

  bookmark(): void {
    // Never overtakes an event: it queues behind them.
    const entry = this.#options.makeBookmark?.()
    if (entry !== undefined && this.#queue.length === 0) this.push({ type: 'BOOKMARK', view: entry })
  }

  /** Sends a last line that is no event, and ends. */
  fail(bytes: Buffer): void {
    this.#options.response.write(bytes)
    this.#release()
    this.#options.response.end()
  }

  end(): void {
    if (this.#ended) return
    if (this.#options.timeoutMs > BOOKMARKED_FROM_MS) this.bookmark()
    this.#release()
    // Ended while corked, a response loses what it holds.
    this.#uncork()
    this.#options.response.end()
  }

  #release(): void {
    this.#ended = true
    clearTimeout(this.#timer)
    this.#unsubscribe?.()
    this.#options.core.watches.remove(this)
    this.#queue = []
    this.#initial = undefined
  }

  #pump(): void {
    const { response, encode } = this.#options
    if (this.#ended) return
    this.#cork()
    while (!response.writableNeedDrain) {
      const next = this.#next()
      if (next === undefined) return
      response.write(encode(next.type, next.view))
    }
  }

  #next(): Line | undefined {
    if (this.#initial !== undefined) {
      const step = this.#initial.next()
      if (step.done !== true) return step.value
      this.#initial = undefined
    }
    return this.#queue.shift()
  }

  /** Events of one turn of the loop leave in one packet. */
  #cork(): void {
    if (this.#corked) return
    this.#corked = true
    this.#options.response.cork()
    process.nextTick(() => this.#uncork())
  }

  #uncork(): void {
    if (!this.#corked) return
    this.#corked = false
    this.#options.response.uncork()
  }
}

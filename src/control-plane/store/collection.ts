/** All objects of one resource, in key order, with the recent past that watches and paged lists need. */
import type { Entry, StoreEvent } from './entry.ts'

/** The history also ends when its texts pass this many bytes: a thousand large objects must not fill the memory. */
const HISTORY_BYTES = 8 * 1024 * 1024
const HISTORY_FLOOR = 16

export interface Page {
  readonly entries: Entry[]
  /** Key to go on after; absent on the last page. */
  readonly lastKey?: string
  readonly remaining: number
}

export interface PageRequest {
  /** `namespace/`, or empty for all. */
  readonly prefix: string
  /** Only keys after this one. */
  readonly after?: string
  /** 0: no limit. */
  readonly limit: number
  readonly matches?: (entry: Entry) => boolean
}

export class Collection {
  readonly #keys: string[] = []
  readonly #entries = new Map<string, Entry>()
  readonly #maxEvents: number
  #history: StoreEvent[] = []
  /** Index of the oldest kept event: dropping one by one from the front of an array would copy it each time. */
  #head = 0
  #historyBytes = 0
  #compacted: number

  constructor(maxEvents: number, compacted: number) {
    this.#maxEvents = maxEvents
    this.#compacted = compacted
  }

  /** Events up to and including this revision are forgotten. */
  get compacted(): number {
    return this.#compacted
  }

  get size(): number {
    return this.#keys.length
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key)
  }

  /** Entries of the store file come in key order. */
  load(entry: Entry): void {
    this.#keys.push(entry.key)
    this.#entries.set(entry.key, entry)
  }

  apply(event: StoreEvent): void {
    const { key } = event.entry
    if (event.type === 'DELETED') {
      this.#entries.delete(key)
      const at = lowerBound(this.#keys, key)
      if (this.#keys[at] === key) this.#keys.splice(at, 1)
    } else {
      if (!this.#entries.has(key)) this.#keys.splice(lowerBound(this.#keys, key), 0, key)
      this.#entries.set(key, event.entry)
    }
    this.#remember(event)
  }

  #remember(event: StoreEvent): void {
    this.#history.push(event)
    this.#historyBytes += event.entry.text.length
    while (this.#overfull()) {
      const dropped = this.#history[this.#head]
      if (dropped === undefined) break
      this.#historyBytes -= dropped.entry.text.length
      this.#compacted = dropped.entry.revision
      this.#head += 1
    }
    if (this.#head > 256 && this.#head * 2 > this.#history.length) {
      this.#history = this.#history.slice(this.#head)
      this.#head = 0
    }
  }

  #overfull(): boolean {
    const kept = this.#history.length - this.#head
    return kept > this.#maxEvents || (this.#historyBytes > HISTORY_BYTES && kept > HISTORY_FLOOR)
  }

  /** Events after `revision`, oldest first. Only valid when `revision >= compacted`. */
  eventsAfter(revision: number): StoreEvent[] {
    let low = this.#head
    let high = this.#history.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const event = this.#history[middle]
      if (event !== undefined && event.entry.revision <= revision) low = middle + 1
      else high = middle
    }
    return this.#history.slice(low)
  }

  *entries(prefix = ''): Iterable<Entry> {
    for (let at = lowerBound(this.#keys, prefix); at < this.#keys.length; at += 1) {
      const key = this.#keys[at]
      if (key === undefined || !key.startsWith(prefix)) return
      const entry = this.#entries.get(key)
      if (entry !== undefined) yield entry
    }
  }

  /** The present state. */
  page(request: PageRequest): Page {
    return cut(this.#entriesFrom(request), request)
  }

  /** The state at an earlier revision, from the present one and the events since. Only valid when `revision >= compacted`. */
  pageAt(revision: number, request: PageRequest): Page {
    const past = new Map<string, Entry | undefined>()
    for (const event of this.eventsAfter(revision)) {
      if (!past.has(event.entry.key)) past.set(event.entry.key, event.previous)
    }
    if (past.size === 0) return this.page(request)
    const start = request.after ?? ''
    const replaced = [...past].filter(([key]) => key.startsWith(request.prefix) && key > start)
    const entries = [...this.#entriesFrom(request)].filter((entry) => !past.has(entry.key))
    for (const [, entry] of replaced) if (entry !== undefined) entries.push(entry)
    entries.sort((a, b) => (a.key < b.key ? -1 : 1))
    return cut(entries, request)
  }

  *#entriesFrom(request: PageRequest): Iterable<Entry> {
    const start = request.after ?? ''
    const from = start > request.prefix ? lowerBound(this.#keys, start) : lowerBound(this.#keys, request.prefix)
    for (let at = from; at < this.#keys.length; at += 1) {
      const key = this.#keys[at]
      if (key === undefined || !key.startsWith(request.prefix)) return
      const entry = key === start ? undefined : this.#entries.get(key)
      if (entry !== undefined) yield entry
    }
  }
}

function cut(source: Iterable<Entry>, request: PageRequest): Page {
  const entries: Entry[] = []
  let remaining = 0
  for (const entry of source) {
    if (request.matches !== undefined && !request.matches(entry)) continue
    if (request.limit > 0 && entries.length >= request.limit) remaining += 1
    else entries.push(entry)
  }
  const last = entries.at(-1)
  return { entries, remaining, ...(remaining > 0 && last !== undefined ? { lastKey: last.key } : {}) }
}

/** First index whose key is not below `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((keys[middle] ?? '') < key) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * All objects of one control plane under one counter of revisions.
 *
 * A write is: persist, change the index, then tell the listeners. Everything is synchronous, so a caller that reads,
 * decides and writes without awaiting cannot be interleaved; `expected` guards the callers that do await.
 */
import type { StoredObject } from '../registry/resource-definition.ts'
import { Collection } from './collection.ts'
import { Entry, type StoreEvent } from './entry.ts'
import type { Persistence } from './persistence.ts'

export type StoreListener = (event: StoreEvent) => void

export interface StoreOptions {
  readonly persistence: Persistence
  /** Past events kept per resource. */
  readonly watchHistory: number
  readonly onError: (error: unknown, context: string) => void
}

/** The entry that a write was computed from is no longer the present one. */
export class StaleEntryError extends Error {
  override readonly name = 'StaleEntryError'
}

export class Store {
  readonly #persistence: Persistence
  readonly #watchHistory: number
  readonly #onError: (error: unknown, context: string) => void
  readonly #collections = new Map<string, Collection>()
  readonly #listeners = new Set<StoreListener>()
  readonly #watchers = new Map<string, Set<StoreListener>>()
  readonly #undelivered: StoreEvent[] = []
  readonly #loaded: number
  #delivering = false
  #revision: number

  /** @throws StoreError when the persisted rows cannot be read. */
  constructor(options: StoreOptions) {
    this.#persistence = options.persistence
    this.#watchHistory = options.watchHistory
    this.#onError = options.onError
    this.#loaded = options.persistence.revision
    this.#revision = this.#loaded
    for (const row of options.persistence.load()) {
      this.collection(row.resource).load(new Entry(row.key, row.revision, row.text))
    }
  }

  /** The revision of the last write. */
  get revision(): number {
    return this.#revision
  }

  collection(resource: string): Collection {
    let collection = this.#collections.get(resource)
    if (collection === undefined) {
      collection = new Collection(this.#watchHistory, this.#loaded)
      this.#collections.set(resource, collection)
    }
    return collection
  }

  /** Resources that hold, or held, objects. */
  resources(): Iterable<string> {
    return this.#collections.keys()
  }

  get(resource: string, key: string): Entry | undefined {
    return this.#collections.get(resource)?.get(key)
  }

  /**
   * Creates or replaces. Sets `metadata.resourceVersion` of `object`, which the store owns from then on.
   * @throws StaleEntryError when the key does not hold `expected` (undefined: nothing)
   * @throws StoreError `WriteFailed`
   */
  put(resource: string, key: string, object: StoredObject, expected: Entry | undefined): Entry {
    this.#requireCurrent(resource, key, expected)
    const entry = renderEntry(key, this.#revision + 1, object)
    this.#persistence.put({ resource, key, revision: entry.revision, text: entry.text })
    this.#commit(
      expected === undefined
        ? { type: 'ADDED', resource, entry }
        : { type: 'MODIFIED', resource, entry, previous: expected },
    )
    return entry
  }

  /**
   * Removes; `last` (default: what is stored) is the state that watchers are told.
   * @throws StaleEntryError, StoreError `WriteFailed`
   */
  remove(resource: string, expected: Entry, last: StoredObject = expected.copy()): Entry {
    this.#requireCurrent(resource, expected.key, expected)
    const entry = renderEntry(expected.key, this.#revision + 1, last)
    this.#persistence.remove(resource, entry.key, entry.revision)
    this.#commit({ type: 'DELETED', resource, entry, previous: expected })
    return entry
  }

  /** Called for every event, before any watcher. Answers how to stop. */
  onEvent(listener: StoreListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Called for events of one resource, in order. Answers how to stop. */
  watch(resource: string, watcher: StoreListener): () => void {
    let watchers = this.#watchers.get(resource)
    if (watchers === undefined) {
      watchers = new Set()
      this.#watchers.set(resource, watchers)
    }
    const set = watchers.add(watcher)
    return () => set.delete(watcher)
  }

  close(): void {
    this.#listeners.clear()
    this.#watchers.clear()
    this.#persistence.close()
  }

  #requireCurrent(resource: string, key: string, expected: Entry | undefined): void {
    if (this.get(resource, key) !== expected) throw new StaleEntryError(`${resource} ${key} has changed`)
  }

  #commit(event: StoreEvent): void {
    this.#revision = event.entry.revision
    this.collection(event.resource).apply(event)
    this.#undelivered.push(event)
    // A listener may write; its event waits its turn, so that everyone sees events in the order of revisions.
    if (!this.#delivering) this.#deliver()
  }

  #deliver(): void {
    this.#delivering = true
    try {
      for (let event = this.#undelivered.shift(); event !== undefined; event = this.#undelivered.shift()) {
        for (const listener of this.#listeners) this.#tell(listener, event)
        for (const watcher of this.#watchers.get(event.resource) ?? []) this.#tell(watcher, event)
      }
    } finally {
      this.#delivering = false
    }
  }

  #tell(listener: StoreListener, event: StoreEvent): void {
    try {
      listener(event)
    } catch (error) {
      this.#onError(error, `delivery of an event of ${event.resource} ${event.entry.key}`)
    }
  }
}

function renderEntry(key: string, revision: number, object: StoredObject): Entry {
  object.metadata.resourceVersion = String(revision)
  const { apiVersion, kind, metadata, ...rest } = object
  return new Entry(key, revision, JSON.stringify({ apiVersion, kind, metadata, ...rest }), object)
}

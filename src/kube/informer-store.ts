/**
 * The cached objects of one kind, with indexes. Applies what the reflector sees and answers what really changed:
 * an event that is older than what is held changes nothing.
 */
import type { KubeObject } from '../api/resource.ts'
import { objectKey } from './object-key.ts'
import { compareResourceVersions, isNewer } from './resource-version.ts'

export interface Change<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  /** For `DELETED` the last state that was seen. */
  readonly object: Readonly<T>
  /** The state before; absent for `ADDED`. */
  readonly old?: Readonly<T>
}

export type IndexFunction<T> = (object: Readonly<T>) => readonly string[]

export interface InformerStore<T> {
  get(key: string): Readonly<T> | undefined
  list(): Readonly<T>[]
  byIndex(index: string, value: string): Readonly<T>[]
  /** One event of a watch. */
  apply(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): Change<T>[]
  /** A whole list: what is missing in it was deleted unseen. */
  replaceAll(objects: readonly T[]): Change<T>[]
}

/** Cached objects are shared by everybody: whoever writes into one gets a TypeError at once instead of a puzzle later. */
function freeze<V>(value: V): V {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) freeze(part)
  }
  return value
}

/** Nobody here asks who owns which field, and the answer is as large as the object itself. */
function slim<T extends KubeObject>(object: T): T {
  if (object.metadata.managedFields !== undefined && !Object.isFrozen(object.metadata))
    delete object.metadata.managedFields
  return object
}

class Index<T extends KubeObject> {
  readonly #keys = new Map<string, Set<string>>()
  readonly #valuesOf: IndexFunction<T>

  constructor(valuesOf: IndexFunction<T>) {
    this.#valuesOf = valuesOf
  }

  add(key: string, object: T): void {
    for (const value of this.#valuesOf(object)) {
      const keys = this.#keys.get(value)
      if (keys === undefined) this.#keys.set(value, new Set([key]))
      else keys.add(key)
    }
  }

  remove(key: string, object: T): void {
    for (const value of this.#valuesOf(object)) {
      const keys = this.#keys.get(value)
      keys?.delete(key)
      if (keys?.size === 0) this.#keys.delete(value)
    }
  }

  keys(value: string): Iterable<string> {
    return this.#keys.get(value) ?? []
  }
}

class Store<T extends KubeObject> implements InformerStore<T> {
  readonly #objects = new Map<string, T>()
  readonly #indexes = new Map<string, Index<T>>()

  constructor(indexes: Readonly<Record<string, IndexFunction<T>>>) {
    for (const [name, valuesOf] of Object.entries(indexes)) this.#indexes.set(name, new Index(valuesOf))
  }

  get(key: string): T | undefined {
    return this.#objects.get(key)
  }

  list(): T[] {
    return [...this.#objects.values()]
  }

  byIndex(name: string, value: string): T[] {
    const index = this.#indexes.get(name)
    if (index === undefined) throw new RangeError(`the informer has no index ${JSON.stringify(name)}`)
    return [...index.keys(value)].flatMap((key) => this.#objects.get(key) ?? [])
  }

  apply(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): Change<T>[] {
    const held = this.#objects.get(objectKey(object))
    if (type === 'DELETED') return this.#applyDelete(held, object)
    // Not newer than what is held: a repeated or late event, whatever its UID.
    if (held !== undefined && !isNewerOrUnordered(object, held)) return []
    return this.#put(held, object)
  }

  replaceAll(objects: readonly T[]): Change<T>[] {
    const present = new Set(objects.map(objectKey))
    const gone = [...this.#objects].filter(([key]) => !present.has(key)).map(([, object]) => this.#drop(object, object))
    const changed = objects.flatMap((object) => {
      const held = this.#objects.get(objectKey(object))
      return isSame(held, object) ? [] : this.#put(held, object)
    })
    return [...gone, ...changed]
  }

  #applyDelete(held: T | undefined, object: T): Change<T>[] {
    if (held === undefined || isNewer(held.metadata.resourceVersion, object.metadata.resourceVersion)) return []
    return [this.#drop(held, freeze(object))]
  }

  /** A name that now belongs to another UID was deleted and made again: both are told. */
  #put(held: T | undefined, object: T): Change<T>[] {
    if (held !== undefined && held.metadata.uid !== object.metadata.uid) {
      return [this.#drop(held, held), ...this.#put(undefined, object)]
    }
    const key = objectKey(object)
    const next: T = freeze(slim(object))
    for (const index of this.#indexes.values()) {
      if (held !== undefined) index.remove(key, held)
      index.add(key, next)
    }
    this.#objects.set(key, next)
    return [held === undefined ? { type: 'ADDED', object: next } : { type: 'MODIFIED', object: next, old: held }]
  }

  #drop(held: T, last: T): Change<T> {
    const key = objectKey(held)
    for (const index of this.#indexes.values()) index.remove(key, held)
    this.#objects.delete(key)
    return { type: 'DELETED', object: last, old: held }
  }
}

function isNewerOrUnordered(object: KubeObject, held: KubeObject): boolean {
  const order = compareResourceVersions(object.metadata.resourceVersion, held.metadata.resourceVersion)
  return order === undefined || order > 0
}

function isSame(held: KubeObject | undefined, object: KubeObject): boolean {
  return (
    held?.metadata.uid === object.metadata.uid && held?.metadata.resourceVersion === object.metadata.resourceVersion
  )
}

export function createInformerStore<T extends KubeObject>(
  indexes: Readonly<Record<string, IndexFunction<T>>> = {},
): InformerStore<T> {
  return new Store(indexes)
}

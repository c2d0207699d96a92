/** Where objects outlive the process. The store writes here first and only then changes what it serves. */

export interface PersistedRow {
  /** `plural.group`. */
  readonly resource: string
  /** `namespace/name`, or `name` of a cluster-scoped object. */
  readonly key: string
  readonly revision: number
  /** The object as JSON. */
  readonly text: string
}

/** `put` and `remove` are atomic and throw `StoreError` (`WriteFailed`) with nothing changed. */
export interface Persistence {
  /** The highest revision ever acknowledged. */
  readonly revision: number
  /** All rows, ordered by resource, then key. */
  load(): Iterable<PersistedRow>
  put(row: PersistedRow): void
  remove(resource: string, key: string, revision: number): void
  close(): void
}

/** Keeps nothing. */
export function createMemoryPersistence(): Persistence {
  return {
    revision: 0,
    load: () => [],
    put: () => undefined,
    remove: () => undefined,
    close: () => undefined,
  }
}

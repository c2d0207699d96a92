/** One revision of one object, as it is kept and served: JSON text, parsed at most once. */
import type { StoredObject } from '../registry/resource-definition.ts'

export class Entry {
  /** `namespace/name`, or `name`. */
  readonly key: string
  readonly revision: number
  readonly text: string
  #object: StoredObject | undefined

  constructor(key: string, revision: number, text: string, object?: StoredObject) {
    this.key = key
    this.revision = revision
    this.text = text
    this.#object = object
  }

  /** Shared by all readers: never change it; take a `copy`. */
  get object(): StoredObject {
    this.#object ??= JSON.parse(this.text) as StoredObject
    return this.#object
  }

  /** The parsed object, if there is one already. */
  get held(): StoredObject | undefined {
    return this.#object
  }

  copy(): StoredObject {
    return JSON.parse(this.text) as StoredObject
  }
}

export function keyOf(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`
}

export type StoreEventType = 'ADDED' | 'MODIFIED' | 'DELETED'

export interface StoreEvent {
  readonly type: StoreEventType
  /** `plural.group`. */
  readonly resource: string
  /** DELETED: the last state, carrying the revision of the deletion. */
  readonly entry: Entry
  /** What the key held before; absent for ADDED. */
  readonly previous?: Entry
}

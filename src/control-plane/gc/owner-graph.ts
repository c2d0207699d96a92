/** Which stored objects name which owners: kept up with every event, so that nothing has to be searched. */
import type { StoredObject } from '../registry/resource-definition.ts'
import type { Entry, StoreEvent } from '../store/entry.ts'

/** `resource key` of a stored object. */
export type Address = string

export function addressOf(resource: string, key: string): Address {
  return `${resource} ${key}`
}

export function splitAddress(address: Address): { resource: string; key: string } {
  const space = address.indexOf(' ')
  return { resource: address.slice(0, space), key: address.slice(space + 1) }
}

export type OwnerReference = NonNullable<StoredObject['metadata']['ownerReferences']>[number]

/** Looks at the text first: most objects have no owner, and are then not parsed for it. */
export function ownersOf(entry: Entry | undefined): readonly OwnerReference[] {
  if (entry === undefined || !entry.text.includes('"ownerReferences"')) return []
  return entry.object.metadata.ownerReferences ?? []
}

export class OwnerGraph {
  readonly #dependents = new Map<string, Set<Address>>()
  /** UIDs of removed objects that something still names. */
  readonly #gone = new Set<string>()

  /** Addresses of objects that name this UID as an owner. */
  dependentsOf(uid: string): readonly Address[] {
    return [...(this.#dependents.get(uid) ?? [])]
  }

  /** True when an object of this UID was seen to go. */
  isGone(uid: string): boolean {
    return this.#gone.has(uid)
  }

  apply({ type, resource, entry, previous }: StoreEvent): void {
    if (type === 'DELETED') this.#markGone(entry)
    const address = addressOf(resource, entry.key)
    const before = ownersOf(previous)
    const now = type === 'DELETED' ? [] : ownersOf(entry)
    if (before.length === 0 && now.length === 0) return
    for (const { uid } of before) this.#remove(uid, address)
    for (const { uid } of now) this.#add(uid, address)
  }

  #markGone(entry: Entry): void {
    if (this.#dependents.size === 0) return
    const { uid } = entry.object.metadata
    if (this.#dependents.has(uid)) this.#gone.add(uid)
  }

  #add(uid: string, address: Address): void {
    const known = this.#dependents.get(uid)
    if (known === undefined) this.#dependents.set(uid, new Set([address]))
    else known.add(address)
  }

  #remove(uid: string, address: Address): void {
    const known = this.#dependents.get(uid)
    known?.delete(address)
    if (known === undefined || known.size > 0) return
    this.#dependents.delete(uid)
    this.#gone.delete(uid)
  }
}

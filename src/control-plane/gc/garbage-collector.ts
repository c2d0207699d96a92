/**
 * Owner references.
 *
 * - An object whose owners are all gone is deleted; if some live, the references to the dead ones are dropped.
 * - An owner deleted in the foreground stays until the dependents that block it are gone.
 * - An owner deleted with `orphan` stays until no dependent names it any more.
 *
 * An owner is the same only if its UID is: one of the same name that came later is another object.
 */
import { ApiError } from '../errors.ts'
import type { Core } from '../registry/core.ts'
import { deleteObject, FOREGROUND, isReadyToGo, ORPHAN } from '../registry/delete-object.ts'
import { storageName } from '../registry/kind-traits.ts'
import type { ResourceDefinition, StoredObject } from '../registry/resource-definition.ts'
import { type Entry, keyOf, type StoreEvent } from '../store/entry.ts'
import { type Address, addressOf, OwnerGraph, type OwnerReference, ownersOf, splitAddress } from './owner-graph.ts'
import { TaskQueue } from './task-queue.ts'

type OwnerState = 'alive' | 'waiting' | 'gone' | 'unknown'

export class GarbageCollector {
  readonly #core: Core
  readonly #graph = new OwnerGraph()
  readonly #queue: TaskQueue

  constructor(core: Core) {
    this.#core = core
    this.#queue = new TaskQueue(
      (address) => this.#examine(address),
      (error, address) => core.onError(error, `garbage collection of ${address}`),
    )
  }

  start(): void {
    const { store } = this.#core
    store.onEvent((event) => this.#onEvent(event))
    // What an earlier process left half done goes on.
    for (const resource of store.resources()) {
      for (const entry of store.collection(resource).entries()) this.#onEvent({ type: 'ADDED', resource, entry })
    }
  }

  stop(): void {
    this.#queue.stop()
  }

  #onEvent(event: StoreEvent): void {
    this.#graph.apply(event)
    const { type, resource, entry } = event
    if (type === 'DELETED') {
      for (const dependent of this.#graph.dependentsOf(entry.object.metadata.uid)) this.#queue.add(dependent)
      for (const owner of ownersOf(entry)) this.#addOwner(owner, entry)
      return
    }
    if (ownersOf(entry).length > 0 || isHeld(entry)) this.#queue.add(addressOf(resource, entry.key))
    for (const owner of ownersOf(event.previous)) this.#addOwner(owner, entry)
  }

  /** A foreground deletion may be waiting for this dependent. */
  #addOwner(owner: OwnerReference, dependent: Entry): void {
    const found = this.#find(owner, dependent)
    if (found !== undefined && isHeld(found.entry)) this.#queue.add(addressOf(found.resource, found.entry.key))
  }

  #examine(address: Address): void {
    const { resource, key } = splitAddress(address)
    const definition = this.#core.registry.findStored(resource)
    const entry = this.#core.store.get(resource, key)
    if (definition === undefined || entry === undefined) return
    if (entry.object.metadata.deletionTimestamp !== undefined) {
      if (hasFinalizer(entry, ORPHAN)) this.#orphanDependents(definition, entry)
      else if (hasFinalizer(entry, FOREGROUND)) this.#deleteDependents(definition, entry)
      return
    }
    this.#checkOwners(definition, entry)
  }

  #checkOwners(definition: ResourceDefinition, entry: Entry): void {
    const owners = ownersOf(entry)
    if (owners.length === 0) return
    const states = owners.map((owner) => this.#stateOf(owner, definition, entry))
    if (states.some((state) => state === 'unknown')) return
    if (states.includes('alive')) {
      // A dead owner's name must not come back to life as the owner of this object, and one that waits is not to wait for it.
      if (states.some((state) => state !== 'alive')) {
        this.#dropOwners(definition, entry, (_, index) => states[index] !== 'alive')
      }
      return
    }
    const dependents = this.#graph.dependentsOf(entry.object.metadata.uid)
    if (!states.includes('waiting') || dependents.length === 0) {
      this.#delete(definition, entry, 'Background')
      return
    }
    const inCircle = dependents.some((address) => this.#isDeletingDependents(address))
    this.#delete(definition, inCircle ? this.#unblock(definition, entry) : entry, 'Foreground')
  }

  #isDeletingDependents(address: Address): boolean {
    const { resource, key } = splitAddress(address)
    const entry = this.#core.store.get(resource, key)
    return entry !== undefined && isHeld(entry) && hasFinalizer(entry, FOREGROUND)
  }

  /** Owners that own each other would wait for each other for ever: this one is no longer waited for. */
  #unblock(definition: ResourceDefinition, entry: Entry): Entry {
    if (ownersOf(entry).every(({ blockOwnerDeletion }) => blockOwnerDeletion !== true)) return entry
    const object = entry.copy()
    object.metadata.ownerReferences = ownersOf(entry).map((owner) => ({ ...owner, blockOwnerDeletion: false }))
    return this.#core.store.put(storageName(definition), entry.key, object, entry)
  }

  #stateOf(owner: OwnerReference, definition: ResourceDefinition, dependent: Entry): OwnerState {
    // With its CRD an owner's kind goes too: what was seen to go needs no look-up.
    if (this.#graph.isGone(owner.uid)) return 'gone'
    const kind = this.#core.registry.findKind(owner)
    if (kind === undefined) return 'unknown'
    // A cluster-scoped object cannot be owned from inside a namespace: nobody could say from which one.
    if (kind.namespaced && !definition.namespaced) return 'unknown'
    const found = this.#find(owner, dependent)
    if (found === undefined) return 'gone'
    const { deletionTimestamp } = found.entry.object.metadata
    return deletionTimestamp !== undefined && hasFinalizer(found.entry, FOREGROUND) ? 'waiting' : 'alive'
  }

  #find(owner: OwnerReference, dependent: Entry): { resource: string; entry: Entry } | undefined {
    const kind = this.#core.registry.findKind(owner)
    if (kind === undefined) return undefined
    const { namespace } = dependent.object.metadata
    const resource = storageName(kind)
    const entry = this.#core.store.get(resource, keyOf(kind.namespaced ? namespace : undefined, owner.name))
    return entry?.object.metadata.uid === owner.uid ? { resource, entry } : undefined
  }

  #deleteDependents(definition: ResourceDefinition, owner: Entry): void {
    const { uid } = owner.object.metadata
    let blocked = false
    for (const address of this.#graph.dependentsOf(uid)) {
      const { resource, key } = splitAddress(address)
      const dependent = this.#core.store.get(resource, key)
      if (dependent === undefined) continue
      if (ownersOf(dependent).some((owned) => owned.uid === uid && owned.blockOwnerDeletion === true)) blocked = true
      this.#queue.add(address)
    }
    if (!blocked) this.#removeFinalizer(definition, owner, FOREGROUND)
  }

  #orphanDependents(definition: ResourceDefinition, owner: Entry): void {
    const { uid } = owner.object.metadata
    for (const address of this.#graph.dependentsOf(uid)) {
      const { resource, key } = splitAddress(address)
      const dependent = this.#core.store.get(resource, key)
      const kind = this.#core.registry.findStored(resource)
      if (dependent !== undefined && kind !== undefined) this.#dropOwners(kind, dependent, (ref) => ref.uid === uid)
    }
    this.#removeFinalizer(definition, owner, ORPHAN)
  }

  #dropOwners(
    definition: ResourceDefinition,
    entry: Entry,
    isDropped: (owner: OwnerReference, index: number) => boolean,
  ): void {
    const object = entry.copy()
    const kept = ownersOf(entry).filter((owner, index) => !isDropped(owner, index))
    if (kept.length > 0) object.metadata.ownerReferences = kept
    else delete object.metadata.ownerReferences
    this.#core.store.put(storageName(definition), entry.key, object, entry)
  }

  #removeFinalizer(definition: ResourceDefinition, entry: Entry, finalizer: string): void {
    const object: StoredObject = entry.copy()
    const kept = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer)
    if (kept.length > 0) object.metadata.finalizers = kept
    else delete object.metadata.finalizers
    const storage = storageName(definition)
    if (isReadyToGo(definition, object)) this.#core.store.remove(storage, entry, object)
    else this.#core.store.put(storage, entry.key, object, entry)
  }

  #delete(definition: ResourceDefinition, entry: Entry, fallback: 'Foreground' | 'Background'): void {
    // The object's own finalizers say what is to become of its dependents.
    const own = hasFinalizer(entry, ORPHAN) ? 'Orphan' : hasFinalizer(entry, FOREGROUND) ? 'Foreground' : fallback
    const { uid, resourceVersion } = entry.object.metadata
    try {
      deleteObject(this.#core, definition, entry, { propagationPolicy: own, uid, resourceVersion })
    } catch (error) {
      // Changed meanwhile: its own event brings it back into the queue.
      if (!(error instanceof ApiError && error.code === 409)) throw error
    }
  }
}

function hasFinalizer(entry: Entry, finalizer: string): boolean {
  return entry.object.metadata.finalizers?.includes(finalizer) ?? false
}

/** Waits for the collector. */
function isHeld(entry: Entry): boolean {
  if (!entry.text.includes('"deletionTimestamp"')) return false
  return (
    entry.object.metadata.deletionTimestamp !== undefined &&
    (hasFinalizer(entry, ORPHAN) || hasFinalizer(entry, FOREGROUND))
  )
}

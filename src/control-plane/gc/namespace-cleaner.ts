/**
 * The end of a namespace: its content is deleted, pods first; when nothing is left the `kubernetes` finalizer goes, and
 * the namespace with it. Until then its conditions say what still holds it.
 */
import type { Core } from '../registry/core.ts'
import { formatTime } from '../registry/core.ts'
import { deleteObject, isReadyToGo } from '../registry/delete-object.ts'
import { storageName } from '../registry/kind-traits.ts'
import type { ResourceDefinition, StoredObject } from '../registry/resource-definition.ts'
import type { Entry } from '../store/entry.ts'
import { remainingConditions } from './namespace-conditions.ts'
import { TaskQueue } from './task-queue.ts'

export class NamespaceCleaner {
  readonly #core: Core
  readonly #queue: TaskQueue
  readonly #terminating = new Set<string>()

  constructor(core: Core) {
    this.#core = core
    this.#queue = new TaskQueue(
      (name) => this.#clean(name),
      (error, name) => core.onError(error, `clean-up of namespace ${name}`),
    )
  }

  start(): void {
    const { store } = this.#core
    for (const entry of store.collection('namespaces').entries()) this.#onNamespace(entry)
    store.onEvent(({ type, resource, entry }) => {
      if (resource === 'namespaces') {
        if (type === 'DELETED') this.#terminating.delete(entry.key)
        else this.#onNamespace(entry)
      } else if (this.#terminating.size > 0) {
        const namespace = entry.key.split('/', 1)[0] ?? ''
        if (this.#terminating.has(namespace)) this.#queue.add(namespace)
      }
    })
  }

  stop(): void {
    this.#queue.stop()
  }

  #onNamespace(entry: Entry): void {
    if (entry.object.metadata.deletionTimestamp === undefined) return
    this.#terminating.add(entry.key)
    this.#queue.add(entry.key)
  }

  #clean(name: string): void {
    const entry = this.#core.store.get('namespaces', name)
    const definition = this.#core.registry.findStored('namespaces')
    if (entry === undefined || definition === undefined) return
    if (entry.object.metadata.deletionTimestamp === undefined) return
    const kinds = this.#contentKinds()
    const pods = kinds.filter((kind) => storageName(kind) === 'pods')
    this.#deleteAll(pods, name)
    // Pods end first: what they use stays until then `[k8s OrderedNamespaceDeletion]`.
    if (this.#left(pods, name).length === 0) this.#deleteAll(kinds, name)
    const left = this.#left(kinds, name)
    if (left.length === 0) this.#finalize(definition, name)
    else this.#report(name, left)
  }

  #contentKinds(): ResourceDefinition[] {
    return [...this.#core.registry.stored()].filter(({ namespaced }) => namespaced)
  }

  #deleteAll(kinds: readonly ResourceDefinition[], namespace: string): void {
    for (const definition of kinds) {
      const entries = this.#core.store.collection(storageName(definition)).entries(`${namespace}/`)
      for (const entry of [...entries]) {
        if (entry.object.metadata.deletionTimestamp === undefined) {
          deleteObject(this.#core, definition, entry, { propagationPolicy: 'Background' })
        }
      }
    }
  }

  #left(kinds: readonly ResourceDefinition[], namespace: string): StoredObject[] {
    return kinds.flatMap((definition) =>
      [...this.#core.store.collection(storageName(definition)).entries(`${namespace}/`)].map((entry) => entry.object),
    )
  }

  #finalize(definition: ResourceDefinition, name: string): void {
    const entry = this.#core.store.get('namespaces', name)
    if (entry === undefined) return
    const object = entry.copy()
    const spec = (object['spec'] ?? {}) as { finalizers?: string[] }
    const finalizers = (spec.finalizers ?? []).filter((finalizer) => finalizer !== 'kubernetes')
    if (finalizers.length === (spec.finalizers ?? []).length) return
    object['spec'] = finalizers.length > 0 ? { ...spec, finalizers } : {}
    if (isReadyToGo(definition, object)) this.#core.store.remove('namespaces', entry, object)
    else this.#core.store.put('namespaces', name, object, entry)
  }

  #report(name: string, left: readonly StoredObject[]): void {
    const entry = this.#core.store.get('namespaces', name)
    if (entry === undefined) return
    const object = entry.copy()
    const status = (object['status'] ?? {}) as { conditions?: unknown[] }
    const conditions = remainingConditions(left, formatTime(this.#core.now()), status.conditions ?? [])
    if (JSON.stringify(conditions) === JSON.stringify(status.conditions)) return
    object['status'] = { ...status, conditions }
    this.#core.store.put('namespaces', name, object, entry)
  }
}

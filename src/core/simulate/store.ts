/** A small object store that behaves as a Kubernetes API does where it matters: UIDs, versions, fences, finalizers. */

import type { ObjectMeta } from '../../api/resource.ts'
import { formatTimestamp } from '../../api/timestamp.ts'

export interface Stored {
  metadata: ObjectMeta
  status?: unknown
}

export interface Fence {
  readonly uid?: string
  readonly resourceVersion?: string
}

export interface Store<T extends Stored> {
  readonly list: () => T[]
  readonly get: (name: string) => T | undefined
  /** False when the name is taken. */
  readonly create: (object: T) => boolean
  /** Replaces the object. False when it is gone or not the one the fence asks for. */
  readonly update: (name: string, fence: Fence, change: (object: T) => T) => boolean
  readonly remove: (name: string, fence: Fence) => boolean
}

export interface StoreHooks<T extends Stored> {
  readonly now: () => number
  /** A number never given before. */
  readonly serial: () => number
  /** Called before each write; throws to play a crash. */
  readonly beforeWrite: () => void
  /** `after` is undefined when the object is gone. */
  readonly onChange: (before: T | undefined, after: T | undefined) => void
}

export function createStore<T extends Stored>(hooks: StoreHooks<T>): Store<T> {
  const objects = new Map<string, T>()

  const put = (name: string, before: T | undefined, object: T): void => {
    const metadata = { ...object.metadata, resourceVersion: String(hooks.serial()) }
    const after = { ...object, metadata }
    if (metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0) {
      objects.delete(name)
      hooks.onChange(before, undefined)
      return
    }
    objects.set(name, after)
    hooks.onChange(before, after)
  }

  const find = (name: string, fence: Fence): T | undefined => {
    const object = objects.get(name)
    if (object === undefined) return undefined
    const { uid, resourceVersion } = object.metadata
    if (fence.uid !== undefined && fence.uid !== uid) return undefined
    return fence.resourceVersion !== undefined && fence.resourceVersion !== resourceVersion ? undefined : object
  }

  return {
    list: () => [...objects.values()],
    get: (name) => objects.get(name),
    create(object) {
      const name = object.metadata.name ?? ''
      if (objects.has(name)) return false
      hooks.beforeWrite()
      const uid = `u${hooks.serial()}`
      put(name, undefined, {
        ...object,
        metadata: { ...object.metadata, uid, generation: 1, creationTimestamp: formatTimestamp(hooks.now()) },
      })
      return true
    },
    update(name, fence, change) {
      const before = find(name, fence)
      if (before === undefined) return false
      hooks.beforeWrite()
      put(name, before, change(before))
      return true
    },
    remove(name, fence) {
      const before = find(name, fence)
      if (before === undefined || before.metadata.deletionTimestamp !== undefined) return false
      hooks.beforeWrite()
      const metadata = { ...before.metadata, deletionTimestamp: formatTimestamp(hooks.now()) }
      put(name, before, { ...before, metadata })
      return true
    },
  }
}

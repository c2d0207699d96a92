/** Objects of one kind as this replica knows them: the cache, and what it wrote itself and the cache does not show yet. */
import type { KubeObject, ResourceType } from '../api/resource.ts'
import type { KubeClient } from '../kube/client.ts'
import type { Clock } from '../kube/clock.ts'
import { createOwnWrites } from '../kube/own-writes.ts'
import type { ObjectCache } from './deps.ts'
import { createNameSignals } from './name-signals.ts'
import { readObject } from './read-object.ts'

export interface ObjectStore<T extends KubeObject> {
  /** Newest state known here, without asking the API server. */
  peek(name: string): Readonly<T> | undefined
  /** `peek`, and the API server's answer when nothing is known. */
  find(name: string): Promise<Readonly<T> | undefined>
  /** The API server's answer. */
  read(name: string): Promise<T | undefined>
  list(): Readonly<T>[]
  /** Takes note of an own write. */
  wrote(object: T): void
  /** Called after each change of that object, its end included. */
  onChange(name: string, listener: () => void): () => void
  close(): void
}

export interface ObjectStoreDeps<T extends KubeObject> {
  readonly cache: ObjectCache<T>
  readonly client: KubeClient
  readonly clock: Clock
  readonly type: ResourceType<T>
  readonly namespace: string
}

/** A created object that the cache never shows (it was gone before) is forgotten after this time. */
const CREATED_TTL_MS = 5_000

export function createObjectStore<T extends KubeObject>(deps: ObjectStoreDeps<T>): ObjectStore<T> {
  const { cache, client, type, namespace } = deps
  const own = createOwnWrites<T>()
  const created = createCreated<T>(deps, ({ metadata }) => {
    if (cache.get(namespace, metadata.name ?? '') === undefined) own.forget(metadata)
  })
  const signals = createNameSignals()
  const unsubscribe = cache.on((event) => {
    const { metadata } = event.object
    if (metadata.namespace !== namespace) return
    if (event.type === 'DELETED') own.forget(metadata)
    created.forget(metadata.name ?? '')
    signals.announce(metadata.name ?? '')
  })
  const peek = (name: string): Readonly<T> | undefined => {
    const cached = cache.get(namespace, name)
    return cached === undefined ? created.get(name) : own.latest(cached)
  }
  const read = (name: string) => readObject(client, type, { name, namespace })
  const wrote = (object: T): void => {
    const { name = '' } = object.metadata
    own.record(object)
    if (cache.get(namespace, name) === undefined) created.add(name, object)
    signals.announce(name)
  }
  return {
    peek,
    read,
    wrote,
    async find(name) {
      const known = peek(name)
      if (known !== undefined) return known
      const object = await read(name)
      // Newer than the cache, as an own write is: a wait that follows must know it too.
      if (object !== undefined) wrote(object)
      return object
    },
    list: () =>
      cache
        .list()
        .filter(({ metadata }) => metadata.namespace === namespace)
        .map((object) => own.latest(object)),
    onChange: signals.on,
    close() {
      unsubscribe()
      created.close()
    },
  }
}

/** Objects that the cache does not show yet. `onLost`: it has not shown one in time. */
function createCreated<T>({ clock }: { readonly clock: Clock }, onLost: (object: T) => void) {
  const objects = new Map<string, { readonly object: T; cancelTimer(): void }>()
  const forget = (name: string): void => {
    objects.get(name)?.cancelTimer()
    objects.delete(name)
  }
  return {
    get: (name: string) => objects.get(name)?.object,
    forget,
    add(name: string, object: T) {
      forget(name)
      const cancelTimer = clock.setTimer(CREATED_TTL_MS, () => {
        objects.delete(name)
        onLost(object)
      })
      objects.set(name, { object, cancelTimer })
    },
    close() {
      for (const name of [...objects.keys()]) forget(name)
    },
  }
}

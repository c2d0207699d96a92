/**
 * Objects of one kind as this replica knows them: the informer cache, plus what it wrote itself and the cache has not shown yet.
 * Without the second part a client that creates an object and asks for it at once would be told that it does not exist.
 */
import type { KubeObject, ResourceType } from '../api/resource.ts'
import type { KubeClient } from '../kube/client.ts'
import type { Clock } from '../kube/clock.ts'
import { compareResourceVersions } from '../kube/resource-version.ts'
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
  /** Called with the name of every object that changes. */
  onAnyChange(listener: (name: string) => void): () => void
  close(): void
}

export interface ObjectStoreDeps<T extends KubeObject> {
  readonly cache: ObjectCache<T>
  readonly client: KubeClient
  readonly clock: Clock
  readonly type: ResourceType<T>
  readonly namespace: string
}

/** For indexes over what is known. */
export interface ObjectStoreHooks<T> {
  /** It is known from now on, or was already. */
  appeared(object: Readonly<T>): void
  vanished(object: Readonly<T>): void
}

const NO_HOOKS = { appeared: () => undefined, vanished: () => undefined }

/** An own write that the cache never shows (the object was gone before) is forgotten after this time. */
const OWN_WRITE_TTL_MS = 5_000

interface OwnWrite<T> {
  readonly object: T
  cancelTimer(): void
}

export function createObjectStore<T extends KubeObject>(
  { cache, client, clock, type, namespace }: ObjectStoreDeps<T>,
  { appeared, vanished }: ObjectStoreHooks<T> = NO_HOOKS,
): ObjectStore<T> {
  const ownWrites = new Map<string, OwnWrite<T>>()
  const signals = createNameSignals()

  const forget = (name: string): void => {
    ownWrites.get(name)?.cancelTimer()
    ownWrites.delete(name)
  }
  const remember = (name: string, object: T): void => {
    forget(name)
    appeared(object)
    const cancelTimer = clock.setTimer(OWN_WRITE_TTL_MS, () => {
      ownWrites.delete(name)
      if (cache.get(namespace, name) === undefined) vanished(object)
    })
    ownWrites.set(name, { object, cancelTimer })
  }
  const unsubscribe = cache.on((event) => {
    const { object } = event
    if (object.metadata.namespace !== namespace) return
    const name = object.metadata.name ?? ''
    const isGone = event.type === 'DELETED'
    const own = ownWrites.get(name)
    if (own !== undefined && (isGone || !isOlder(object, own.object))) forget(name)
    ;(isGone ? vanished : appeared)(object)
    signals.announce(name)
  })

  const peek = (name: string): Readonly<T> | undefined => newer(ownWrites.get(name)?.object, cache.get(namespace, name))
  const read = (name: string): Promise<T | undefined> => readObject(client, type, { name, namespace })
  const wrote = (object: T): void => {
    const name = object.metadata.name ?? ''
    if (!isOlder(object, peek(name))) remember(name, object)
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
    list() {
      const cached = cache.list().filter(({ metadata }) => metadata.namespace === namespace)
      const names = new Set([...cached.map(({ metadata }) => metadata.name ?? ''), ...ownWrites.keys()])
      return [...names].map(peek).filter((object) => object !== undefined)
    },
    onChange: signals.on,
    onAnyChange: signals.onAny,
    close() {
      unsubscribe()
      for (const name of [...ownWrites.keys()]) forget(name)
    },
  }
}

type Versioned = Pick<KubeObject, 'metadata'>

function newer<T extends Versioned>(own: T | undefined, cached: T | undefined): T | undefined {
  if (own === undefined || cached === undefined) return own ?? cached
  return isOlder(cached, own) ? own : cached
}

/** Unordered versions count as newer: the cache is the authority in doubt. */
function isOlder(object: Versioned, than: Versioned | undefined): boolean {
  if (than === undefined) return false
  const order = compareResourceVersions(object.metadata.resourceVersion, than.metadata.resourceVersion)
  return order !== undefined && order < 0
}

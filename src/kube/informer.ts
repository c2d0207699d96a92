/** A cache of the objects of one kind that follows the API server, and tells what changes. */
import type { KubeObject, ResourceType } from '../api/resource.ts'
import type { Random } from './backoff.ts'
import type { KubeClient } from './client.ts'
import { type Clock, systemClock } from './clock.ts'
import { isKubeError } from './errors.ts'
import { type Change, createInformerStore, type IndexFunction, type InformerStore } from './informer-store.ts'
import { type Log, silentLog } from './log.ts'
import { keyOf } from './object-key.ts'
import { createReflector, type Reflector, type ReflectorHooks } from './reflector.ts'

export type { Change, IndexFunction } from './informer-store.ts'

export interface InformerOptions<T extends KubeObject> {
  /** Default: all namespaces. */
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Index name -> the values under which an object is found by `byIndex`. */
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>
  /** A watch without an event or bookmark for so long is opened again. Milliseconds, default 90 000. */
  readonly idleTimeoutMs?: number
  /** Objects per page of a list. Default 500. */
  readonly pageSize?: number
  readonly clock?: Clock
  readonly random?: Random
  readonly log?: Log
  /** For counters. */
  readonly hooks?: ReflectorHooks
}

export type InformerListener<T> = (event: Change<T>) => void

/** Its objects are deeply frozen: they are shared. Copy before changing. */
export interface Informer<T extends KubeObject> {
  readonly type: ResourceType<T>
  /**
   * Follows the server until the signal aborts. Resolves when the first list is in the cache, or at abort; never
   * rejects: trouble is logged and retried. Called once.
   */
  start(signal: AbortSignal): Promise<void>
  hasSynced(): boolean
  /** `namespace` is undefined for cluster-scoped kinds. */
  get(namespace: string | undefined, name: string): Readonly<T> | undefined
  /** In no order that means anything. */
  list(): Readonly<T>[]
  /** @throws RangeError for an index that was not declared. */
  byIndex(index: string, value: string): Readonly<T>[]
  /** Every change up to this version is in the cache. Empty before the first list. */
  lastResourceVersion(): string
  /**
   * Tells every change, in the order of the server. A listener that comes late is first told of every present object as
   * `ADDED`. What it throws is logged and stops nothing. The answer removes it.
   */
  on(listener: InformerListener<T>): () => void
  /** Resolves when the informer has ended after the abort of its signal. */
  stopped(): Promise<void>
}

class CachingInformer<T extends KubeObject> implements Informer<T> {
  readonly type: ResourceType<T>
  readonly #store: InformerStore<T>
  readonly #reflector: Reflector
  readonly #listeners = new Set<InformerListener<T>>()
  readonly #log: Log
  readonly #ready = Promise.withResolvers<void>()
  #synced = false
  #running: Promise<void> | undefined

  constructor(client: KubeClient, type: ResourceType<T>, options: InformerOptions<T>) {
    this.type = type
    this.#log = (options.log ?? silentLog).child({ informer: type.plural })
    this.#store = createInformerStore(options.indexes)
    const { namespace, labelSelector, fieldSelector, idleTimeoutMs, pageSize } = options
    const clock = options.clock ?? systemClock
    const random = options.random ?? Math.random
    this.#reflector = createReflector(
      { client, type, namespace, labelSelector, fieldSelector, idleTimeoutMs, pageSize, clock, random },
      {
        replaceAll: (objects) => this.#replaceAll(objects),
        event: ({ type: kind, object }) => this.#tell(this.#store.apply(kind, object)),
        hooks: this.#loggingHooks(options.hooks ?? {}),
      },
    )
  }

  start(signal: AbortSignal): Promise<void> {
    if (this.#running !== undefined) throw new Error(`the informer of ${this.type.plural} was started before`)
    this.#running = this.#reflector.run(signal).finally(() => this.#ready.resolve())
    return this.#ready.promise
  }

  stopped(): Promise<void> {
    return this.#running ?? Promise.resolve()
  }

  hasSynced(): boolean {
    return this.#synced
  }

  get(namespace: string | undefined, name: string): Readonly<T> | undefined {
    return this.#store.get(keyOf(namespace, name))
  }

  list(): Readonly<T>[] {
    return this.#store.list()
  }

  byIndex(index: string, value: string): Readonly<T>[] {
    return this.#store.byIndex(index, value)
  }

  lastResourceVersion(): string {
    return this.#reflector.lastResourceVersion()
  }

  on(listener: InformerListener<T>): () => void {
    this.#listeners.add(listener)
    for (const object of this.#store.list()) this.#call(listener, { type: 'ADDED', object })
    return () => this.#listeners.delete(listener)
  }

  #replaceAll(objects: readonly T[]): void {
    const changes = this.#store.replaceAll(objects)
    this.#synced = true
    this.#tell(changes)
    this.#ready.resolve()
  }

  #tell(changes: readonly Change<T>[]): void {
    for (const change of changes) {
      for (const listener of this.#listeners) this.#call(listener, change)
    }
  }

  #call(listener: InformerListener<T>, change: Change<T>): void {
    try {
      listener(change)
    } catch (error) {
      this.#log.error({ err: error, object: change.object.metadata.name }, 'a listener failed')
    }
  }

  #loggingHooks(hooks: ReflectorHooks): ReflectorHooks {
    return {
      ...hooks,
      relist: (reason) => {
        this.#log.info({ reason }, 'listed again')
        hooks.relist?.(reason)
      },
      failed: (error, retryInMs) => {
        const code = isKubeError(error) ? error.code : undefined
        this.#log.warn({ err: error, code, retryInMs: Math.round(retryInMs) }, 'list or watch failed')
        hooks.failed?.(error, retryInMs)
      },
    }
  }
}

export function createInformer<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType<T>,
  options: InformerOptions<T> = {},
): Informer<T> {
  return new CachingInformer(client, type, options)
}

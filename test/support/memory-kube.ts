/**
 * A `KubeClient` over objects in memory, with the semantics that callers rely on: AlreadyExists, resourceVersion conflicts,
 * merge patch with null, a separate status, delete preconditions, finalizers, removal of owned objects, watches.
 * No schemas: nothing is defaulted, pruned or validated.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import type { KubeObject, ResourceType } from '../../src/api/resource.ts'
import { apiVersionOf } from '../../src/api/resource.ts'
import type {
  DeleteOptions,
  KubeClient,
  ListOptions,
  ListResult,
  ObjectRef,
  Patch,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '../../src/kube/client.ts'
import { KubeError } from '../../src/kube/errors.ts'

export interface StoreChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly resource: string
  readonly object: KubeObject
}

export interface KubeCall {
  readonly verb: 'get' | 'list' | 'create' | 'replace' | 'patch' | 'delete' | 'raw'
  readonly resource: string
  readonly name: string
}

export interface MemoryKube extends KubeClient {
  /** Every call so far, in order. */
  readonly calls: KubeCall[]
  /** Called after a call is recorded and before it is applied; throw from it to fail the call. */
  beforeCall: ((call: KubeCall) => void | Promise<void>) | undefined
  /** Called at once after each change. Answers the unsubscribe function. */
  onChange(listener: (change: StoreChange) => void): () => void
  /** A client over the same objects with a call log of its own: another replica. */
  replica(): MemoryKube
}

interface Store {
  readonly objects: Map<string, KubeObject>
  readonly listeners: Set<(change: StoreChange) => void>
  /** Every change so far with its version, so that a watch can begin in the past. */
  readonly history: { readonly version: number; readonly change: StoreChange }[]
  version: number
}

export function createMemoryKube(): MemoryKube {
  return clientOf({ objects: new Map(), listeners: new Set(), history: [], version: 1000 })
}

const resourceOf = (type: ResourceType): string => `${type.group}/${type.plural}`
const pathOf = (type: ResourceType, namespace: string | undefined, name: string): string =>
  `${resourceOf(type)}/${type.namespaced ? (namespace ?? 'default') : ''}/${name}`
const copy = <T>(object: T): T => structuredClone(object)

function clientOf(store: Store): MemoryKube {
  const calls: KubeCall[] = []
  const kube: MemoryKube = {
    calls,
    beforeCall: undefined,
    onChange(listener) {
      store.listeners.add(listener)
      return () => store.listeners.delete(listener)
    },
    replica: () => clientOf(store),

    async get<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef): Promise<T> {
      await record('get', type, ref.name)
      return copy(existing(store, type, ref)) as T
    },

    async list<T extends KubeObject>(type: ResourceType<T>, options: ListOptions = {}): Promise<ListResult<T>> {
      await record('list', type, '')
      const items = objectsOf(store, type).filter((object) => matches(object, options))
      return { items: items.map(copy) as T[], resourceVersion: String(store.version) }
    },

    watch: <T extends KubeObject>(type: ResourceType<T>, options: WatchOptions) => watch<T>(store, type, options),

    async create<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<T> {
      const { generateName, namespace } = object.metadata
      const name = object.metadata.name ?? `${generateName ?? ''}${randomBytes(3).toString('hex')}`
      await record('create', type, name)
      if (store.objects.has(pathOf(type, namespace, name))) {
        throw new KubeError('AlreadyExists', `${type.plural} "${name}" already exists`, {
          status: 409,
          reason: 'AlreadyExists',
        })
      }
      const created = copy(object) as KubeObject & { status?: unknown }
      created.apiVersion = apiVersionOf(type)
      created.kind = type.kind
      created.metadata = { ...created.metadata, name, uid: randomUUID(), creationTimestamp: seconds(), generation: 1 }
      return copy(write(store, type, created, 'ADDED')) as T
    },

    async replace<T extends KubeObject>(type: ResourceType<T>, object: T, options: WriteOptions = {}): Promise<T> {
      const ref = refOf(object)
      await record('replace', type, ref.name)
      const before = existing(store, type, ref)
      return copy(update({ store, type, options }, before, copy(object))) as T
    },

    async patch<T extends KubeObject>(
      type: ResourceType<T>,
      ref: ObjectRef,
      patch: Patch,
      options: WriteOptions = {},
    ): Promise<T> {
      await record('patch', type, ref.name)
      if (patch.type !== 'merge') throw new Error(`memory-kube speaks merge patch only, not ${patch.type}`)
      const before = existing(store, type, ref)
      const after = mergePatch(copy(before), copy(patch.body)) as KubeObject
      return copy(update({ store, type, options }, before, after)) as T
    },

    async delete<T extends KubeObject>(
      type: ResourceType<T>,
      ref: ObjectRef,
      options: DeleteOptions = {},
    ): Promise<void> {
      await record('delete', type, ref.name)
      const object = existing(store, type, ref)
      const { uid, resourceVersion, finalizers } = object.metadata
      if (options.uid !== undefined && options.uid !== uid) throw conflict('the UID in the precondition is another')
      if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion) {
        throw conflict('the resourceVersion in the precondition is another')
      }
      if (finalizers?.length) {
        write(store, type, { ...object, metadata: { ...object.metadata, deletionTimestamp: seconds() } }, 'MODIFIED')
      } else remove(store, type, object)
    },

    async raw(method, path) {
      await record('raw', { group: '', plural: path }, method)
      return { gitVersion: 'v1.36.0' }
    },
  }
  const record = async (
    verb: KubeCall['verb'],
    type: { group: string; plural: string },
    name: string,
  ): Promise<void> => {
    const call = { verb, resource: `${type.group}/${type.plural}`.replace(/^\//, ''), name }
    calls.push(call)
    // One turn of the event loop: a real call never answers synchronously.
    await new Promise((resolve) => setImmediate(resolve))
    await kube.beforeCall?.(call)
  }
  return kube
}

const seconds = (): string => new Date().toISOString().replace(/\.\d+Z$/, 'Z')
const conflict = (why: string): KubeError => new KubeError('Conflict', why, { status: 409, reason: 'Conflict' })

function refOf(object: KubeObject): ObjectRef {
  const { name = '', namespace } = object.metadata
  return { name, ...(namespace === undefined ? {} : { namespace }) }
}

function existing(store: Store, type: ResourceType, ref: ObjectRef): KubeObject {
  const object = store.objects.get(pathOf(type, ref.namespace, ref.name))
  if (object) return object
  throw new KubeError('NotFound', `${type.plural} "${ref.name}" not found`, { status: 404, reason: 'NotFound' })
}

function objectsOf(store: Store, type: ResourceType): KubeObject[] {
  const prefix = `${resourceOf(type)}/`
  return [...store.objects].filter(([path]) => path.startsWith(prefix)).map(([, object]) => object)
}

function matches(object: KubeObject, options: ListOptions): boolean {
  if (options.namespace !== undefined && object.metadata.namespace !== options.namespace) return false
  const wanted = (options.labelSelector ?? '').split(',').filter(Boolean)
  const labelled = wanted.every((pair) => {
    const [key = '', value = ''] = pair.split('=')
    return object.metadata.labels?.[key] === value
  })
  return labelled && (options.fieldSelector === undefined || hasField(object, options.fieldSelector))
}

/** One field with one value, such as `metadata.name=a`. */
function hasField(object: KubeObject, selector: string): boolean {
  const [path = '', value] = selector.split('=')
  const found = path
    .split('.')
    .reduce<unknown>((at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined), object)
  return found === value
}

type WithStatus = KubeObject & { spec?: unknown; status?: unknown }

function update(
  { store, type, options }: { store: Store; type: ResourceType; options: WriteOptions },
  before: WithStatus,
  asked: WithStatus,
): KubeObject {
  const { uid, resourceVersion } = asked.metadata
  if (uid !== undefined && uid !== before.metadata.uid) throw conflict('the UID is another')
  if (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion) {
    throw conflict('the object has been modified; apply your changes to the latest version')
  }
  const after: WithStatus =
    options.subresource === 'status'
      ? { ...before, status: asked.status }
      : { ...asked, status: asked.status ?? before.status }
  if (options.subresource === undefined && STATUS_GROUPS.has(type.group)) after.status = before.status
  const { metadata } = options.subresource === 'status' ? before : asked
  after.metadata = {
    ...metadata,
    uid: before.metadata.uid!,
    resourceVersion: before.metadata.resourceVersion!,
    creationTimestamp: before.metadata.creationTimestamp!,
    generation:
      (before.metadata.generation ?? 1) + (JSON.stringify(after.spec) === JSON.stringify(before.spec) ? 0 : 1),
  }
  if (JSON.stringify(after) === JSON.stringify(before)) return before
  if (after.metadata.deletionTimestamp !== undefined && !after.metadata.finalizers?.length)
    return remove(store, type, after)
  return write(store, type, after, 'MODIFIED')
}

/** Groups whose kinds have a status subresource: a write to the object leaves the status as it is. */
const STATUS_GROUPS = new Set(['kobe.kunobi.ninja'])

function write(store: Store, type: ResourceType, object: KubeObject, change: 'ADDED' | 'MODIFIED'): KubeObject {
  store.version += 1
  const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(store.version) } }
  store.objects.set(pathOf(type, stored.metadata.namespace, stored.metadata.name ?? ''), stored)
  announce(store, { type: change, resource: resourceOf(type), object: stored })
  return stored
}

function remove(store: Store, type: ResourceType, object: KubeObject): KubeObject {
  store.version += 1
  store.objects.delete(pathOf(type, object.metadata.namespace, object.metadata.name ?? ''))
  const last = { ...object, metadata: { ...object.metadata, resourceVersion: String(store.version) } }
  announce(store, { type: 'DELETED', resource: resourceOf(type), object: last })
  for (const [path, owned] of [...store.objects]) {
    if (!owned.metadata.ownerReferences?.some((owner) => owner.uid === object.metadata.uid)) continue
    store.objects.delete(path)
    announce(store, { type: 'DELETED', resource: path.split('/').slice(0, 2).join('/'), object: owned })
  }
  return object
}

function announce(store: Store, change: StoreChange): void {
  store.history.push({ version: store.version, change })
  for (const listener of [...store.listeners]) listener({ ...change, object: copy(change.object) })
}

function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const result: Record<string, unknown> =
    typeof target === 'object' && target !== null && !Array.isArray(target) ? (target as Record<string, unknown>) : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key]
    else result[key] = mergePatch(result[key], value)
  }
  return result
}

async function* watch<T extends KubeObject>(
  store: Store,
  type: ResourceType<T>,
  options: WatchOptions,
): AsyncIterable<WatchEvent<T>> {
  const pending: WatchEvent<T>[] = []
  let wake = (): void => undefined
  const listener = (change: StoreChange): void => {
    if (change.resource !== resourceOf(type) || !matches(change.object, options)) return
    pending.push({ type: change.type, object: change.object as T })
    wake()
  }
  const since = Number(options.resourceVersion ?? store.version)
  for (const { version, change } of store.history)
    if (version > since) listener({ ...change, object: copy(change.object) })
  store.listeners.add(listener)
  options.signal?.addEventListener('abort', () => wake(), { once: true })
  options.opened?.()
  try {
    while (!options.signal?.aborted) {
      const event = pending.shift()
      if (event) yield event
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    store.listeners.delete(listener)
  }
}

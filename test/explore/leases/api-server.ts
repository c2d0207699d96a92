/** Writes as an API server takes them: fences, names, versions, finalizers, owned objects. No schemas. */
import type { KubeObject, ResourceType } from '../../../src/api/resource.ts'
import { formatTimestamp } from '../../../src/api/timestamp.ts'
import { NEW_LEASE_STATUS } from '../../../src/core/lease/lease-status.ts'
import type { DeleteOptions, ListOptions, Patch, WriteOptions } from '../../../src/kube/client.ts'
import { KubeError } from '../../../src/kube/errors.ts'
import { judgeWrite } from './invariants.ts'
import { keyOf, ofKind, type World } from './world.ts'

export interface Written {
  readonly world: World
  /** As it is after the write; of a deletion, before it. */
  readonly object: KubeObject
}

type Refusal = 'NotFound' | 'Conflict' | 'AlreadyExists'

/** Made once: where they come from interests nobody here. */
const REFUSALS: Readonly<Record<Refusal, KubeError>> = {
  NotFound: new KubeError('NotFound', 'not found'),
  Conflict: new KubeError('Conflict', 'changed since it was read'),
  AlreadyExists: new KubeError('AlreadyExists', 'exists already'),
}

export function read(world: World, { plural }: ResourceType, name: string): KubeObject {
  const object = world.objects.get(keyOf(plural, name))
  if (object === undefined) throw REFUSALS.NotFound
  return object
}

export function list(world: World, { plural }: ResourceType, { labelSelector = '' }: ListOptions): KubeObject[] {
  const [label = '', value] = labelSelector.split('=')
  return ofKind(world.objects, plural).filter(({ metadata }) => label === '' || metadata.labels?.[label] === value)
}

export function create(world: World, { plural, kind }: ResourceType, object: KubeObject): Written {
  const key = keyOf(plural, object.metadata.name ?? '')
  if (world.objects.has(key)) throw REFUSALS.AlreadyExists
  const serial = world.serial + 1
  const given = { uid: object.metadata.uid ?? `u${serial}`, resourceVersion: String(serial), generation: 1 }
  const metadata = { ...object.metadata, ...given, creationTimestamp: formatTimestamp(world.now) }
  return stored({ ...world, serial }, key, undefined, { ...withDefaults(kind, object), metadata })
}

const defaulted = ({ kind }: ResourceType, status: unknown): unknown =>
  kind === 'ClusterLease' ? { ...NEW_LEASE_STATUS, ...(status as object) } : status

/** The fields that every lease has on a real server. */
const withDefaults = (kind: string, object: KubeObject): KubeObject =>
  kind === 'ClusterLease' && 'spec' in object
    ? ({ ...object, spec: { priority: 50, ...(object.spec as object) } } as KubeObject)
    : object

export interface Target {
  readonly type: ResourceType
  readonly name: string
}

export function patch(world: World, { type, name }: Target, { body }: Patch, options: WriteOptions): Written {
  const before = read(world, type, name)
  return update({ world, type, options }, before, merge(before, body) as KubeObject)
}

export const replace = (world: World, type: ResourceType, object: KubeObject): Written =>
  update({ world, type, options: {} }, read(world, type, object.metadata.name ?? ''), object)

type Whole = KubeObject & { readonly status?: unknown }

interface Update {
  readonly world: World
  readonly type: ResourceType
  readonly options: WriteOptions
}

function update({ world, type, options }: Update, before: Whole, asked: Whole): Written {
  const { uid, resourceVersion } = asked.metadata
  const own = before.metadata
  // A write without a version is let through, as a real server does.
  const same = (uid ?? own.uid) === own.uid && (resourceVersion ?? own.resourceVersion) === own.resourceVersion
  if (!same) throw REFUSALS.Conflict
  const after =
    options.subresource === 'status'
      ? { ...before, status: defaulted(type, asked.status) }
      : { ...asked, status: before.status }
  return renewed(world, keyOf(type.plural, before.metadata.name ?? ''), before, after)
}

/** Whatever the change, the object gets a new version; it goes when it is deleted and nothing holds it. */
function renewed(world: World, key: string, before: KubeObject, after: KubeObject): Written {
  const serial = world.serial + 1
  const { deletionTimestamp, finalizers = [] } = after.metadata
  if (deletionTimestamp !== undefined && finalizers.length === 0) return gone({ ...world, serial }, key, before)
  const metadata = { ...after.metadata, resourceVersion: String(serial) }
  return stored({ ...world, serial }, key, before, { ...after, metadata })
}

export function remove(world: World, type: ResourceType, name: string, fence: DeleteOptions): Written {
  const before = read(world, type, name)
  const { uid, resourceVersion, deletionTimestamp } = before.metadata
  if (fence.uid !== undefined && fence.uid !== uid) throw REFUSALS.Conflict
  if (fence.resourceVersion !== undefined && fence.resourceVersion !== resourceVersion) throw REFUSALS.Conflict
  const at = deletionTimestamp ?? formatTimestamp(world.now)
  const metadata = { ...before.metadata, deletionTimestamp: at }
  return renewed(world, keyOf(type.plural, name), before, { ...before, metadata })
}

function stored(world: World, key: string, before: KubeObject | undefined, after: KubeObject): Written {
  const objects = new Map(world.objects).set(key, after)
  return { object: after, world: judgeWrite({ ...world, objects }, key, before, after) }
}

function gone(world: World, key: string, before: KubeObject): Written {
  const objects = new Map(world.objects)
  objects.delete(key)
  for (const [other, { metadata }] of world.objects) {
    if (metadata.ownerReferences?.some(({ uid }) => uid === before.metadata.uid)) objects.delete(other)
  }
  return { object: before, world: judgeWrite({ ...world, objects }, key, before, undefined) }
}

/** RFC 7396, sharing what stays. */
function merge(target: unknown, change: unknown): unknown {
  if (typeof change !== 'object' || change === null || Array.isArray(change)) return change
  const result: Record<string, unknown> = typeof target === 'object' && target !== null ? { ...target } : {}
  for (const [key, value] of Object.entries(change)) {
    if (value === null) delete result[key]
    else result[key] = merge(result[key], value)
  }
  return result
}

/**
 * Deletion. An object goes at once when nothing holds it; else it is marked with `deletionTimestamp` and goes with its
 * last finalizer, or, a pod on a node, when its kubelet deletes it with grace 0.
 */
import { conflict, forbidden } from '../errors.ts'
import type { Entry } from '../store/entry.ts'
import { formatTime, type WriteCore } from './core.ts'
import { CRD_RESOURCE, terminateCrd } from './crd-conditions.ts'
import { orphansByDefault, storageName } from './kind-traits.ts'
import type { ResourceDefinition, StoredMeta, StoredObject } from './resource-definition.ts'
import { markWritten, viewOf } from './view.ts'

export type PropagationPolicy = 'Background' | 'Foreground' | 'Orphan'

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: PropagationPolicy
  readonly uid?: string
  readonly resourceVersion?: string
  readonly dryRun?: boolean
}

export interface Deletion {
  /** `pending`: marked, something still holds it. */
  readonly outcome: 'removed' | 'pending'
  readonly object: StoredObject
}

export const FOREGROUND = 'foregroundDeletion'
export const ORPHAN = 'orphan'
const DEFAULT_POD_GRACE_SECONDS = 30

/** @throws ApiError 409; StoreError */
export function deleteObject(
  core: WriteCore,
  definition: ResourceDefinition,
  current: Entry,
  options: DeleteOptions = {},
): Deletion {
  checkPreconditions(definition, current.object.metadata, options)
  if (isImmortal(definition, current.key)) throw forbidden(definition, current.key, 'this namespace may not be deleted')
  const object = current.copy()
  applyPropagation(definition, object.metadata, options.propagationPolicy)
  markDeleted(core, definition, object, options)
  const storage = storageName(definition)
  if (isReadyToGo(definition, object)) {
    if (options.dryRun === true) return { outcome: 'removed', object }
    return { outcome: 'removed', object: remove(core, definition, current, object) }
  }
  if (options.dryRun === true || !hasChanged(object.metadata, current.object.metadata)) {
    return { outcome: 'pending', object }
  }
  shownLike(definition, current, object)
  return { outcome: 'pending', object: core.store.put(storage, current.key, object, current).object }
}

/** A pod is first seen going with no grace left, then gone `[k8s graceful deletion]`. */
function remove(core: WriteCore, definition: ResourceDefinition, current: Entry, object: StoredObject): StoredObject {
  const storage = storageName(definition)
  if (storage !== 'pods') {
    core.store.remove(storage, current, shownLike(definition, current, current.copy()))
    return object
  }
  const marked = core.store.put(storage, current.key, object, current)
  core.store.remove(storage, marked, marked.copy())
  return marked.object
}

/** Metadata apart, the object is what `current` holds: if that needs no conversion for watchers, this needs none. */
function shownLike(definition: ResourceDefinition, current: Entry, object: StoredObject): StoredObject {
  if (viewOf(definition, current) === current) markWritten(definition, object)
  return object
}

/** @throws ApiError 409 */
export function checkPreconditions(definition: ResourceDefinition, meta: StoredMeta, options: DeleteOptions): void {
  // The real server names the kind here, not the resource.
  const subject = { group: definition.group, plural: definition.kind }
  if (options.uid !== undefined && options.uid !== meta.uid) {
    throw conflict(
      subject,
      meta.name,
      `the UID in the precondition (${options.uid}) does not match the UID in record (${meta.uid}). The object might have been deleted and then recreated`,
    )
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== meta.resourceVersion) {
    throw conflict(
      subject,
      meta.name,
      `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${meta.resourceVersion}). The object might have been modified`,
    )
  }
}

const IMMORTAL: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public'])

function isImmortal(definition: ResourceDefinition, key: string): boolean {
  return IMMORTAL.has(key) && storageName(definition) === 'namespaces'
}

/** The wish for the dependents becomes a finalizer that the garbage collector works off. */
function applyPropagation(
  definition: ResourceDefinition,
  meta: StoredMeta,
  policy: PropagationPolicy | undefined,
): void {
  const had = meta.finalizers ?? []
  const wish = policy ?? defaultPolicy(definition, had)
  const kept = had.filter((finalizer) => finalizer !== FOREGROUND && finalizer !== ORPHAN)
  if (wish === 'Foreground') kept.push(FOREGROUND)
  if (wish === 'Orphan') kept.push(ORPHAN)
  if (kept.length > 0) meta.finalizers = kept
  else delete meta.finalizers
}

function defaultPolicy(definition: ResourceDefinition, finalizers: readonly string[]): PropagationPolicy {
  if (finalizers.includes(ORPHAN)) return 'Orphan'
  if (finalizers.includes(FOREGROUND)) return 'Foreground'
  return orphansByDefault(definition) ? 'Orphan' : 'Background'
}

function markDeleted(
  core: WriteCore,
  definition: ResourceDefinition,
  object: StoredObject,
  options: DeleteOptions,
): void {
  const { metadata } = object
  const grace = graceSeconds(definition, object, options)
  if (metadata.deletionTimestamp === undefined) {
    metadata.deletionTimestamp = formatTime(core.now() + grace * 1000)
    if (!isEndedByController(definition)) {
      metadata.deletionGracePeriodSeconds = grace
      if (metadata.generation !== undefined) metadata.generation += 1
    }
    markPhase(core, definition, object)
  } else if (grace < (metadata.deletionGracePeriodSeconds ?? 0)) {
    metadata.deletionTimestamp = formatTime(core.now() + grace * 1000)
    metadata.deletionGracePeriodSeconds = grace
  }
}

/** Their registries mark them without the generic bookkeeping `[k8s]`. */
function isEndedByController(definition: ResourceDefinition): boolean {
  const storage = storageName(definition)
  return storage === 'namespaces' || storage === CRD_RESOURCE
}

function markPhase(core: WriteCore, definition: ResourceDefinition, object: StoredObject): void {
  const storage = storageName(definition)
  if (storage === 'namespaces') object['status'] = { ...asObject(object['status']), phase: 'Terminating' }
  if (storage === CRD_RESOURCE) terminateCrd(object, formatTime(core.now()))
}

/** Only a running pod on a node has something to be graceful about. */
function graceSeconds(definition: ResourceDefinition, object: StoredObject, options: DeleteOptions): number {
  if (storageName(definition) !== 'pods') return 0
  const spec = asObject(object['spec'])
  const phase = asObject(object['status'])['phase']
  if (typeof spec['nodeName'] !== 'string' || spec['nodeName'] === '') return 0
  if (phase === 'Succeeded' || phase === 'Failed') return 0
  const wished = spec['terminationGracePeriodSeconds']
  const grace = options.gracePeriodSeconds ?? (typeof wished === 'number' ? wished : DEFAULT_POD_GRACE_SECONDS)
  // A negative one stands for the shortest `[k8s]`.
  return grace < 0 ? 1 : grace
}

/** Nothing holds a deleted object any more. */
export function isReadyToGo(definition: ResourceDefinition, object: StoredObject): boolean {
  const { deletionTimestamp, finalizers, deletionGracePeriodSeconds } = object.metadata
  if (deletionTimestamp === undefined || (finalizers?.length ?? 0) > 0) return false
  if ((deletionGracePeriodSeconds ?? 0) > 0) return false
  if (storageName(definition) !== 'namespaces') return true
  const held = asObject(object['spec'])['finalizers']
  return !Array.isArray(held) || held.length === 0
}

function hasChanged(meta: StoredMeta, old: StoredMeta): boolean {
  return (
    meta.deletionTimestamp !== old.deletionTimestamp ||
    meta.deletionGracePeriodSeconds !== old.deletionGracePeriodSeconds ||
    (meta.finalizers ?? []).join() !== (old.finalizers ?? []).join()
  )
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/** Replacement of an object or of its status: PUT and the result of a PATCH. */
import { ApiError, badRequest, conflict, invalid, MODIFIED } from '../errors.ts'
import { invalidError } from '../schema/field-error.ts'
import { canonicalJson, cloneJson, equalJson } from '../schema/json.ts'
import type { FieldError } from '../schema/schema.ts'
import type { Entry } from '../store/entry.ts'
import { apiVersionOf } from './api-version.ts'
import type { WriteCore } from './core.ts'
import { fillDefaults, validateObject } from './create-object.ts'
import { cannotBeHandled, type Draft, decodeObject } from './decode-object.ts'
import { isReadyToGo } from './delete-object.ts'
import { keepTimes, sentOwners, setOwners } from './field-owners.ts'
import { countsGenerations, needsRevisionOnUpdate, statusWriteKeepsMetadata, storageName } from './kind-traits.ts'
import type { ResourceDefinition, StoredMeta, StoredObject } from './resource-definition.ts'
import { validateMetadata, validateMetadataUpdate } from './validate-metadata.ts'
import { markWritten, toStorageVersion, viewOf } from './view.ts'
import { orderMeta, placeInNamespace, type WriteRequest, type Written } from './write-request.ts'

export interface UpdateRequest extends WriteRequest {
  /** What is stored now and was shown to whoever computed `body`. */
  readonly current: Entry
  readonly target: 'object' | 'status' | 'finalize'
  /** A patch may leave out what a PUT must state, and answers 422 where a PUT answers 400 or 409. */
  readonly isPatch: boolean
  /** How findings show a patch. Default: its result. */
  readonly printPatch?: () => string
}

/** @throws ApiError 400, 409, 422; StoreError */
export function updateObject(core: WriteCore, request: UpdateRequest, body: unknown): Written {
  const { definition, current } = request
  const old = viewOf(definition, current).object
  const draft = decode(request, body)
  placeInNamespace(request, draft.meta)
  checkIdentity(request, draft, old.metadata)
  const object = prepareObject(request, draft, { body, old })
  keepTimes(object, old)
  const errors = validateAll(request, { draft, object, old })
  if (errors.length > 0) throw invalid(definition, old.metadata.name, errors)
  return storeChanged(core, request, object, old)
}

function decode({ definition, findings, isPatch, printPatch }: UpdateRequest, body: unknown): Draft {
  // Decoding drops unknown fields from the body, which are what the finding is about.
  const print = printPatch ?? printerOf(body, isPatch && findings.mode === 'Strict')
  try {
    const draft = decodeObject(definition, body, findings)
    findings.refuse(isPatch ? '' : cannotBeHandled(definition))
    return draft
  } catch (error) {
    if (!isPatch || !(error instanceof ApiError)) throw error
    // The result of a patch is nobody's body: the patch is at fault.
    throw invalid({ group: '', kind: '' }, '', [
      invalidError('patch', print(), withoutSubject(definition, error.message)),
    ])
  }
}

function printerOf(body: unknown, isNow: boolean): () => string {
  if (!isNow) return () => canonicalJson(body)
  const text = canonicalJson(body)
  return () => text
}

/** The finding names the patch: which kind it was meant for goes without saying. */
function withoutSubject(definition: ResourceDefinition, message: string): string {
  const subject = cannotBeHandled(definition)
  return message.startsWith(subject) ? message.slice(subject.length) : message
}

function checkIdentity(request: UpdateRequest, draft: Draft, old: StoredMeta): void {
  const { definition, isPatch } = request
  const { name, uid, resourceVersion } = draft.meta
  checkName(name, old.name, isPatch)
  if (uid !== undefined && uid !== old.uid && !isPatch) {
    throw conflict(definition, old.name, wrongUid(request, uid, old))
  }
  if (resourceVersion !== undefined && !/^\d+$/.test(resourceVersion)) {
    throw new ApiError(500, '', `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`)
  }
  const stated = resourceVersion !== undefined && resourceVersion !== '0'
  if (stated && resourceVersion !== old.resourceVersion) throw conflict(definition, old.name, MODIFIED)
  if (!stated && !isPatch && needsRevisionOnUpdate(definition)) {
    const missing = invalidError('metadata.resourceVersion', 0, 'must be specified for an update')
    throw invalid({ group: definition.group, kind: definition.plural }, old.name, [missing])
  }
}

function wrongUid({ definition, current }: UpdateRequest, uid: string, old: StoredMeta): string {
  const { origin, group, plural } = definition
  const key = `/registry/${origin === 'custom' ? `${group}/` : ''}${plural}/${current.key}`
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.uid}`
  return `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`
}

function checkName(name: string | undefined, expected: string, isPatch: boolean): void {
  if (name === expected || (name === undefined && isPatch)) return
  if (name === undefined) {
    throw badRequest(`the name of the object (${expected} based on URL) was undeterminable: name must be provided`)
  }
  throw badRequest(`the name of the object (${name}) does not match the name on the URL (${expected})`)
}

function prepareObject(
  request: UpdateRequest,
  draft: Draft,
  { body, old }: { body: unknown; old: StoredObject },
): StoredObject {
  const { definition, target, owners } = request
  const object: StoredObject = {
    apiVersion: apiVersionOf(definition.group, definition.version),
    kind: definition.kind,
    metadata: nextMeta(request, draft, old.metadata),
    ...fieldsFor(request, draft, old),
  }
  fillDefaults(definition, object)
  if (owners !== undefined) setOwners(object, owners({ live: old, next: object, sent: sentOwners(body) }))
  // What the defaults add is the client's; what the server adds on its own is nobody's.
  if (target === 'object' && definition.strategy?.prepareForUpdate !== undefined) {
    definition.strategy.prepareForUpdate(object, old)
    fillDefaults(definition, object)
  }
  if (countsGenerations(definition)) {
    const changed = !equalJson(countedFields(definition, object), countedFields(definition, old))
    object.metadata.generation = (old.metadata.generation ?? 0) + (changed ? 1 : 0)
  }
  return object
}

/** Which part of the object each endpoint may write. */
function fieldsFor(request: UpdateRequest, draft: Draft, old: StoredObject): Record<string, unknown> {
  const { definition, target } = request
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...kept } = old
  if (target === 'finalize')
    return { ...kept, spec: withField(asObject(kept['spec']), 'finalizers', finalizersOf(draft)) }
  if (target === 'status') return withField(kept, 'status', draft.fields['status'])
  const fields = draft.fields
  if (definition.kind === 'Namespace' && definition.group === '') fields['spec'] = kept['spec']
  return definition.subresources.status === true ? withField(fields, 'status', kept['status']) : fields
}

function finalizersOf(draft: Draft): unknown {
  const { finalizers } = asObject(draft.fields['spec'])
  return Array.isArray(finalizers) && finalizers.length > 0 ? finalizers : undefined
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function withField(fields: Record<string, unknown>, name: string, value: unknown): Record<string, unknown> {
  const { [name]: _replaced, ...rest } = fields
  return value === undefined ? rest : { ...rest, [name]: value }
}

/** What the server owns stays as it was. */
function nextMeta(request: UpdateRequest, draft: Draft, old: StoredMeta): StoredMeta {
  if (request.target === 'status' && statusWriteKeepsMetadata(request.definition)) return { ...old }
  const meta = request.target === 'object' ? draft.meta : { ...old, ...draft.meta }
  const labels = request.target === 'status' && keepsLabels(request.definition)
  const ownedByServer = labels ? ([...SERVER_OWNED, 'labels'] as const) : SERVER_OWNED
  return orderMeta({
    ...without(meta, ownedByServer),
    ...pick(old, ownedByServer),
    name: old.name,
    uid: request.isPatch ? (meta.uid ?? old.uid) : old.uid,
    resourceVersion: old.resourceVersion,
    creationTimestamp: old.creationTimestamp,
  })
}

/** Set by the server alone, and not on every object. */
const SERVER_OWNED = [
  'namespace',
  'generateName',
  'generation',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
] as const satisfies ReadonlyArray<keyof StoredMeta>

type ServerOwned = (typeof SERVER_OWNED)[number]

/** The status endpoint of these takes annotations but no labels `[k8s deployment strategy]`. */
function keepsLabels(definition: ResourceDefinition): boolean {
  return storageName(definition) === 'deployments.apps'
}

function without<T extends object>(value: T, names: readonly string[]): Omit<T, ServerOwned> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name))) as Omit<T, ServerOwned>
}

function pick(meta: StoredMeta, names: ReadonlyArray<keyof StoredMeta>): Partial<StoredMeta> {
  return Object.fromEntries(names.flatMap((name) => (meta[name] === undefined ? [] : [[name, meta[name]]])))
}

/** What a change of counts as a new generation. */
function countedFields(definition: ResourceDefinition, object: StoredObject): Record<string, unknown> {
  const { metadata, apiVersion: _apiVersion, ...fields } = object
  // Its annotations may be meant for its ReplicaSets `[k8s deployment strategy]`.
  if (storageName(definition) === 'deployments.apps')
    return { spec: fields['spec'], annotations: metadata.annotations ?? {} }
  const uncounted = definition.origin === 'builtin' || definition.subresources.status === true
  return uncounted ? withField(fields, 'status', undefined) : fields
}

interface Change {
  readonly draft: Draft
  readonly object: StoredObject
  readonly old: StoredObject
}

function validateAll(request: UpdateRequest, { draft, object, old }: Change): FieldError[] {
  const { definition } = request
  const updated = [
    ...checkImmutable(object.metadata, old.metadata),
    ...validateMetadataUpdate(object.metadata, old.metadata),
  ]
  const errors = [
    ...updated,
    ...validateMetadata(definition, object.metadata),
    // Found once by what all kinds share, once more by the kind itself `[k8s]`.
    ...updated,
  ]
  // A status write cannot be at fault for the rest of the object.
  if (request.target !== 'object') {
    const custom = definition.origin === 'custom' ? validateObject(definition, object, old) : []
    return [...errors, ...custom]
  }
  return [
    ...errors,
    ...draft.errors,
    ...validateObject(definition, object, old),
    ...(definition.strategy?.validateUpdate?.(object, old) ?? []),
  ]
}

function checkImmutable(meta: StoredMeta, old: StoredMeta): FieldError[] {
  return meta.uid === old.uid ? [] : [invalidError('metadata.uid', meta.uid, 'field is immutable')]
}

function storeChanged(core: WriteCore, request: UpdateRequest, object: StoredObject, old: StoredObject): Written {
  const { definition, current } = request
  const storage = storageName(definition)
  if (isReadyToGo(definition, object)) {
    if (request.dryRun) return { object, changed: true }
    const last = cloneJson(object)
    markWritten(definition, last)
    core.store.remove(storage, current, toStorageVersion(definition, last))
    // Answered as it was when it lost what held it: there is no later state.
    return { object, changed: true }
  }
  if (equalJson(object, old)) return { object: old, entry: current, changed: false }
  if (request.dryRun) return { object, changed: true }
  markWritten(definition, object)
  const entry = core.store.put(storage, current.key, toStorageVersion(definition, object), current)
  return { object: viewOf(definition, entry).object, entry, changed: true }
}

/** Creation: decode, place, admit, default, validate, store - in the order in which the real server finds faults. */
import { randomUUID } from 'node:crypto'
import { validateRules } from '../cel/load.ts'
import { ApiError, alreadyExists, invalid } from '../errors.ts'
import { applyDefaults } from '../schema/default.ts'
import type { FieldError } from '../schema/schema.ts'
import { validateValue } from '../schema/validate.ts'
import { validateUpdate } from '../schema/validate-update.ts'
import { keyOf } from '../store/entry.ts'
import { apiVersionOf } from './api-version.ts'
import { formatTime, type WriteCore } from './core.ts'
import { CRD_RESOURCE } from './crd-conditions.ts'
import { cannotBeHandled, type Draft, decodeObject } from './decode-object.ts'
import { sentOwners, setOwners } from './field-owners.ts'
import { countsGenerations, keepsStatusOnCreate, storageName } from './kind-traits.ts'
import { generateName } from './names.ts'
import { admitToNamespace } from './namespace-admission.ts'
import type { ResourceDefinition, StoredMeta, StoredObject } from './resource-definition.ts'
import { validateMetadata } from './validate-metadata.ts'
import { markWritten, toStorageVersion, viewOf } from './view.ts'
import { orderMeta, placeInNamespace, type WriteRequest, type Written } from './write-request.ts'

const NAME_ATTEMPTS = 8

/** @throws ApiError 400, 403, 404, 405, 409, 422; StoreError */
export function createObject(core: WriteCore, request: WriteRequest, body: unknown): Written {
  const { definition, findings } = request
  const draft = decodeObject(definition, body, findings)
  findings.refuse(cannotBeHandled(definition))
  const namespace = placeInNamespace(request, draft.meta)
  if (namespace !== undefined) admitToNamespace(core, definition, namespace, draft.meta.name ?? '')
  refuseWhileTerminating(core, definition)
  if (draft.meta.resourceVersion !== undefined) {
    throw new ApiError(500, '', 'resourceVersion should not be set on objects to be created')
  }
  const object = prepareObject(core, request, { draft, body, namespace })
  const errors = [
    ...validateMetadata(definition, object.metadata),
    ...draft.errors,
    ...validateObject(definition, object),
  ]
  if (errors.length > 0) throw invalid(definition, object.metadata.name, errors)
  return storeNew(core, request, object)
}

/** Instances of a CRD that is being deleted cannot be created any more. */
function refuseWhileTerminating(core: WriteCore, definition: ResourceDefinition): void {
  if (definition.origin !== 'custom') return
  const crd = core.store.get(CRD_RESOURCE, storageName(definition))
  if (crd?.object.metadata.deletionTimestamp !== undefined) {
    throw new ApiError(405, 'MethodNotAllowed', `create not allowed while custom resource definition is terminating`, {
      details: { group: definition.group, kind: definition.plural },
    })
  }
}

interface NewObject {
  readonly draft: Draft
  readonly body: unknown
  readonly namespace: string | undefined
}

function prepareObject(
  core: WriteCore,
  { definition, owners }: WriteRequest,
  { draft, body, namespace }: NewObject,
): StoredObject {
  const object: StoredObject = {
    apiVersion: apiVersionOf(definition.group, definition.version),
    kind: definition.kind,
    metadata: newMeta(core, definition, draft, namespace),
    ...draft.fields,
  }
  if (definition.subresources.status === true && !keepsStatusOnCreate(definition)) {
    if (definition.origin === 'custom') delete object['status']
    else object['status'] = {}
  }
  fillDefaults(definition, object)
  if (owners !== undefined) setOwners(object, owners({ next: object, sent: sentOwners(body) }))
  // What the defaults add is the client's; what the server adds on its own is nobody's.
  if (definition.strategy?.prepareForCreate === undefined) return object
  definition.strategy.prepareForCreate(object)
  fillDefaults(definition, object)
  return object
}

function newMeta(
  core: WriteCore,
  definition: ResourceDefinition,
  draft: Draft,
  namespace: string | undefined,
): StoredMeta {
  const { deletionTimestamp: _gone, deletionGracePeriodSeconds: _grace, namespace: _other, ...meta } = draft.meta
  return orderMeta({
    ...meta,
    name: meta.name ?? nameFrom(meta.generateName),
    ...(namespace === undefined ? {} : { namespace }),
    uid: randomUUID(),
    resourceVersion: '',
    ...generationOnCreate(definition),
    creationTimestamp: formatTime(core.now()),
  })
}

function generationOnCreate(definition: ResourceDefinition): { generation?: number } {
  return countsGenerations(definition) ? { generation: 1 } : {}
}

function nameFrom(prefix: string | undefined): string {
  return prefix === undefined ? '' : generateName(prefix)
}

export function fillDefaults(definition: ResourceDefinition, object: StoredObject): void {
  if (definition.origin === 'custom') applyDefaults(definition.schema(), object, definition.resolve)
  definition.strategy?.defaults?.(object)
}

/** `old`: what an update replaces; faults that were there before and did not change are let pass. */
export function validateObject(definition: ResourceDefinition, object: StoredObject, old?: StoredObject): FieldError[] {
  return [...validateCustom(definition, object, old), ...(definition.strategy?.validate?.(object) ?? [])]
}

/** Built-in kinds were checked against their schema when they were decoded. */
function validateCustom(
  { origin, schema, resolve }: ResourceDefinition,
  object: StoredObject,
  old?: StoredObject,
): FieldError[] {
  if (origin === 'builtin') return []
  const errors =
    old === undefined ? validateValue(schema(), object, resolve) : validateUpdate(schema(), object, old, resolve)
  return [...errors, ...validateRules(schema(), object, errors, old)]
}

function storeNew(core: WriteCore, request: WriteRequest, object: StoredObject): Written {
  const { definition, dryRun } = request
  const storage = storageName(definition)
  const key = freeKey(core, storage, definition, object.metadata)
  if (dryRun) return { object, changed: true }
  markWritten(definition, object)
  const entry = core.store.put(storage, key, toStorageVersion(definition, object), undefined)
  return { object: viewOf(definition, entry).object, entry, changed: true }
}

function taken(definition: ResourceDefinition, { name, deletionTimestamp }: StoredMeta): ApiError {
  const error = alreadyExists(definition, name)
  if (deletionTimestamp === undefined) return error
  const details = error.details === undefined ? {} : { details: error.details }
  return new ApiError(409, 'AlreadyExists', `object is being deleted: ${error.message}`, details)
}

/** A generated name that is taken is drawn again. */
function freeKey(core: WriteCore, storage: string, definition: ResourceDefinition, meta: StoredMeta): string {
  const generated = meta.generateName !== undefined && meta.name.length === meta.generateName.length + 5
  for (let attempt = 1; ; attempt += 1) {
    const key = keyOf(meta.namespace, meta.name)
    const holder = core.store.get(storage, key)
    if (holder === undefined) return key
    if (!generated || attempt >= NAME_ATTEMPTS) throw taken(definition, holder.object.metadata)
    meta.name = generateName(meta.generateName ?? '')
  }
}

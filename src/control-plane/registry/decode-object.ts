/** Turns a decoded request body into an object of the served kind, or refuses it with 400. */
import { ApiError, badRequest } from '../errors.ts'
import { applyDefaults } from '../schema/default.ts'
import { isObject, type JsonObject } from '../schema/json.ts'
import { pruneUnknown } from '../schema/prune.ts'
import type { FieldError } from '../schema/schema.ts'
import { validateValue } from '../schema/validate.ts'
import { apiVersionOf } from './api-version.ts'
import { dropUnset } from './drop-unset.ts'
import type { FieldFindings } from './field-findings.ts'
import { type DraftMeta, readMeta } from './object-meta.ts'
import type { ResourceDefinition } from './resource-definition.ts'

export interface Draft {
  readonly meta: DraftMeta
  /** Everything but apiVersion, kind and metadata. */
  readonly fields: JsonObject
  /** What the schema of a built-in kind says; a custom kind is checked after defaulting. */
  readonly errors: readonly FieldError[]
}

/** @throws ApiError 400: not an object, another kind, a field of the wrong type; in mode Strict an unknown field. */
export function decodeObject(definition: ResourceDefinition, body: unknown, findings: FieldFindings): Draft {
  if (!isObject(body))
    throw badRequest(
      `the object provided is unrecognized (must be of type ${definition.kind}): couldn't get version/kind: the body is not an object`,
    )
  checkTypeMeta(definition, body)
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...fields } = body
  if (definition.origin === 'builtin') dropUnset(definition.schema(), fields, definition.resolve)
  const meta = readMetaOf(definition, metadata, findings)
  if (definition.prune) {
    for (const path of pruneUnknown(definition.schema(), fields, definition.resolve)) findings.unknown(path)
  }
  return { meta, fields, errors: definition.origin === 'builtin' ? readBuiltin(definition, fields) : [] }
}

function readMetaOf(definition: ResourceDefinition, metadata: unknown, findings: FieldFindings): DraftMeta {
  try {
    return readMeta(metadata, findings)
  } catch (error) {
    throw error instanceof ApiError ? badRequest(`${cannotBeHandled(definition)}${error.message}`, error) : error
  }
}

/** What the real server says before the reason of a 400. */
export function cannotBeHandled(definition: ResourceDefinition): string {
  const { kind, version } = definition
  return `${kind} in version "${version}" cannot be handled as a ${kind}: `
}

function checkTypeMeta(definition: ResourceDefinition, body: JsonObject): void {
  const { apiVersion, kind } = body
  const expected = apiVersionOf(definition.group, definition.version)
  const absent = (value: unknown) => value === undefined || value === '' || value === null
  if (absent(kind) && definition.origin === 'custom') {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${definition.kind}): Object 'Kind' is missing in '${excerpt(body)}'`,
    )
  }
  if (!absent(apiVersion) && apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${String(apiVersion)}) does not match the expected API version (${expected})`,
    )
  }
  if (!absent(kind) && kind !== definition.kind) {
    throw badRequest(
      `${String(kind)} in version "${definition.version}" cannot be handled as a ${definition.kind}: the kind in the data does not match the expected kind`,
    )
  }
}

function excerpt(body: JsonObject): string {
  const text = JSON.stringify(body)
  return text.length > 200 ? `${text.slice(0, 200)}...` : text
}

/** A built-in kind is decoded into fixed types: a wrong type is refused before anything reads it. */
function readBuiltin(definition: ResourceDefinition, fields: JsonObject): FieldError[] {
  applyDefaults(definition.schema(), fields, definition.resolve)
  // The schema gives every kind an empty metadata; the real one is read apart.
  delete fields['metadata']
  const found = validateValue(definition.schema(), fields, definition.resolve)
  const wrong = found.find((error) => error.reason === 'FieldValueTypeInvalid')
  if (wrong !== undefined) {
    throw new ApiError(400, 'BadRequest', `${cannotBeHandled(definition)}${wrong.field}: ${wrong.message}`)
  }
  const asked = found.filter(({ field }) => field !== 'metadata')
  // Schemas give an absent status an empty one; what it lacks is filled by whoever writes it, never asked of a client.
  return asked.filter(({ field }) => definition.subresources.status !== true || !/^status(\.|$)/.test(field))
}

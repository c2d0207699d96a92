/** Turns a decoded request body into an object of the served kind, or refuses it with 400. */

import { isBuiltinKind } from '../builtin/tables.ts'
import { ApiError, badRequest, invalid } from '../errors.ts'
import { applyDefaults } from '../schema/default.ts'
import { invalidError } from '../schema/field-error.ts'
import { isObject, type JsonObject } from '../schema/json.ts'
import { pruneUnknown } from '../schema/prune.ts'
import type { FieldError } from '../schema/schema.ts'
import { validateValue } from '../schema/validate.ts'
import { apiVersionOf } from './api-version.ts'
import { decodeProblem } from './decode-problem.ts'
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
    if (!(error instanceof ApiError)) throw error
    // Metadata of custom kinds is decoded by itself.
    const why =
      definition.origin === 'custom' ? error.message.replace('ObjectMeta.metadata.', 'ObjectMeta.') : error.message
    throw badRequest(`${cannotBeHandled(definition)}${why}`, error)
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
  if (absent(kind) && definition.origin === 'custom') {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${definition.kind}): Object 'Kind' is missing in '${excerpt(body)}'`,
    )
  }
  if (!absent(apiVersion) && apiVersion !== expected) throw otherVersion(definition, body, expected)
  if (!absent(kind) && kind !== definition.kind) {
    throw definition.origin === 'custom' ? wrongCustomKind(definition, body) : otherKind(definition, body)
  }
}

function absent(value: unknown): boolean {
  return value === undefined || value === '' || value === null
}

function otherVersion(definition: ResourceDefinition, body: JsonObject, expected: string): ApiError {
  const stated = String(body['apiVersion'])
  if (definition.origin === 'builtin' && !isBuiltinKind(stated, String(body['kind'])))
    return otherKind(definition, body)
  return badRequest(`the API version in the data (${stated}) does not match the expected API version (${expected})`)
}

function wrongCustomKind({ group, kind: expected }: ResourceDefinition, { kind, metadata }: JsonObject): ApiError {
  const name = isObject(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : ''
  return invalid({ group, kind: String(kind) }, name, [invalidError('kind', kind, `must be ${expected}`)])
}

/** What the real server finds in the table of its types. */
function otherKind(definition: ResourceDefinition, { apiVersion, kind }: JsonObject): ApiError {
  const { group, version, kind: expected } = definition
  const stated = apiVersion ?? apiVersionOf(group, version)
  const internal = group === '' ? 'core' : group.split('.')[0]
  const why = isBuiltinKind(String(stated), String(kind))
    ? `converting (${version}.${kind}) to (${internal}.${expected}): unknown conversion`
    : `no kind "${kind}" is registered for version "${stated}" in scheme "pkg/runtime/scheme.go:111"`
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${expected}: ${why}`)
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
    throw new ApiError(
      400,
      'BadRequest',
      `${cannotBeHandled(definition)}${decodeProblem(definition, wrong.field, fields)}`,
    )
  }
  // Which lists may not repeat a key the kind says itself: the list types are for the merging of patches.
  const asked = found.filter(({ field, reason }) => field !== 'metadata' && reason !== 'FieldValueDuplicate')
  // Schemas give an absent status an empty one; what it lacks is filled by whoever writes it, never asked of a client.
  return asked.filter(({ field }) => definition.subresources.status !== true || !/^status(\.|$)/.test(field))
}

/**
 * Validation of a CustomResourceDefinition, with the causes of the real API server. Defaults (singular, listKind,
 * conversion) must have been filled in; metadata in general is checked elsewhere.
 */
import { childPath, invalidError, notSupportedError, requiredError } from '../schema/field-error.ts'
import { equalJson, isDeeperThan, isObject, type JsonObject, MAX_DEPTH, own } from '../schema/json.ts'
import type { FieldError } from '../schema/schema.ts'
import { subschemas } from '../schema/schema-node.ts'
import { hasCondition, objectAt, schemaOf, specOf, textAt, textsAt, versionsOf } from './crd-spec.ts'
import { checkApproval } from './validate-approval.ts'
import { checkConversion } from './validate-conversion.ts'
import { checkGroup, checkNames, checkRequiredNames } from './validate-names.ts'
import { checkSharedParts, checkVersions, type Versions } from './validate-versions.ts'

/** Findings on creation, or, with `old`, on the update from it. Empty: valid. */
export function validateCrd(crd: unknown, old?: unknown): FieldError[] {
  const spec = specOf(crd)
  return [
    ...(old === undefined ? checkObjectName(crd, spec) : []),
    ...checkSpec(spec, { all: versionsOf(crd), hasKeptSchema: keptSchemas(old) }),
    ...(old === undefined ? [] : checkUnchanged(spec, specOf(old), hasCondition(old, 'Established'))),
    ...checkStatus(crd),
    ...checkApproval(crd, old),
    ...checkPreserve(spec, old),
  ]
}

function checkObjectName(crd: unknown, spec: JsonObject): FieldError[] {
  const metadata = isObject(crd) ? objectAt(crd, 'metadata') : undefined
  const name = textAt(metadata, 'name')
  if (name === `${textAt(objectAt(spec, 'names'), 'plural')}.${textAt(spec, 'group')}`) return []
  return [invalidError('metadata.name', name, 'must be spec.names.plural+"."+spec.group')]
}

const SCOPES = ['Cluster', 'Namespaced']

function keptSchemas(old: unknown): Versions['hasKeptSchema'] {
  const before = versionsOf(old)
  return (version) => {
    const former = before.find((other) => textAt(other, 'name') === textAt(version, 'name'))
    return former !== undefined && equalJson(objectAt(former, 'schema'), objectAt(version, 'schema'))
  }
}

function checkSpec(spec: JsonObject, versions: Versions): FieldError[] {
  const names = objectAt(spec, 'names') ?? {}
  return [
    ...checkGroup(textAt(spec, 'group')),
    ...checkScope(textAt(spec, 'scope')),
    ...checkDefaultsAllowed(spec, versions.all),
    ...checkVersions(versions),
    ...checkRequiredNames(names),
    ...checkNames(names, 'spec.names'),
    ...checkSharedParts(versions),
    ...checkConversion(objectAt(spec, 'conversion'), own(spec, 'preserveUnknownFields') === true),
  ]
}

function checkScope(scope: string): FieldError[] {
  if (scope === '') return [requiredError('spec.scope')]
  return SCOPES.includes(scope) ? [] : [notSupportedError('spec.scope', scope, SCOPES)]
}

/** A default needs pruning, so that it stays the only unwritten content of an object. */
function checkDefaultsAllowed(spec: JsonObject, versions: readonly JsonObject[]): FieldError[] {
  if (own(spec, 'preserveUnknownFields') !== true || !versions.some(hasDefaults)) return []
  return [invalidError('spec.preserveUnknownFields', true, 'must be false in order to use defaults in the schema')]
}

function hasDefaults(version: JsonObject): boolean {
  const schema = schemaOf(version)
  return schema !== undefined && !isDeeperThan(schema, MAX_DEPTH) && nodeHasDefaults(schema)
}

function nodeHasDefaults(node: JsonObject): boolean {
  return (own(node, 'default') ?? null) !== null || subschemas(node).some(nodeHasDefaults)
}

const IMMUTABLE = 'field is immutable'

/** Group and plural are in the name of the stored objects; scope and kind are in the objects, once there can be some. */
function checkUnchanged(spec: JsonObject, old: JsonObject, established: boolean): FieldError[] {
  const fields = [...(established ? ['scope', 'names.kind'] : []), 'group', 'names.plural']
  return fields.flatMap((field) => {
    const [value, before] = [read(spec, field), read(old, field)]
    return equalJson(value, before) ? [] : [invalidError(childPath('spec', field), value, IMMUTABLE)]
  })
}

function read(spec: JsonObject, field: string): unknown {
  const name = field.replace(/^names\./, '')
  return own(name === field ? spec : (objectAt(spec, 'names') ?? {}), name)
}

function checkStatus(crd: unknown): FieldError[] {
  const status = isObject(crd) ? objectAt(crd, 'status') : undefined
  const accepted = objectAt(status, 'acceptedNames')
  // A new definition has none yet: its names are accepted after it was stored.
  const judged = accepted !== undefined && textAt(accepted, 'plural') !== ''
  return [
    ...(judged ? checkNames(accepted, 'status.acceptedNames') : []),
    ...checkStoredVersions(textsAt(status, 'storedVersions'), versionsOf(crd)),
  ]
}

function checkStoredVersions(stored: readonly string[], versions: readonly JsonObject[]): FieldError[] {
  const path = 'status.storedVersions'
  if (stored.length === 0) return [invalidError(path, null, 'must have at least one stored version')]
  const names = new Set(versions.map((version) => textAt(version, 'name')))
  // Of several storage versions, itself a mistake, the last one counts.
  const last = versions.findLast((version) => own(version, 'storage') === true)
  const unlisted = last === undefined || stored.includes(textAt(last, 'name')) ? [] : [last]
  return [
    ...unlisted.map((version) =>
      invalidError(path, stored, `must have the storage version ${textAt(version, 'name')}`),
    ),
    ...stored.flatMap((name, index) =>
      names.has(name) ? [] : [invalidError(`${path}[${index}]`, name, missingVersion(name))],
    ),
  ]
}

function missingVersion(name: string): string {
  return (
    `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a ` +
    `storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`
  )
}

function checkPreserve(spec: JsonObject, old: unknown): FieldError[] {
  if (own(spec, 'preserveUnknownFields') !== true || own(specOf(old), 'preserveUnknownFields') === true) return []
  const detail =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead'
  return [invalidError('spec.preserveUnknownFields', true, detail)]
}

/** Fields of a custom kind that field selectors may name: scalar, outside of metadata, eight at most. */
import {
  childPath,
  duplicateError,
  indexPath,
  invalidError,
  requiredError,
  tooManyError,
} from '../schema/field-error.ts'
import type { JsonObject } from '../schema/json.ts'
import type { FieldError } from '../schema/schema.ts'
import { textOf } from '../schema/schema-node.ts'
import { findFieldPath } from '../schema/schema-path.ts'

const MAX_FIELDS = 8
const SCALARS = ['string', 'boolean', 'integer']

/** `schema` undefined: there is none, or (as the real server has it) none beside these fields, see `isShared`. */
export function checkSelectableFields(
  fields: readonly string[],
  schema: JsonObject | undefined,
  path: string,
): FieldError[] {
  if (fields.length === 0) return []
  if (schema === undefined) return [invalidError(path, '', noSchema(path))]
  const seen = new Set<string>()
  const errors = fields.flatMap((field, index) => checkField(schema, field, seen, indexPath(path, index)))
  if (seen.size > MAX_FIELDS) errors.push(tooManyError(path, seen.size, MAX_FIELDS))
  return errors
}

function noSchema(path: string): string {
  return path.startsWith('spec.versions')
    ? 'may only be set when `version.schema.openAPIV3Schema` is not included'
    : 'may only be set when validations.schema is included'
}

function checkField(schema: JsonObject, jsonPath: string, seen: Set<string>, path: string): FieldError[] {
  const field = childPath(path, 'jsonPath')
  if (jsonPath === '') return [requiredError(field)]
  const found = findFieldPath(schema, jsonPath, false)
  if (found.problem !== undefined) return [invalidError(field, jsonPath, `is an invalid path: ${found.problem}`)]
  const errors: FieldError[] = []
  if (found.segments[0] === 'metadata') {
    errors.push(invalidError(field, jsonPath, 'must not point to fields in metadata'))
  }
  if (found.schema === undefined || !SCALARS.includes(textOf(found.schema, 'type'))) {
    const detail =
      'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.'
    errors.push(invalidError(field, jsonPath, detail))
  }
  const key = found.segments.join('.')
  if (seen.has(key)) errors.push(duplicateError(field, jsonPath))
  seen.add(key)
  return errors
}

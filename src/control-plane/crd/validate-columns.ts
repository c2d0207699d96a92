/** Additional printer columns of a CRD. */
import { childPath, invalidError, requiredError } from '../schema/field-error.ts'
import type { JsonObject } from '../schema/json.ts'
import type { FieldError } from '../schema/schema.ts'
import { textAt } from './crd-spec.ts'

const TYPES = ['boolean', 'date', 'integer', 'number', 'string']
const FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']

export function checkColumn(column: JsonObject, path: string): FieldError[] {
  return [
    ...(textAt(column, 'name') === '' ? [requiredError(childPath(path, 'name'))] : []),
    ...checkType(textAt(column, 'type'), childPath(path, 'type')),
    ...checkFormat(textAt(column, 'format'), childPath(path, 'format')),
    ...checkJsonPath(textAt(column, 'jsonPath'), childPath(path, 'JSONPath')),
  ]
}

function checkType(type: string, field: string): FieldError[] {
  const detail = `must be one of ${TYPES.join(',')}`
  if (type === '') return [requiredError(field, detail)]
  return TYPES.includes(type) ? [] : [invalidError(field, type, detail)]
}

function checkFormat(format: string, field: string): FieldError[] {
  if (format === '' || FORMATS.includes(format)) return []
  return [invalidError(field, format, `must be one of ${FORMATS.join(',')}`)]
}

function checkJsonPath(path: string, field: string): FieldError[] {
  return path === '' ? [requiredError(field)] : checkSimplePath(path, field)
}

/** A path that begins with a dot. */
export function checkSimplePath(path: string, field: string): FieldError[] {
  return path.startsWith('.') ? [] : [invalidError(field, path, 'must be a simple json path starting with .')]
}

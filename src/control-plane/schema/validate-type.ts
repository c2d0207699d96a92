/** The type check. Its oddities (a checked format switches off the check of strings) are the real server's. */
import { quoteGo, typeInvalidError } from './field-error.ts'
import { checkedFormat } from './formats.ts'
import type { FieldError, Schema } from './schema.ts'

export function checkType(schema: Schema, value: unknown, name: string, field: string): FieldError | undefined {
  const types = allowedTypes(schema)
  const format = checkedFormat(schema)
  if (value === null) {
    const isAllowed = types.length === 0 || schema.nullable === true
    return isAllowed ? undefined : wrongType(types.join(','), 'null', name, field)
  }
  if (types.length === 0 && format === undefined) return undefined
  const actual = jsonType(value)
  if (types.includes(actual) || (actual === 'integer' && types.includes('number'))) return undefined
  if (format !== undefined) return checkFormatType(types, format, actual, { name, field })
  return wrongType(types.join(','), actual, name, field)
}

function checkFormatType(
  types: readonly string[],
  format: string,
  actual: string,
  at: { name: string; field: string },
): FieldError | undefined {
  const isText = actual === 'string' || actual === 'array'
  if (!isText) return wrongType(format, NATIVE_FORMATS[actual] ?? '', at.name, at.field)
  const isNumeric = types.includes('number') || types.includes('integer')
  return isNumeric ? wrongType(types.join(','), actual, at.name, at.field) : undefined
}

const NATIVE_FORMATS: Readonly<Record<string, string>> = { integer: 'int64', number: 'float64' }

function wrongType(expected: string, actual: string, name: string, field: string): FieldError {
  return typeInvalidError(field, actual, `${name} in body must be of type ${expected}: ${quoteGo(actual)}`)
}

function allowedTypes(schema: Schema): string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string']
  return schema.type === undefined ? [] : [schema.type]
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

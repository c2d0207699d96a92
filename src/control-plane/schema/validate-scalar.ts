/** Checks of strings and numbers. Each answers findings in the order the real server reports them. */
import { invalidError, printNumber, quoteGo, tooLongError, typeInvalidError } from './field-error.ts'
import { checkedFormat, matchesFormat } from './formats.ts'
import { compilePattern } from './pattern.ts'
import type { FieldError, Schema } from './schema.ts'

/** Where the real server puts findings that it cannot tie to a field. */
export const NO_FIELD = '<nil>'

export function checkString(schema: Schema, value: string, name: string, field: string): FieldError[] {
  const length = checkLength(schema, value, name, field) ?? checkPattern(schema, value, name, field)
  const format = checkFormat(schema, value, name, field)
  return [length, format].filter((error) => error !== undefined)
}

function checkLength(schema: Schema, value: string, name: string, field: string): FieldError | undefined {
  const { maxLength, minLength } = schema
  if (maxLength === undefined && minLength === undefined) return undefined
  const length = codePointCount(value)
  if (maxLength !== undefined && length > maxLength) return tooLongError(field, maxLength)
  if (minLength !== undefined && length < minLength) {
    return invalidError(field, value, `${name} in body should be at least ${minLength} chars long`)
  }
  return undefined
}

function codePointCount(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

function checkPattern(schema: Schema, value: string, name: string, field: string): FieldError | undefined {
  if (schema.pattern === undefined || schema.pattern === '') return undefined
  const pattern = compilePattern(schema.pattern)
  if (pattern.matches(value)) return undefined
  const shown =
    pattern.problem === undefined ? schema.pattern : `${schema.pattern}, but pattern is invalid: ${pattern.problem}`
  return invalidError(field, value, `${name} in body should match '${shown}'`)
}

function checkFormat(schema: Schema, value: string, name: string, field: string): FieldError | undefined {
  const format = checkedFormat(schema)
  if (format === undefined || matchesFormat(format, value)) return undefined
  return typeInvalidError(field, value, `${name} in body must be of type ${format}: ${quoteGo(value)}`)
}

export function checkNumber(schema: Schema, value: number, name: string, field: string): FieldError[] {
  return [
    checkRange(schema, value, name),
    checkMultiple(schema, value, name, field),
    checkMinimum(schema, value, name, field),
    checkMaximum(schema, value, name, field),
  ].filter((error) => error !== undefined)
}

const INT32_MAX = 2 ** 31 - 1
const INT64_LIMIT = 2 ** 63
const FLOAT32_MAX = 3.4028234663852886e38

function checkRange(schema: Schema, value: number, name: string): FieldError | undefined {
  const format = checkedFormat(schema)
  if (schema['x-kubernetes-int-or-string'] === true || isInRange(schema.type, format, value)) return undefined
  const kind = format === undefined ? `${schema.type} (default format)` : `${schema.type} with format ${format}`
  return invalidError(NO_FIELD, '', `Checked value must be of type ${kind} in ${name}`)
}

function isInRange(type: Schema['type'], format: string | undefined, value: number): boolean {
  if (type === 'number') return format !== 'float' || Math.abs(value) <= FLOAT32_MAX
  if (type !== 'integer') return true
  if (!Number.isInteger(value)) return false
  if (format === 'int32') return value <= INT32_MAX && value >= -INT32_MAX - 1
  return value < INT64_LIMIT && value >= -INT64_LIMIT
}

function checkMultiple(schema: Schema, value: number, name: string, field: string): FieldError | undefined {
  const factor = schema.multipleOf
  if (factor === undefined) return undefined
  if (factor <= 0) {
    return invalidError(
      field,
      factor,
      `factor MultipleOf declared for ${name} must be positive: ${printNumber(factor)}`,
    )
  }
  if (isMultiple(value, factor)) return undefined
  return invalidError(field, value, `${name} in body should be a multiple of ${printNumber(factor)}`)
}

/** Floating-point quotients of exact multiples may miss the integer by a rounding error. */
function isMultiple(value: number, factor: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(factor)) return value % factor === 0
  const quotient = factor < 1 ? (1 / factor) * value : value / factor
  return Number.isFinite(quotient) && Math.abs(quotient - Math.round(quotient)) <= 1e-9
}

function checkMinimum(schema: Schema, value: number, name: string, field: string): FieldError | undefined {
  const { minimum } = schema
  if (minimum === undefined) return undefined
  const exclusive = schema.exclusiveMinimum === true
  if (exclusive ? value > minimum : value >= minimum) return undefined
  const relation = exclusive ? 'greater than' : 'greater than or equal to'
  return invalidError(field, value, `${name} in body should be ${relation} ${printNumber(minimum)}`)
}

function checkMaximum(schema: Schema, value: number, name: string, field: string): FieldError | undefined {
  const { maximum } = schema
  if (maximum === undefined) return undefined
  const exclusive = schema.exclusiveMaximum === true
  if (exclusive ? value < maximum : value <= maximum) return undefined
  const relation = exclusive ? 'less than' : 'less than or equal to'
  return invalidError(field, value, `${name} in body should be ${relation} ${printNumber(maximum)}`)
}

/** Makes the causes of an `Invalid` Status, worded as the real API server words them `[k8s field errors]`. */
import { canonicalJson } from './json.ts'
import type { FieldError } from './schema.ts'

export function requiredError(field: string, detail = ''): FieldError {
  return { reason: 'FieldValueRequired', field, message: withDetail('Required value', detail) }
}

export function invalidError(field: string, value: unknown, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: withDetail(`Invalid value: ${printValue(value)}`, detail) }
}

export function typeInvalidError(field: string, value: unknown, detail: string): FieldError {
  return { reason: 'FieldValueTypeInvalid', field, message: withDetail(`Invalid value: ${printValue(value)}`, detail) }
}

export function notSupportedError(field: string, value: unknown, supported: readonly unknown[]): FieldError {
  const texts = supported.map((item) => quoteGo(typeof item === 'string' ? item : printJson(item)))
  const detail = texts.length > 0 ? `supported values: ${texts.join(', ')}` : ''
  return {
    reason: 'FieldValueNotSupported',
    field,
    message: withDetail(`Unsupported value: ${printValue(value)}`, detail),
  }
}

export function duplicateError(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueDuplicate', field, message: `Duplicate value: ${printValue(value)}` }
}

export function forbiddenError(field: string, detail: string): FieldError {
  return { reason: 'FieldValueForbidden', field, message: withDetail('Forbidden', detail) }
}

export function tooLongError(field: string, max: number): FieldError {
  const unit = max === 1 ? 'byte' : 'bytes'
  return { reason: 'FieldValueTooLong', field, message: `Too long: may not be more than ${max} ${unit}` }
}

export function tooManyError(field: string, actual: number, max: number): FieldError {
  const unit = max === 1 ? 'item' : 'items'
  return { reason: 'FieldValueTooMany', field, message: `Too many: ${actual}: must have at most ${max} ${unit}` }
}

/** `parent.name`, or `name` at the root. */
export function childPath(parent: string, name: string): string {
  return parent === '' ? name : `${parent}.${name}`
}

export function indexPath(parent: string, index: number): string {
  return `${parent}[${index}]`
}

/** Path of a map's entry: `parent[key]`. */
export function keyPath(parent: string, key: string): string {
  return `${parent}[${key}]`
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}

/** A string in double quotes, escaped as Go's `%q` does. */
export function quoteGo(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must be escaped.
  const escaped = text.replace(/["\\\u0000-\u001f\u007f]/g, (char) => {
    return ESCAPES[char] ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
  return `"${escaped}"`
}

/** A number as Go's `%v` prints it: `1e-05`, `1e+21`, otherwise as JavaScript does. */
export function printNumber(value: number): string {
  const magnitude = Math.abs(value)
  const text = magnitude !== 0 && magnitude < 1e-4 ? value.toExponential() : String(value)
  return text.replace(/e([+-])(\d)$/, 'e$10$2')
}

function printValue(value: unknown): string {
  if (typeof value === 'string') return quoteGo(value)
  if (typeof value === 'number') return printNumber(value)
  return printJson(value)
}

/** JSON as Go writes it: sorted keys, and `<`, `>`, `&` escaped. */
function printJson(value: unknown): string {
  return canonicalJson(value).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function withDetail(text: string, detail: string): string {
  return detail === '' ? text : `${text}: ${detail}`
}

/** How large the parts of a value can be, as far as its schema says: what estimates of costs start from. */
import type { Schema } from '../schema/schema.ts'
import { declareType, withResourceFields } from './declare.ts'
import { escapeFieldName } from './field-names.ts'
import type { Size } from './size.ts'

/** Bytes: no value is larger, as no request is. */
const MAX_REQUEST_BYTES = 3 * 1024 * 1024
/** Of a text without a bound, less its quotes. */
const MAX_TEXT_BYTES = MAX_REQUEST_BYTES - 2
/** A character takes up to so many bytes. */
const BYTES_PER_CHARACTER = 4

/** What a path goes through besides fields. */
export const ITEMS = '@items'
export const INDICES = '@indices'
export const VALUES = '@values'
export const KEYS = '@keys'

/** The schema with what expressions see of a whole resource. */
export function exposedSchema(schema: Schema, isRoot: boolean): Schema {
  return isRoot || schema['x-kubernetes-embedded-resource'] === true ? withResourceFields(schema) : schema
}

/**
 * Size of what is at `path` in a value of `schema`; undefined when the schema does not say. The path's first name is that
 * of the variable. Scalars other than texts, and objects, have no size: 0.
 */
export function sizeAt(schema: Schema, path: readonly string[]): Size | undefined {
  if (path.length === 0) return undefined
  let at: Schema | 'key' | undefined = schema
  for (const name of path.slice(1)) {
    if (at === undefined || at === 'key') return undefined
    at = partOf(at, name)
  }
  return at === undefined ? undefined : { min: 0, max: at === 'key' ? 0 : maxElements(at) }
}

function partOf(schema: Schema, name: string): Schema | 'key' | undefined {
  const element = elementOf(schema)
  if (name === ITEMS || name === VALUES) return element && exposed(element)
  if (element !== undefined) return name === KEYS && schema.type === 'object' ? 'key' : undefined
  const found = Object.entries(schema.properties ?? {}).find(([raw]) => escapeFieldName(raw) === name)
  return found && exposed(found[1])
}

/** Of a list or a map. */
function elementOf({ type, items, additionalProperties }: Schema): Schema | undefined {
  if (type === 'array') return items
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

/** Undefined: expressions do not see it. */
function exposed(schema: Schema): Schema | undefined {
  return declareType(schema) === undefined ? undefined : exposedSchema(schema, false)
}

function maxElements(schema: Schema): number {
  if (schema['x-kubernetes-int-or-string'] === true) return maxText(schema)
  switch (schema.type) {
    case 'array':
      return atLeastZero(schema.maxItems) ?? Math.floor((MAX_REQUEST_BYTES - 2) / (minBytes(schema.items) + 1))
    case 'object':
      return typeof schema.additionalProperties === 'object' ? maxEntries(schema, schema.additionalProperties) : 0
    case 'string':
      return TEXT_SIZES[schema.format ?? ''] ?? (schema.format === 'byte' ? maxBytes(schema) : maxText(schema))
    default:
      return 0
  }
}

/** Each entry has quotes, a colon, a comma and a key of two bytes. */
const ENTRY_BYTES = 6

function maxEntries({ maxProperties }: Schema, values: Schema): number {
  return atLeastZero(maxProperties) ?? Math.floor((MAX_REQUEST_BYTES - 2) / (minBytes(values) + ENTRY_BYTES))
}

const TEXT_SIZES: Readonly<Record<string, number>> = { duration: 32, date: 12, 'date-time': 32 }

const maxBytes = ({ maxLength }: Schema): number => atLeastZero(maxLength) ?? MAX_TEXT_BYTES

function maxText({ maxLength, enum: values }: Schema): number {
  const bound = atLeastZero(maxLength)
  if (bound !== undefined) return bound * BYTES_PER_CHARACTER
  const texts = (values ?? []).filter((value) => typeof value === 'string')
  return (values ?? []).length === 0 ? MAX_TEXT_BYTES : Math.max(0, ...texts.map((text) => Buffer.byteLength(text)))
}

const atLeastZero = (value: number | undefined): number | undefined =>
  value === undefined ? undefined : Math.max(0, value)

const MIN_BYTES: Readonly<Record<string, number>> = {
  array: 2,
  boolean: 4,
  integer: 1,
  number: 1,
  string: 2,
  'string/duration': 3,
  'string/date': 12,
  'string/date-time': 21,
}

/** Of the shortest JSON of a value. */
function minBytes(schema: Schema | undefined): number {
  if (schema === undefined || schema['x-kubernetes-int-or-string'] === true) return 1
  const type = schema.type ?? ''
  if (type !== 'object') return MIN_BYTES[`${type}/${schema.format ?? ''}`] ?? MIN_BYTES[type] ?? 1
  if (typeof schema.additionalProperties === 'object') return 2
  const required = new Set(schema.required)
  return Object.entries(exposedSchema(schema, false).properties ?? {}).reduce(
    (sum, [name, property]) =>
      required.has(name) && property.default === undefined && declareType(property) !== undefined
        ? sum + Buffer.byteLength(name) + minBytes(property) + 4
        : sum,
    2,
  )
}

/** How often a value of `schema` fits into a request. */
export function maxOccurrences(schema: Schema): number {
  return Math.floor(MAX_REQUEST_BYTES / (minBytes(schema) + 1))
}

/** How many parts a value of `schema` may have at each place below it; undefined: as many as fit. */
export function maxParts({ type, additionalProperties, maxProperties, maxItems }: Schema): number | undefined {
  if (type === 'array') return atLeastZero(maxItems)
  if (type !== 'object' || additionalProperties === undefined) return 1
  return atLeastZero(maxProperties)
}

/** JSON as values of the expression language, by its schema. Containers are converted as far as they are read. */
import { isObject, type JsonObject, own } from '../schema/json.ts'
import type { Schema } from '../schema/schema.ts'
import { type CelValue, ListValue, MapValue, ObjectValue } from './cel-value.ts'
import { withResourceFields } from './declare.ts'
import { escapeFieldName } from './field-names.ts'
import { parseDuration, parseTimestamp } from './time-text.ts'

/** `isResource`: a whole object, whose metadata shows its names only. */
export function toCelValue(value: unknown, schema: Schema, isResource = isEmbedded(schema)): CelValue {
  if (Array.isArray(value)) return toList(value, schema)
  if (isObject(value)) return toContainer(value, schema, isResource)
  if (typeof value === 'string') return toTextValue(value, schema)
  if (typeof value === 'number') return toNumber(value, schema)
  return typeof value === 'boolean' ? value : null
}

function toNumber(value: number, schema: Schema): CelValue {
  const isInteger = Number.isInteger(value)
  return schema.type === 'number' || !isInteger ? value : BigInt(value)
}

function toTextValue(value: string, schema: Schema): CelValue {
  if (schema.type !== 'string') return value
  switch (schema.format) {
    case 'byte':
      return new Uint8Array(Buffer.from(value, 'base64'))
    case 'duration':
      return parseDuration(value) ?? value
    case 'date':
      return parseTimestamp(`${value}T00:00:00Z`) ?? value
    case 'date-time':
      return parseTimestamp(value) ?? value
    default:
      return value
  }
}

function toList(value: readonly unknown[], schema: Schema): ListValue {
  const items = schema.items ?? {}
  const keys = (schema['x-kubernetes-list-map-keys'] ?? []).map((key) => escapeFieldName(key) ?? key)
  return new ListValue(
    value.map((item) => toCelValue(item, items)),
    schema['x-kubernetes-list-type'] ?? 'atomic',
    keys,
  )
}

function isEmbedded(schema: Schema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true
}

function toContainer(value: JsonObject, schema: Schema, isResource: boolean): CelValue {
  const rest = schema.additionalProperties
  if (typeof rest === 'object') return toMap(value, rest)
  if (schema.type !== 'object') return toMap(value, {})
  return toObject(value, isResource ? withResourceFields(schema) : schema)
}

function toMap(value: JsonObject, items: Schema): MapValue {
  return MapValue.of(Object.keys(value).map((key) => [key, toCelValue(value[key], items)]))
}

function toObject(value: JsonObject, schema: Schema): ObjectValue {
  const fields = fieldsOf(schema)
  const names: string[] = []
  for (const [escaped, { name }] of fields) if (isPresent(value, name)) names.push(escaped)
  return new ObjectValue(names, (escaped) => {
    const field = fields.get(escaped)
    if (field === undefined || !isPresent(value, field.name)) return undefined
    return toCelValue(own(value, field.name), field.schema)
  })
}

/** A null counts as an absent field. */
function isPresent(value: JsonObject, name: string): boolean {
  return (own(value, name) ?? null) !== null
}

interface Field {
  readonly name: string
  readonly schema: Schema
}

const knownFields = new WeakMap<Schema, ReadonlyMap<string, Field>>()

/** By the names that expressions use. */
function fieldsOf(schema: Schema): ReadonlyMap<string, Field> {
  const known = knownFields.get(schema)
  if (known !== undefined) return known
  const fields = new Map<string, Field>()
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    fields.set(escapeFieldName(name) ?? name, { name, schema: property })
  }
  knownFields.set(schema, fields)
  return fields
}

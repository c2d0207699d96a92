/** The type that a schema gives to its values in expressions. A part without one cannot be used in rules. */
import type { Schema } from '../schema/schema.ts'
import { BOOL, BYTES, type CelType, DOUBLE, DURATION, DYN, INT, listOf, mapOf, STRING, TIMESTAMP } from './cel-type.ts'
import { escapeFieldName } from './field-names.ts'

const declared = new WeakMap<Schema, CelType | typeof UNTYPED>()
const UNTYPED = Symbol('untyped')

/** `isResource`: apiVersion, kind and the object's names are accessible whatever the schema says of them. */
export function declareType(schema: Schema, isResource = isEmbedded(schema)): CelType | undefined {
  const known = isResource === isEmbedded(schema) ? declared.get(schema) : undefined
  if (known !== undefined) return known === UNTYPED ? undefined : known
  const type = declare(schema, isResource)
  if (isResource === isEmbedded(schema)) declared.set(schema, type ?? UNTYPED)
  return type
}

function isEmbedded(schema: Schema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true
}

function declare(schema: Schema, isResource: boolean): CelType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return DYN
  switch (schema.type) {
    case 'array': {
      const item = schema.items && declareType(schema.items)
      return item && listOf(item)
    }
    case 'object':
      return declareObject(isResource ? withResourceFields(schema) : schema)
    case 'string':
      return STRING_FORMATS[schema.format ?? ''] ?? STRING
    case 'boolean':
      return BOOL
    case 'number':
      return DOUBLE
    case 'integer':
      return INT
    default:
      return undefined
  }
}

const STRING_FORMATS: Readonly<Record<string, CelType>> = {
  byte: BYTES,
  duration: DURATION,
  date: TIMESTAMP,
  'date-time': TIMESTAMP,
}

function declareObject(schema: Schema): CelType | undefined {
  const rest = schema.additionalProperties
  if (typeof rest === 'object') {
    const item = declareType(rest)
    return item && mapOf(STRING, item)
  }
  const fields = new Map<string, CelType>()
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const type = declareType(property)
    const escaped = escapeFieldName(name)
    if (type !== undefined && escaped !== undefined) fields.set(escaped, type)
  }
  nextName += 1
  return { kind: 'object', name: `object${nextName}`, fields }
}

/** Two objects have one type when they have one schema. */
let nextName = 0

const TEXT: Schema = { type: 'string' }

const withFields = new WeakMap<Schema, Schema>()

/** The schema of a whole resource as rules see it: of its metadata they see the names only. */
export function withResourceFields(schema: Schema): Schema {
  const known = withFields.get(schema)
  if (known !== undefined) return known
  const resource: Schema = {
    ...schema,
    properties: {
      ...schema.properties,
      apiVersion: TEXT,
      kind: TEXT,
      metadata: { type: 'object', properties: { name: TEXT, generateName: TEXT } },
    },
  }
  withFields.set(schema, resource)
  return resource
}

/**
 * Structural defaulting. First nulls of fields that are neither nullable nor defaulted are dropped, then absent fields
 * (and remaining nulls of fields that are not nullable) get a copy of their default, from the outside in, so that a
 * default may itself be completed by the defaults of its fields.
 */
import { cloneJson, isObject, type JsonObject, MAX_DEPTH, own, setOwn } from './json.ts'
import { resolveSchema } from './resolve-schema.ts'
import type { ResolveRef, Schema } from './schema.ts'

/** Fills `value` in place. */
export function applyDefaults(schema: Schema, value: unknown, resolve: ResolveRef): void {
  dropNulls(schema, value, { resolve, depth: 0 })
  fillDefaults(schema, value, { resolve, depth: 0 })
}

interface Walk {
  readonly resolve: ResolveRef
  readonly depth: number
}

type Visit = (schema: Schema, value: unknown, walk: Walk) => void

function dropNulls(schema: Schema, value: unknown, walk: Walk): void {
  const { schema: here } = resolveSchema(schema, walk.resolve)
  if (isObject(value)) {
    for (const key of Object.keys(value)) {
      const field = fieldSchema(here, key)
      if (field !== undefined && value[key] === null && !isNullable(field, walk) && field.default === undefined) {
        delete value[key]
      }
    }
  }
  descend(here, value, walk, dropNulls)
}

function fillDefaults(schema: Schema, value: unknown, walk: Walk): void {
  const { schema: here } = resolveSchema(schema, walk.resolve)
  if (isObject(value)) {
    fillAbsent(here, value)
    fillNullFields(here, value, walk)
  } else if (Array.isArray(value)) {
    fillNullItems(here, value, walk)
  }
  descend(here, value, walk, fillDefaults)
}

function fillAbsent(schema: Schema, value: JsonObject): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (property.default !== undefined && !Object.hasOwn(value, name)) {
      setOwn(value, name, cloneJson(property.default))
    }
  }
}

function fillNullFields(schema: Schema, value: JsonObject, walk: Walk): void {
  for (const key of Object.keys(value)) {
    if (value[key] !== null) continue
    const field = fieldSchema(schema, key)
    if (field?.default !== undefined && !isNullable(field, walk)) setOwn(value, key, cloneJson(field.default))
  }
}

function fillNullItems(schema: Schema, value: unknown[], walk: Walk): void {
  const { items } = schema
  if (items?.default === undefined || isNullable(items, walk)) return
  for (const [index, item] of value.entries()) {
    if (item === null) value[index] = cloneJson(items.default)
  }
}

function descend(schema: Schema, value: unknown, walk: Walk, visit: Visit): void {
  if (walk.depth >= MAX_DEPTH) return
  const inner: Walk = { resolve: walk.resolve, depth: walk.depth + 1 }
  for (const [child, childSchema] of children(schema, value)) visit(childSchema, child, inner)
}

/** The parts of a value that have a schema. */
function children(schema: Schema, value: unknown): Array<[unknown, Schema]> {
  if (Array.isArray(value)) {
    const { items } = schema
    return items === undefined ? [] : value.map((item) => [item, items])
  }
  if (!isObject(value)) return []
  return Object.keys(value).flatMap((key): Array<[unknown, Schema]> => {
    const field = fieldSchema(schema, key)
    return field === undefined ? [] : [[value[key], field]]
  })
}

function isNullable(field: Schema, walk: Walk): boolean {
  return field.nullable === true || resolveSchema(field, walk.resolve).schema.nullable === true
}

function fieldSchema(schema: Schema, key: string): Schema | undefined {
  const property = own(schema.properties, key)
  if (property !== undefined) return property
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
}

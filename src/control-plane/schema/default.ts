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
  const here = resolveSchema(schema, walk.resolve)
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
  const here = resolveSchema(schema, walk.resolve)
  if (isObject(value)) {
    fillAbsent(here, value)
    fillNullFields(here, value, walk)
  } else if (Array.isArray(value)) {
    fillNullItems(here, value, walk)
  }
  descend(here, value, walk, fillDefaults)
}

function fillAbsent(schema: Schema, value: JsonObject): void {
  for (const [name, content] of defaultsOf(schema)) {
    if (!Object.hasOwn(value, name)) setOwn(value, name, cloneJson(content))
  }
}

const defaults = new WeakMap<Schema, Array<[name: string, content: unknown]>>()

/** The defaults of a schema's own fields, found once: most schemas have none. */
function defaultsOf(schema: Schema): ReadonlyArray<[name: string, content: unknown]> {
  const known = defaults.get(schema)
  if (known !== undefined) return known
  const found = Object.entries(schema.properties ?? {}).flatMap(
    ([name, property]): Array<[string, unknown]> => (property.default === undefined ? [] : [[name, property.default]]),
  )
  defaults.set(schema, found)
  return found
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

/** Visits the parts of a value that have a schema. */
function descend(schema: Schema, value: unknown, walk: Walk, visit: Visit): void {
  if (typeof value !== 'object' || value === null || walk.depth >= MAX_DEPTH) return
  const inner: Walk = { resolve: walk.resolve, depth: walk.depth + 1 }
  if (Array.isArray(value)) descendItems(schema.items, value, inner, visit)
  else if (schema.properties !== undefined || typeof schema.additionalProperties === 'object') {
    descendFields(schema, value as JsonObject, inner, visit)
  }
}

function descendItems(items: Schema | undefined, value: readonly unknown[], walk: Walk, visit: Visit): void {
  if (items === undefined) return
  for (const item of value) if (isContainer(item)) visit(items, item, walk)
}

function descendFields(schema: Schema, value: JsonObject, walk: Walk, visit: Visit): void {
  for (const key of Object.keys(value)) {
    const field = isContainer(value[key]) ? fieldSchema(schema, key) : undefined
    if (field !== undefined) visit(field, value[key], walk)
  }
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function isNullable(field: Schema, walk: Walk): boolean {
  return field.nullable === true || resolveSchema(field, walk.resolve).nullable === true
}

function fieldSchema(schema: Schema, key: string): Schema | undefined {
  const property = own(schema.properties, key)
  if (property !== undefined) return property
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
}

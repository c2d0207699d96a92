/** Uniqueness of `x-kubernetes-list-type: set` items and `map` keys. Linear: values are compared by a canonical text. */
import { childPath, duplicateError, indexPath, invalidError, keyPath } from './field-error.ts'
import { canonicalJson, isObject, type JsonObject, MAX_DEPTH, own } from './json.ts'
import { resolveSchema } from './resolve-schema.ts'
import type { FieldError, ResolveRef, Schema } from './schema.ts'

interface Walk {
  readonly resolve: ResolveRef
  readonly errors: FieldError[]
}

interface Here {
  readonly path: string
  readonly depth: number
}

/** Findings about lists anywhere in `value`, whose own path is `path`. */
export function checkListTypes(schema: Schema, value: unknown, resolve: ResolveRef, path = ''): FieldError[] {
  const walk: Walk = { resolve, errors: [] }
  checkAt(schema, value, walk, { path, depth: 0 })
  return walk.errors
}

function checkAt(schema: Schema, value: unknown, walk: Walk, here: Here): void {
  if (typeof value !== 'object' || value === null || here.depth > MAX_DEPTH) return
  const resolved = resolveSchema(schema, walk.resolve)
  if (Array.isArray(value)) checkArray(resolved, value, walk, here)
  else checkFields(resolved, value as JsonObject, walk, here)
}

function checkFields(schema: Schema, value: JsonObject, walk: Walk, here: Here): void {
  const rest = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
  if (schema.properties === undefined && rest === undefined) return
  for (const key of Object.keys(value)) {
    const property = own(schema.properties, key)
    const field = property ?? rest
    if (field === undefined) continue
    const path = property === undefined ? keyPath(here.path, key) : childPath(here.path, key)
    checkAt(field, value[key], walk, { path, depth: here.depth + 1 })
  }
}

function checkArray(schema: Schema, value: readonly unknown[], walk: Walk, here: Here): void {
  for (const error of checkUnique(schema, value, here.path)) walk.errors.push(error)
  const { items } = schema
  if (items === undefined) return
  for (const [index, item] of value.entries()) {
    checkAt(items, item, walk, { path: indexPath(here.path, index), depth: here.depth + 1 })
  }
}

function checkUnique(schema: Schema, value: readonly unknown[], path: string): FieldError[] {
  if (schema['x-kubernetes-list-type'] === 'set') return duplicates(value, path)
  if (schema['x-kubernetes-list-type'] !== 'map') return []
  const misfit = value.findIndex((item) => item !== null && !isObject(item))
  if (misfit >= 0) {
    return [invalidError(indexPath(path, misfit), value[misfit], 'must be an object for an array of list-type map')]
  }
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  return duplicates(
    value.map((item) => pick(item, keys)),
    path,
  )
}

function pick(item: unknown, keys: readonly string[]): JsonObject {
  if (!isObject(item)) return {}
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(item, key)).map((key) => [key, item[key]]))
}

/** One finding per value that occurs again, at its second occurrence. */
function duplicates(values: readonly unknown[], path: string): FieldError[] {
  const counts = new Map<string, number>()
  const errors: FieldError[] = []
  for (const [index, value] of values.entries()) {
    const text = canonicalJson(value)
    const count = (counts.get(text) ?? 0) + 1
    counts.set(text, count)
    if (count === 2) errors.push(duplicateError(indexPath(path, index), value))
  }
  return errors
}

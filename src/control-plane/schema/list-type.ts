/** Uniqueness of `x-kubernetes-list-type: set` items and `map` keys. Linear: values are compared by a canonical text. */
import { childPath, duplicateError, indexPath, invalidError, keyPath } from './field-error.ts'
import { canonicalJson, isObject, type JsonObject, MAX_DEPTH, own } from './json.ts'
import { resolveSchema } from './resolve-schema.ts'
import type { FieldError, ResolveRef, Schema } from './schema.ts'

interface Here {
  readonly path: string
  readonly depth: number
}

/** Findings about lists anywhere in `value`, whose own path is `path`. */
export function checkListTypes(schema: Schema, value: unknown, resolve: ResolveRef, path = ''): FieldError[] {
  return checkAt(schema, value, resolve, { path, depth: 0 })
}

function checkAt(schema: Schema, value: unknown, resolve: ResolveRef, here: Here): FieldError[] {
  if (typeof value !== 'object' || value === null || here.depth > MAX_DEPTH) return []
  const { schema: resolved } = resolveSchema(schema, resolve)
  if (Array.isArray(value)) return checkArray(resolved, value, resolve, here)
  return isObject(value) ? checkFields(resolved, value, resolve, here) : []
}

function checkFields(schema: Schema, value: JsonObject, resolve: ResolveRef, here: Here): FieldError[] {
  const depth = here.depth + 1
  return Object.keys(value).flatMap((key) => {
    const property = own(schema.properties, key)
    if (property !== undefined) {
      return checkAt(property, value[key], resolve, { path: childPath(here.path, key), depth })
    }
    if (typeof schema.additionalProperties !== 'object') return []
    return checkAt(schema.additionalProperties, value[key], resolve, { path: keyPath(here.path, key), depth })
  })
}

function checkArray(schema: Schema, value: readonly unknown[], resolve: ResolveRef, here: Here): FieldError[] {
  const { items } = schema
  const inItems =
    items === undefined
      ? []
      : value.flatMap((item, index) =>
          checkAt(items, item, resolve, { path: indexPath(here.path, index), depth: here.depth + 1 }),
        )
  return [...checkUnique(schema, value, here.path), ...inItems]
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

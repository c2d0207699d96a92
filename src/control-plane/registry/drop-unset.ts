/**
 * Fields of a built-in object that say nothing. Such an object is decoded into fixed types, in which null, an empty list
 * and an empty map are all the same as an absent field, unless the field is one that is always written.
 */
import { isObject, type JsonObject, own } from '../schema/json.ts'
import { resolveSchema } from '../schema/resolve-schema.ts'
import type { ResolveRef, Schema } from '../schema/schema.ts'

interface Walk {
  readonly schema: Schema
  readonly resolve: ResolveRef
  /** From the root to the value that is looked at; items of lists are undefined. */
  readonly path: Array<string | undefined>
}

/** Drops them in place. The schema is asked only about what is empty, which is rare. */
export function dropUnset(schema: Schema, fields: JsonObject, resolve: ResolveRef): void {
  drop(fields, { schema, resolve, path: [] })
}

function drop(value: unknown, walk: Walk): void {
  if (Array.isArray(value)) {
    for (const item of value) descend(item, undefined, walk)
  } else if (isObject(value)) {
    dropFields(value, walk)
  }
}

function dropFields(object: JsonObject, walk: Walk): void {
  for (const key of Object.keys(object)) {
    const field = object[key]
    if (typeof field !== 'object') continue
    if (field !== null) descend(field, key, walk)
    if (field === null || (isEmpty(field) && isOmitted(key, walk))) delete object[key]
  }
}

function descend(value: unknown, step: string | undefined, walk: Walk): void {
  walk.path.push(step)
  drop(value, walk)
  walk.path.pop()
}

function isEmpty(value: object): boolean {
  for (const key in value) if (Object.hasOwn(value, key)) return false
  return true
}

/** Optional lists that are written even when they are empty: of roles and endpoint slices, and of parts of any kind `[k8s]`. */
const WRITTEN_AT_ROOT: ReadonlySet<string> = new Set(['rules', 'ports'])
const WRITTEN: ReadonlySet<string> = new Set(['sources', 'currentMetrics', 'storedVersions'])

/** Of a field in the object at the path: whether it is left out when it is empty. A structure is not: it is there. */
function isOmitted(key: string, walk: Walk): boolean {
  if (WRITTEN.has(key) || (walk.path.length === 0 && WRITTEN_AT_ROOT.has(key))) return false
  const owner = schemaAt(walk)
  const field = own(owner?.properties, key)
  if (field === undefined || owner?.required?.includes(key) === true) return false
  const { type, additionalProperties } = resolveSchema(field, walk.resolve)
  return type === 'array' || (type === 'object' && additionalProperties !== undefined)
}

/** Undefined where the schema ends: below that anything goes. */
function schemaAt({ schema, resolve, path }: Walk): Schema | undefined {
  let at: Schema | undefined = resolveSchema(schema, resolve)
  for (const step of path) {
    at = step === undefined ? at?.items : fieldSchema(at, step)
    if (at === undefined) return undefined
    at = resolveSchema(at, resolve)
  }
  return at
}

function fieldSchema(schema: Schema | undefined, name: string): Schema | undefined {
  const rest = schema?.additionalProperties
  return own(schema?.properties, name) ?? (typeof rest === 'object' ? rest : undefined)
}

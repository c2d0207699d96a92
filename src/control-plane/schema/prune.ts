/**
 * Drops fields that the schema does not specify. The root, and every embedded resource, keeps apiVersion, kind and
 * metadata as they are. Below `x-kubernetes-preserve-unknown-fields` unknown fields stay, but specified ones are pruned.
 */
import { childPath, indexPath } from './field-error.ts'
import { isObject, type JsonObject, MAX_DEPTH, own } from './json.ts'
import { resolveSchema } from './resolve-schema.ts'
import type { ResolveRef, Schema } from './schema.ts'

const RESOURCE_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

interface Walk {
  readonly resolve: ResolveRef
  readonly removed: string[]
}

interface Here {
  readonly path: string
  readonly depth: number
}

/** Prunes `value`, a whole resource, in place; answers the removed paths, sorted: `spec.foo`, `spec.items[0].bar`. */
export function pruneUnknown(schema: Schema, value: unknown, resolve: ResolveRef): string[] {
  const root = resolveSchema(schema, resolve)
  return prunePart({ ...root, 'x-kubernetes-embedded-resource': true }, value, resolve)
}

/** The same for a part of a resource, such as the default of a field. */
export function prunePart(schema: Schema, value: unknown, resolve: ResolveRef): string[] {
  const walk: Walk = { resolve, removed: [] }
  prune(schema, value, walk, { path: '', depth: 0 })
  return walk.removed.sort()
}

function prune(schema: Schema | undefined, value: unknown, walk: Walk, here: Here): void {
  if (typeof value !== 'object' || value === null || here.depth > MAX_DEPTH) return
  const resolved = schema === undefined ? undefined : resolveSchema(schema, walk.resolve)
  if (resolved !== undefined && resolved !== schema && isOpaque(resolved)) return
  if (Array.isArray(value)) pruneItems(resolved, value, walk, here)
  else if (isObject(value)) pruneFields(resolved ?? {}, value, walk, here)
}

/** A named built-in type without any structure takes anything (RawExtension, FieldsV1, JSON). */
function isOpaque(schema: Schema): boolean {
  return schema.properties === undefined && schema.additionalProperties === undefined && schema.items === undefined
}

function pruneItems(schema: Schema | undefined, value: unknown[], walk: Walk, here: Here): void {
  const preserve = schema?.['x-kubernetes-preserve-unknown-fields'] === true
  if (preserve && schema?.items === undefined) return
  for (const [index, item] of value.entries()) {
    prune(schema?.items, item, walk, { path: indexPath(here.path, index), depth: here.depth + 1 })
  }
}

function pruneFields(schema: Schema, value: JsonObject, walk: Walk, here: Here): void {
  const isResource = schema['x-kubernetes-embedded-resource'] === true
  for (const key of Object.keys(value)) {
    if (isResource && RESOURCE_FIELDS.has(key)) continue
    pruneField(schema, value, key, { walk, here })
  }
}

function pruneField(schema: Schema, value: JsonObject, key: string, at: { walk: Walk; here: Here }): void {
  const inner = { path: childPath(at.here.path, key), depth: at.here.depth + 1 }
  const property = own(schema.properties, key)
  const rest = schema.additionalProperties
  if (property !== undefined) prune(property, value[key], at.walk, inner)
  else if (typeof rest === 'object') prune(rest, value[key], at.walk, inner)
  else if (rest === true) prune(undefined, value[key], at.walk, inner)
  else if (schema['x-kubernetes-preserve-unknown-fields'] !== true) removeField(value, key, at.walk, at.here)
}

function removeField(object: JsonObject, key: string, walk: Walk, here: Here): void {
  delete object[key]
  walk.removed.push(childPath(here.path, key))
}

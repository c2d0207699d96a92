/**
 * Strategic merge patch: a merge patch that knows, from the kind's schema, which lists are merged by key.
 * Order of one object's merge: `$patch`, then `$retainKeys`, then lists with `$setElementOrder`, then the other fields.
 * [doc: Update API Objects in Place Using kubectl patch; k8s strategic-merge-patch design]
 */
import { cloneJson, isDeeperThan, isObject, type JsonObject, MAX_DEPTH, setOwn } from '../schema/json.ts'
import type { ResolveRef, Schema } from '../schema/schema.ts'
import {
  BAD_DELETE_LIST,
  BAD_RETAIN_KEYS,
  cleanObject,
  DELETE_FROM_LIST,
  directiveField,
  PATCH,
  RETAIN_KEYS,
  SET_ORDER,
  unknownPatchType,
  withoutDirectives,
} from './directives.ts'
import { applyElementOrder } from './element-order.ts'
import { mergeList } from './list-merge.ts'
import { PatchError } from './patch-error.ts'
import { patchMetadata } from './patch-metadata.ts'

/** Answers the patched copy; `doc` and `patch` are left alone. Throws `PatchError`. */
export function applyStrategicMergePatch(doc: unknown, patch: unknown, schema: Schema, resolve: ResolveRef): unknown {
  if (!isObject(patch)) throw new PatchError('BadRequest', 'a strategic merge patch must be an object')
  if (isDeeperThan(patch, MAX_DEPTH)) {
    throw new PatchError('BadRequest', `a strategic merge patch must not be nested deeper than ${MAX_DEPTH} levels`)
  }
  const original = isObject(doc) ? cloneJson(doc) : {}
  return mergeMap(original, cloneJson(patch), schema, resolve)
}

/** Changes both arguments, which are copies, and answers the merged object. */
function mergeMap(
  original: JsonObject,
  patch: JsonObject,
  schema: Schema | undefined,
  resolve: ResolveRef,
): JsonObject {
  if (Object.hasOwn(patch, PATCH)) return applyPatchDirective(patch)
  applyRetainKeys(original, patch)
  const mergeField = (key: string, value: unknown): void => mergeOne(original, { key, value, schema, resolve })
  applyElementOrder(original, patch, (key) => patchMetadata(schema, key, resolve), mergeField)
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(DELETE_FROM_LIST)) deleteFromList(original, key, value)
    else mergeField(key, value)
  }
  return original
}

function applyPatchDirective(patch: JsonObject): JsonObject {
  const directive = patch[PATCH]
  if (directive === 'delete') return {}
  if (directive !== 'replace') throw unknownPatchType(directive)
  return cleanObject(patch)
}

/** Drops every field of the original that the directive does not list; the patch may set listed fields only. */
function applyRetainKeys(original: JsonObject, patch: JsonObject): void {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return
  const list = patch[RETAIN_KEYS]
  delete patch[RETAIN_KEYS]
  if (!Array.isArray(list)) throw new PatchError('BadRequest', BAD_RETAIN_KEYS)
  const retained = new Set<unknown>(list)
  const isListed = ([key, value]: [string, unknown]): boolean =>
    value === null || key.startsWith(DELETE_FROM_LIST) || key.startsWith(SET_ORDER) || retained.has(key)
  if (!Object.entries(patch).every(isListed)) throw new PatchError('BadRequest', BAD_RETAIN_KEYS)
  for (const key of Object.keys(original)) if (!retained.has(key)) delete original[key]
}

function deleteFromList(original: JsonObject, key: string, value: unknown): void {
  const field = directiveField(key, DELETE_FROM_LIST, BAD_DELETE_LIST)
  const list = Object.hasOwn(original, field) ? original[field] : undefined
  if (value === null) delete original[field]
  if (!Array.isArray(list) || !Array.isArray(value)) return
  const deleted = new Set<unknown>(value)
  original[field] = list.filter((item) => !deleted.has(item))
}

interface FieldPatch {
  readonly key: string
  readonly value: unknown
  /** Schema of the object that has the field. */
  readonly schema: Schema | undefined
  readonly resolve: ResolveRef
}

function mergeOne(original: JsonObject, patch: FieldPatch): void {
  const { key, value } = patch
  const current = Object.hasOwn(original, key) ? original[key] : undefined
  if (value === null) delete original[key]
  else if (isObject(current) && isObject(value)) setOwn(original, key, mergeObjectField(current, value, patch))
  else if (Array.isArray(current) && Array.isArray(value)) setOwn(original, key, mergeListField(current, value, patch))
  else takeOver(original, key, value)
}

function takeOver(original: JsonObject, key: string, value: unknown): void {
  const clean = withoutDirectives(value)
  if (clean === undefined) delete original[key]
  else setOwn(original, key, clean)
}

function mergeObjectField(current: JsonObject, value: JsonObject, { key, schema, resolve }: FieldPatch): JsonObject {
  const metadata = patchMetadata(schema, key, resolve)
  return metadata.strategy === 'replace' ? cleanObject(value) : mergeMap(current, value, metadata.schema, resolve)
}

function mergeListField(current: unknown[], value: unknown[], { key, schema, resolve }: FieldPatch): unknown[] {
  const metadata = patchMetadata(schema, key, resolve)
  if (metadata.strategy !== 'merge') return value.map(withoutDirectives).filter((item) => item !== undefined)
  return mergeList(current, value, metadata.mergeKey, (item, change) =>
    mergeMap(item, change, metadata.schema, resolve),
  )
}

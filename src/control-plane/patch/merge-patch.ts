/**
 * JSON merge patch (RFC 7396). Keys such as `__proto__` are data like any other. As in the real server, null fields are
 * also dropped from objects inside lists, where the RFC would keep them.
 */
import { cloneJson, isDeeperThan, isObject, type JsonObject, MAX_DEPTH, setOwn } from '../schema/json.ts'
import { PatchError } from './patch-error.ts'

/** Answers the patched copy; `doc` and `patch` are left alone. Throws `PatchError` for a patch nested too deeply. */
export function applyMergePatch(doc: unknown, patch: unknown): unknown {
  if (isDeeperThan(patch, MAX_DEPTH)) {
    throw new PatchError('BadRequest', `a merge patch must not be nested deeper than ${MAX_DEPTH} levels`)
  }
  return merge(doc, patch)
}

function merge(doc: unknown, patch: unknown): unknown {
  if (Array.isArray(patch)) return withoutNullFields(patch)
  if (!isObject(patch)) return patch
  const merged: JsonObject = isObject(doc) ? cloneFields(doc, patch) : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key]
    else setOwn(merged, key, merge(ownField(doc, key), value))
  }
  return merged
}

function ownField(doc: unknown, key: string): unknown {
  return isObject(doc) && Object.hasOwn(doc, key) ? doc[key] : undefined
}

function withoutNullFields(list: readonly unknown[]): unknown[] {
  return list.map((item) => (item === null ? null : merge(undefined, item)))
}

/** Fields that the patch names are merged anyway, so only the others are copied in full; all keep their place. */
function cloneFields(doc: JsonObject, patch: JsonObject): JsonObject {
  const copy: JsonObject = {}
  for (const [key, value] of Object.entries(doc)) {
    setOwn(copy, key, Object.hasOwn(patch, key) ? value : cloneJson(value))
  }
  return copy
}

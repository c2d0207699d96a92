/** Merging of lists that have patch strategy `merge`, and the order of the result. All steps are linear. */
import { isObject, type JsonObject } from '../schema/json.ts'
import { cleanObject, mergeFailure, PATCH, unknownPatchType } from './directives.ts'

/** Merges a patch into the object with the same merge key. */
export type MergeItem = (original: JsonObject, patch: JsonObject) => JsonObject

/** `mergeKey` undefined: a list of scalars. */
export function mergeList(
  original: readonly unknown[],
  patch: readonly unknown[],
  mergeKey: string | undefined,
  mergeItem: MergeItem,
): unknown[] {
  if (original.length === 0 && patch.length === 0) return []
  if (!isListOfObjects(original, patch)) return mergeScalars(original, patch)
  if (mergeKey === undefined) throw mergeFailure('cannot merge lists without merge key')
  return mergeObjects(original.filter(isObject), patch.filter(isObject), mergeKey, mergeItem)
}

/** Lists of scalars or of objects, never both, never lists. */
function isListOfObjects(...lists: ReadonlyArray<readonly unknown[]>): boolean {
  const kinds = new Set(lists.flat().map(kindOf))
  if (kinds.has('list')) throw mergeFailure('lists of lists are not supported')
  if (kinds.size > 1) throw mergeFailure('list element types are not identical')
  return kinds.has('object')
}

function kindOf(item: unknown): string {
  if (Array.isArray(item)) return 'list'
  return item === null ? 'null' : typeof item
}

function mergeScalars(original: readonly unknown[], patch: readonly unknown[]): unknown[] {
  const merged = [...new Set([...original, ...patch])]
  const inPatch = new Set(patch)
  return interleave(
    merged.filter((item) => !inPatch.has(item)),
    [...inPatch],
    positions(original),
    (item) => item,
  )
}

function mergeObjects(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
  mergeItem: MergeItem,
): unknown[] {
  const keyOf = mergeKeyReader(mergeKey)
  const { kept, changes } = applyItemDirectives(original, patch, mergeKey)
  const merged = new Map<unknown, JsonObject>()
  const extra: JsonObject[] = []
  for (const item of kept) {
    const key = keyOf(item)
    // Only the first of several items with one key is merged; the others stay as they are.
    if (merged.has(key)) extra.push(item)
    else merged.set(key, item)
  }
  for (const change of changes) {
    const key = keyOf(change)
    const existing = merged.get(key)
    merged.set(key, existing === undefined ? cleanObject(change) : mergeItem(existing, change))
  }
  const patched = positions(changes.map(keyOf))
  const items = [...merged.values(), ...extra]
  return interleave(
    sortBy(
      items.filter((item) => !patched.has(keyOf(item))),
      positions(kept.map(keyOf)),
      keyOf,
    ),
    sortBy(
      items.filter((item) => patched.has(keyOf(item))),
      patched,
      keyOf,
    ),
    positions(kept.map(keyOf)),
    keyOf,
  )
}

/** `$patch: delete` removes the item with that key; `$patch: replace` drops every item that the patch does not give. */
function applyItemDirectives(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
): { kept: readonly JsonObject[]; changes: JsonObject[] } {
  const changes = patch.filter((item) => !Object.hasOwn(item, PATCH))
  const instructions = patch.filter((item) => Object.hasOwn(item, PATCH))
  for (const { [PATCH]: directive } of instructions) checkItemDirective(directive)
  if (instructions.some((item) => item[PATCH] === 'replace')) return { kept: changes.map(cleanObject), changes: [] }
  const deleted = new Set(instructions.map(mergeKeyReader(mergeKey)))
  return { kept: original.filter((item) => !deleted.has(item[mergeKey])), changes }
}

function checkItemDirective(directive: unknown): void {
  if (directive === 'merge') throw mergeFailure('merging lists cannot yet be specified in the patch')
  if (directive !== 'replace' && directive !== 'delete') throw unknownPatchType(directive)
}

export function mergeKeyReader(mergeKey: string): (item: JsonObject) => unknown {
  return (item) => {
    const value = Object.hasOwn(item, mergeKey) ? item[mergeKey] : undefined
    if (value === undefined || typeof value === 'object') {
      throw mergeFailure(`map: ${JSON.stringify(item)} does not contain declared merge key: ${mergeKey}`)
    }
    return value
  }
}

/** Where each key first occurs. */
export function positions(keys: readonly unknown[]): ReadonlyMap<unknown, number> {
  const result = new Map<unknown, number>()
  for (const [index, key] of keys.entries()) if (!result.has(key)) result.set(key, index)
  return result
}

/** Stable; items whose key has no position come last. */
export function sortBy<T>(items: readonly T[], order: ReadonlyMap<unknown, number>, keyOf: (item: T) => unknown): T[] {
  const rank = (item: T): number => order.get(keyOf(item)) ?? Number.MAX_SAFE_INTEGER
  return [...items].sort((left, right) => rank(left) - rank(right))
}

/**
 * Merges what only the server has with what the patch has. Both keep their own order; an item of the server's comes
 * first only where the server's list had it before the next item of the patch.
 */
export function interleave<T>(
  serverOnly: readonly T[],
  patched: readonly T[],
  serverOrder: ReadonlyMap<unknown, number>,
  keyOf: (item: T) => unknown,
): T[] {
  const result: T[] = []
  const queue = [...patched]
  let next = 0
  for (const item of serverOnly) {
    const position = serverOrder.get(keyOf(item)) ?? -1
    while (next < queue.length && !isBefore(position, serverOrder.get(keyOf(queue[next] as T)))) {
      result.push(queue[next] as T)
      next++
    }
    result.push(item)
  }
  return [...result, ...queue.slice(next)]
}

function isBefore(position: number, other: number | undefined): boolean {
  return position >= 0 && other !== undefined && position < other
}

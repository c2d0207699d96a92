/**
 * `$setElementOrder/field` gives the wanted order of a merged list: the items it names in that order, the server's own
 * items between them where they were. The list itself may or may not be part of the patch.
 */
import { isObject, type JsonObject } from '../schema/json.ts'
import { BAD_ORDER_LIST, directiveField, mergeFailure, PATCH, SET_ORDER } from './directives.ts'
import { interleave, mergeKeyReader, positions, sortBy } from './list-merge.ts'
import type { PatchMetadata } from './patch-metadata.ts'

/** Applies, and removes from `patch`, every such directive together with the list it is about. */
export function applyElementOrder(
  original: JsonObject,
  patch: JsonObject,
  metadataOf: (field: string) => PatchMetadata,
  mergeField: (field: string, value: unknown) => void,
): void {
  for (const key of Object.keys(patch).filter((name) => name.startsWith(SET_ORDER))) {
    const order = patch[key]
    delete patch[key]
    if (!Array.isArray(order)) throw mergeFailure(`expected a []interface {}, but received a ${goName(order)}`)
    const field = directiveField(key, SET_ORDER, BAD_ORDER_LIST)
    const { mergeKey } = metadataOf(field)
    const before = listOf(original, field) ?? []
    const change = listOf(patch, field)
    checkOrder(change ?? [], order, mergeKey)
    if (change !== undefined) mergeField(field, change)
    delete patch[field]
    const merged = listOf(original, field)
    if (merged !== undefined) original[field] = reorder(merged, order, before, mergeKey)
  }
}

function goName(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  if (typeof value === 'boolean') return 'bool'
  return isObject(value) ? 'map[string]interface {}' : String(typeof value)
}

function listOf(object: JsonObject, field: string): unknown[] | undefined {
  if (!Object.hasOwn(object, field)) return undefined
  const value = object[field]
  if (!Array.isArray(value)) throw mergeFailure(`expected a list in field ${field}, but found ${typeof value}`)
  return [...value]
}

/** What the patch sets must be named by the order, and in the same order; deletions need not be. */
function checkOrder(change: readonly unknown[], order: readonly unknown[], mergeKey: string | undefined): void {
  if (change.length === 0 || order.length === 0) return
  const keyOf = itemKey(mergeKey)
  const wanted = change.filter((item) => !(isObject(item) && Object.hasOwn(item, PATCH))).map(keyOf)
  let next = 0
  for (const item of order) if (next < wanted.length && wanted[next] === keyOf(item)) next++
  if (next < wanted.length) {
    throw mergeFailure(
      `The order in patch list:\n${JSON.stringify(change)}\n doesn't match ${SET_ORDER} list:\n${JSON.stringify(order)}\n`,
    )
  }
}

function reorder(
  merged: readonly unknown[],
  order: readonly unknown[],
  before: readonly unknown[],
  mergeKey: string | undefined,
): unknown[] {
  const keyOf = itemKey(mergeKey)
  const wanted = positions(order.map(keyOf))
  const server = positions(before.map(keyOf))
  const named = merged.filter((item) => wanted.has(keyOf(item)))
  const others = merged.filter((item) => !wanted.has(keyOf(item)))
  return interleave(sortBy(others, server, keyOf), sortBy(named, wanted, keyOf), server, keyOf)
}

function itemKey(mergeKey: string | undefined): (item: unknown) => unknown {
  if (mergeKey === undefined) return (item) => item
  const read = mergeKeyReader(mergeKey)
  return (item) => {
    if (!isObject(item)) throw mergeFailure(`expected a map with merge key ${mergeKey}, but found ${typeof item}`)
    return read(item)
  }
}

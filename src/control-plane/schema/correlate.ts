/**
 * Which part of the old value a part of the new one corresponds to, and whether it is unchanged. Fields correspond by
 * name, where the schema specifies them; items of a list map by their keys; items of other lists to nothing.
 */
import { canonicalJson, equalJson, isObject, type JsonObject, MAX_DEPTH, own } from './json.ts'
import type { Schema } from './schema.ts'

/** An old value, and the schema outside of junctors that both it and the new one are held to. */
export interface Correlated {
  readonly value: unknown
  readonly schema: Schema
}

export function correlateField(old: Correlated | undefined, key: string): Correlated | undefined {
  if (old === undefined || !isObject(old.value) || !Object.hasOwn(old.value, key)) return undefined
  const rest = old.schema.additionalProperties
  const schema = own(old.schema.properties, key) ?? (typeof rest === 'object' ? rest : undefined)
  return schema === undefined ? undefined : { value: old.value[key], schema }
}

export type CorrelateItem = (item: unknown) => Correlated | undefined

/** For the items of the list that `old` corresponds to. */
export function itemCorrelator(old: Correlated | undefined): CorrelateItem {
  const items = old?.schema.items
  if (old === undefined || items === undefined || !isListMap(old.schema) || !Array.isArray(old.value)) {
    return () => undefined
  }
  const keys = old.schema['x-kubernetes-list-map-keys'] ?? []
  const byKey = new Map<string, Correlated>()
  for (const item of old.value) {
    const text = keyText(item, keys)
    if (text !== undefined && !byKey.has(text)) byKey.set(text, { value: item, schema: items })
  }
  return (item) => byKey.get(keyText(item, keys) ?? '')
}

function isListMap(schema: Schema): boolean {
  return schema['x-kubernetes-list-type'] === 'map' && (schema['x-kubernetes-list-map-keys'] ?? []).length > 0
}

/** An item without all of its keys corresponds to nothing. */
function keyText(item: unknown, keys: readonly string[]): string | undefined {
  if (!isObject(item) || !keys.every((key) => Object.hasOwn(item, key))) return undefined
  return canonicalJson(keys.map((key) => item[key]))
}

/** An object with a field that its schema does not specify never counts as unchanged: nobody can say what it means. */
export function isUnchanged(value: unknown, old: Correlated, depth = 0): boolean {
  if (depth > MAX_DEPTH) return false
  if (isObject(value)) return isObject(old.value) && areFieldsUnchanged(value, old.value, old, depth)
  if (!Array.isArray(value) || !Array.isArray(old.value) || !isListMap(old.schema)) return equalJson(value, old.value)
  const correlate = itemCorrelator(old)
  return (
    value.length === old.value.length &&
    value.every((item) => {
      const oldItem = correlate(item)
      return oldItem !== undefined && isUnchanged(item, oldItem, depth + 1)
    })
  )
}

function areFieldsUnchanged(value: JsonObject, old: JsonObject, parent: Correlated, depth: number): boolean {
  const keys = Object.keys(value)
  return (
    keys.length === Object.keys(old).length &&
    keys.every((key) => {
      const field = correlateField(parent, key)
      return field !== undefined && isUnchanged(value[key], field, depth + 1)
    })
  )
}

/** How the items of a list that merges are told apart. */
import { isObject, type JsonObject } from '../schema/json.ts'
import { keyElement, type PathElement, valueElement } from './path-element.ts'
import type { ListType } from './value-type.ts'

/** A value to which its schema's list types and keys cannot be applied. */
export class FieldsError extends Error {
  override readonly name = 'FieldsError'
}

/** @throws FieldsError */
export function itemElement(list: ListType, item: unknown): PathElement {
  return list.keys.length === 0 ? setElement(item) : keyedElement(list, item)
}

function keyedElement(list: ListType, item: unknown): PathElement {
  if (!isObject(item)) {
    const found = item === null ? 'a null element' : 'non-map elements'
    throw new FieldsError(`associative list with keys may not have ${found}`)
  }
  const fields = keyFields(list, item)
  if (fields.length > 0) return keyElement(fields)
  const names = list.keys.map((key) => JSON.stringify(key)).join(' ')
  throw new FieldsError(
    `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  )
}

/** A key that an item leaves out has its default; one without a default tells the item apart by its absence. */
function keyFields(list: ListType, item: JsonObject): Array<readonly [string, unknown]> {
  const fields: Array<readonly [string, unknown]> = []
  for (const key of list.keys) {
    const value = Object.hasOwn(item, key) ? item[key] : list.items.map?.defaultOf(key)
    if (value !== undefined) fields.push([key, value])
  }
  return fields
}

function setElement(item: unknown): PathElement {
  if (item === null) throw new FieldsError("associative list without keys has an element that's an explicit null")
  if (Array.isArray(item)) throw new FieldsError('not supported: associative list with lists as elements')
  if (isObject(item)) throw new FieldsError("associative list without keys has an element that's a map type")
  return valueElement(item)
}

/** The items by their elements; items that share one come together. @throws FieldsError */
export function itemsByElement(list: ListType, items: readonly unknown[]): Map<PathElement, unknown[]> {
  const found = new Map<PathElement, unknown[]>()
  for (const item of items) {
    const element = itemElement(list, item)
    const same = found.get(element)
    if (same === undefined) found.set(element, [item])
    else same.push(item)
  }
  return found
}

/** Takes fields and items out of a value. */
import { isObject, type JsonObject, setOwn } from '../schema/json.ts'
import { type FieldSet, isEmptySet } from './field-set.ts'
import { itemElement } from './item-element.ts'
import { fieldElement } from './path-element.ts'
import { fieldType, type ListType, type MapType, shapeOf, type ValueType } from './value-type.ts'

/** Answers a changed copy; an object or list that loses everything it had becomes null. @throws FieldsError */
export function removeFields(type: ValueType, value: unknown, gone: FieldSet): unknown {
  switch (shapeOf(type, value)) {
    case 'map':
      return type.map === undefined || type.map.atomic || !isObject(value) ? null : mapWithout(type.map, value, gone)
    case 'list':
      return type.list === undefined || type.list.atomic || !Array.isArray(value)
        ? null
        : listWithout(type.list, value, gone)
    default:
      return value
  }
}

function mapWithout(map: MapType, value: JsonObject, gone: FieldSet): JsonObject | null {
  const kept: JsonObject = {}
  for (const [name, field] of Object.entries(value)) {
    const inner = gone.children?.get(fieldElement(name))
    if (inner?.member === true) continue
    setOwn(kept, name, isNothing(inner) ? field : removeFields(fieldType(map, name), field, inner))
  }
  return Object.keys(kept).length === 0 ? null : kept
}

function listWithout(list: ListType, value: readonly unknown[], gone: FieldSet): unknown[] | null {
  const kept: unknown[] = []
  for (const item of value) {
    const inner = gone.children?.get(itemElement(list, item))
    if (inner?.member === true) continue
    kept.push(isNothing(inner) ? item : removeFields(list.items, item, inner))
  }
  return kept.length === 0 ? null : kept
}

function isNothing(set: FieldSet | undefined): set is undefined {
  return set === undefined || isEmptySet(set)
}

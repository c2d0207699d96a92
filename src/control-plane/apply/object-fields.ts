/** The fields that a value states: what its author owns. */
import { isObject } from '../schema/json.ts'
import { type FieldSet, isEmptySet, LEAF, NO_FIELDS } from './field-set.ts'
import { itemsByElement } from './item-element.ts'
import { fieldElement, type PathElement } from './path-element.ts'
import { fieldType, type ListType, type MapType, shapeOf, type ValueType } from './value-type.ts'

/**
 * The set of an applied object: its scalars, atomic parts, items, and the fields that no schema names; an object that the
 * schema names is not in it (nobody owns `spec`), unless it is empty or null. @throws FieldsError
 */
export function fieldsOf(type: ValueType, value: unknown): FieldSet {
  return { ...statedFields(type, value), member: false }
}

function statedFields(type: ValueType, value: unknown): FieldSet {
  switch (shapeOf(type, value)) {
    case 'map':
      return type.map === undefined || type.map.atomic ? LEAF : statedMap(type.map, value)
    case 'list':
      return type.list === undefined || type.list.atomic ? LEAF : statedList(type.list, value)
    default:
      return LEAF
  }
}

function statedMap(map: MapType, value: unknown): FieldSet {
  if (!isObject(value)) return NO_FIELDS
  const children = new Map<PathElement, FieldSet>()
  for (const [name, field] of Object.entries(value)) {
    const stated = statedFields(fieldType(map, name), field)
    const isOwned = isEmptyField(field) || map.declared(name) === undefined
    const child = isOwned ? { ...stated, member: true } : stated
    if (!isEmptySet(child)) children.set(fieldElement(name), child)
  }
  return { member: false, children }
}

function isEmptyField(value: unknown): boolean {
  return value === null || (isObject(value) && Object.keys(value).length === 0)
}

function statedList(list: ListType, value: unknown): FieldSet {
  if (!Array.isArray(value)) return NO_FIELDS
  const children = new Map<PathElement, FieldSet>()
  for (const [element, items] of itemsByElement(list, value)) {
    const single = items.length === 1
    children.set(element, single ? { ...statedFields(list.items, items[0]), member: true } : LEAF)
  }
  return { member: false, children }
}

/** A value with everything below it, as it is when it comes or goes as a whole. @throws FieldsError */
export function branchOf(type: ValueType, value: unknown): FieldSet {
  switch (shapeOf(type, value)) {
    case 'map':
      return mapBranch(type.map, value)
    case 'list':
      return listBranch(type.list, value)
    default:
      return LEAF
  }
}

function mapBranch(map: MapType | undefined, value: unknown): FieldSet {
  if (map === undefined || map.atomic || !isObject(value)) return LEAF
  let children: Map<PathElement, FieldSet> | undefined
  for (const name in value) {
    children ??= new Map()
    children.set(fieldElement(name), branchOf(fieldType(map, name), value[name]))
  }
  return children === undefined ? LEAF : { member: true, children }
}

function listBranch(list: ListType | undefined, value: unknown): FieldSet {
  if (list === undefined || list.atomic || !Array.isArray(value) || value.length === 0) return LEAF
  const children = new Map<PathElement, FieldSet>()
  for (const [element, items] of itemsByElement(list, value)) {
    children.set(element, items.length === 1 ? branchOf(list.items, items[0]) : LEAF)
  }
  return { member: true, children }
}

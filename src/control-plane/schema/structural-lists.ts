/** `x-kubernetes-list-type` and `x-kubernetes-list-map-keys`: where they may be, and what map keys must look like. */
import { childPath, forbiddenError, invalidError, keyPath, notSupportedError, requiredError } from './field-error.ts'
import { own } from './json.ts'
import type { FieldError } from './schema.ts'
import { childNode, isTrue, namesOf, type SchemaNode, textOf } from './schema-node.ts'

const LIST_TYPE = 'x-kubernetes-list-type'
const MAP_KEYS = 'x-kubernetes-list-map-keys'
const MAP_TYPE = 'x-kubernetes-map-type'
const LIST_TYPES = ['atomic', 'set', 'map']

export function checkListKeywords(node: SchemaNode, path: string): FieldError[] {
  const listType = own(node, LIST_TYPE) ?? undefined
  const keys = namesOf(node, MAP_KEYS)
  return [
    ...(listType === undefined ? [] : checkListType(node, listType, path)),
    ...(keys.length > 0 && listType !== 'map' ? [keysWithoutMap(listType, path)] : []),
    ...(listType === 'map' ? checkMapList(node, keys, path) : []),
    ...(listType === 'map' || listType === 'set' ? checkNotNullable(node, listType, path) : []),
    ...(listType === 'map' ? keys.flatMap((key) => checkKeyPresence(node, key, path)) : []),
  ]
}

function checkListType(node: SchemaNode, listType: unknown, path: string): FieldError[] {
  const type = textOf(node, 'type')
  const detail = `must be array if ${LIST_TYPE} is specified`
  const errors: FieldError[] = []
  if (type === '') errors.push(requiredError(childPath(path, 'type'), detail))
  else if (type !== 'array') errors.push(invalidError(childPath(path, 'type'), type, detail))
  else if (listType === 'set') errors.push(...checkSetItems(node, path))
  if (!LIST_TYPES.includes(String(listType))) {
    errors.push(notSupportedError(childPath(path, LIST_TYPE), listType, LIST_TYPES))
  }
  return errors
}

/** Items of a set are compared as a whole, so they must be atomic. */
function checkSetItems(node: SchemaNode, path: string): FieldError[] {
  const items = childNode(node, 'items') ?? {}
  const detail = `must be atomic as item of a list with ${LIST_TYPE}=set`
  const listType = own(items, LIST_TYPE) ?? 'atomic'
  if (textOf(items, 'type') === 'array' && listType !== 'atomic') {
    return [invalidError(childPath(path, `items.${LIST_TYPE}`), listType, detail)]
  }
  if (textOf(items, 'type') === 'object' && own(items, MAP_TYPE) !== 'atomic') {
    return [invalidError(childPath(path, `items.${MAP_TYPE}`), own(items, LIST_TYPE) ?? null, detail)]
  }
  return []
}

function keysWithoutMap(listType: unknown, path: string): FieldError {
  const detail = `must be map if ${MAP_KEYS} is non-empty`
  const field = childPath(path, LIST_TYPE)
  return listType === undefined ? requiredError(field, detail) : invalidError(field, listType, detail)
}

function checkMapList(node: SchemaNode, keys: readonly string[], path: string): FieldError[] {
  const items = childNode(node, 'items')
  const errors: FieldError[] = []
  if (keys.length === 0) {
    errors.push(requiredError(childPath(path, MAP_KEYS), `must not be empty if ${LIST_TYPE} is map`))
  }
  if (items === undefined) {
    errors.push(requiredError(childPath(path, 'items'), `must have a schema if ${LIST_TYPE} is map`))
    return errors
  }
  const type = textOf(items, 'type')
  if (type !== 'object') {
    const detail = `must be object if parent array's ${LIST_TYPE} is map`
    return [...errors, invalidError(childPath(path, 'items.type'), type, detail)]
  }
  return [...errors, ...keys.flatMap((key, index) => checkKey(items, { keys, key, index }, path))]
}

interface MapKey {
  readonly keys: readonly string[]
  readonly key: string
  readonly index: number
}

function checkKey(items: SchemaNode, { keys, key, index }: MapKey, path: string): FieldError[] {
  const property = childNode(childNode(items, 'properties') ?? {}, key)
  const errors: FieldError[] = []
  if (property === undefined) {
    errors.push(invalidError(childPath(path, MAP_KEYS), keys, 'entries must all be names of item properties'))
  } else if (['array', 'object'].includes(textOf(property, 'type'))) {
    const field = childPath(keyPath(childPath(path, 'items.properties'), key), 'type')
    errors.push(invalidError(field, 'object', `must be a scalar type if parent array's ${LIST_TYPE} is map`))
  }
  if (keys.indexOf(key) < index) {
    errors.push(invalidError(childPath(path, MAP_KEYS), keys, 'must not contain duplicate entries'))
  }
  return errors
}

function checkNotNullable(node: SchemaNode, listType: string, path: string): FieldError[] {
  const items = childNode(node, 'items')
  if (items === undefined || !isTrue(items, 'nullable')) return []
  return [forbiddenError(childPath(path, 'items.nullable'), `cannot be nullable when ${LIST_TYPE} is ${listType}`)]
}

/** An item without its key could not be told from another. */
function checkKeyPresence(node: SchemaNode, key: string, path: string): FieldError[] {
  const items = childNode(node, 'items') ?? {}
  const property = childNode(childNode(items, 'properties') ?? {}, key)
  if (property === undefined) return []
  const field = keyPath(childPath(path, 'items.properties'), key)
  const reason = `this property is in ${MAP_KEYS}, so it`
  const hasDefault = (own(property, 'default') ?? null) !== null
  return [
    ...(namesOf(items, 'required').includes(key) || hasDefault
      ? []
      : [requiredError(childPath(field, 'default'), `${reason} must have a default or be a required property`)]),
    ...(isTrue(property, 'nullable')
      ? [forbiddenError(childPath(field, 'nullable'), `${reason} cannot be nullable`)]
      : []),
  ]
}

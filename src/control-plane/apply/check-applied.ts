/** Whether an applied object fits the schema of its kind: only then can its fields be told apart. */
import { isObject, type JsonObject } from '../schema/json.ts'
import { FieldsError, itemElement } from './item-element.ts'
import { pathText } from './path-element.ts'
import { type ListType, type MapType, type ScalarKind, shapeOf, type ValueType } from './value-type.ts'

/** What does not fit, in one text; undefined when all does. */
export function misfitsOf(type: ValueType, value: unknown): string | undefined {
  const found: string[] = []
  checkValue(type, value, '', found)
  if (found.length < 2) return found[0]
  return ['errors:', ...found.map((text) => `  ${text}`)].join('\n')
}

function checkValue(type: ValueType, value: unknown, path: string, found: string[]): void {
  if (value === null) return
  switch (shapeOf(type, value)) {
    case 'map':
      if (type.map !== undefined && isObject(value)) checkMap(type.map, value, path, found)
      else report(found, path, `expected map, got ${shown(value)}`)
      return
    case 'list':
      if (type.list !== undefined && Array.isArray(value)) checkList(type.list, value, path, found)
      else report(found, path, `expected list, got ${shown(value)}`)
      return
    default:
      checkScalar(type.scalar ?? 'any', value, path, found)
  }
}

/** How the value is wrapped where the real server prints it. */
function shown(value: unknown): string {
  return `&{${typeof value === 'string' ? value : JSON.stringify(value)}}`
}

function report(found: string[], path: string, message: string): void {
  found.push(path === '' ? message : `${path}: ${message}`)
}

function checkMap(map: MapType, value: JsonObject, path: string, found: string[]): void {
  for (const [name, field] of Object.entries(value)) {
    const type = map.declared(name) ?? map.rest
    if (type === undefined) {
      // The rest of this object is not looked at.
      report(found, `${path}.${name}`, 'field not declared in schema')
      return
    }
    checkValue(type, field, `${path}.${name}`, found)
  }
}

function checkList(list: ListType, items: readonly unknown[], path: string, found: string[]): void {
  const seen = new Set<string>()
  for (const [index, item] of items.entries()) {
    const element = list.atomic ? `i:${index}` : elementOf(list, item, { index, path, found })
    if (element === undefined) return
    if (seen.has(element)) report(found, path, `duplicate entries for key ${pathText([element])}`)
    seen.add(element)
    checkValue(list.items, item, `${path}${pathText([element])}`, found)
  }
}

interface Place {
  readonly index: number
  readonly path: string
  readonly found: string[]
}

function elementOf(list: ListType, item: unknown, { index, path, found }: Place): string | undefined {
  try {
    return itemElement(list, item)
  } catch (error) {
    if (!(error instanceof FieldsError)) throw error
    report(found, path, `element ${index}: ${error.message}`)
    return undefined
  }
}

const FITS: Readonly<Record<ScalarKind, (value: unknown) => boolean>> = {
  any: (value) => ['string', 'number', 'boolean'].includes(typeof value),
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
}

function checkScalar(kind: ScalarKind, value: unknown, path: string, found: string[]): void {
  if (!FITS[kind](value)) report(found, path, misfit(kind, value))
}

function misfit(kind: ScalarKind, value: unknown): string {
  if (kind === 'number') return `expected numeric (int or float), got ${goType(value)}`
  if (kind === 'string') return `expected string, got &value.valueUnstructured{Value:${JSON.stringify(value)}}`
  return `expected ${kind === 'any' ? 'any scalar' : kind}, got ${shown(value)}`
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}'
  if (isObject(value)) return 'map[string]interface {}'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

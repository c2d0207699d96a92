/**
 * One step of a field path, as FieldsV1 writes it: `f:name` (a field), `k:{...}` (a list item by its keys), `v:...` (an
 * item of a set by its value), `i:0` (an item by its index). A text per step: equal texts are equal steps.
 */
import { isObject } from '../schema/json.ts'

export type PathElement = string

export function fieldElement(name: string): PathElement {
  return `f:${name}`
}

/** `fields` in any order; they are written sorted by name. */
export function keyElement(fields: ReadonlyArray<readonly [name: string, value: unknown]>): PathElement {
  const sorted = fields.length > 1 ? [...fields].sort(([left], [right]) => compareTexts(left, right)) : fields
  return `k:{${sorted.map(([name, value]) => `${JSON.stringify(name)}:${jsonOf(value)}`).join(',')}}`
}

export function valueElement(value: unknown): PathElement {
  return `v:${jsonOf(value)}`
}

/** The name of an `f:` element, undefined for others. */
export function fieldNameOf(element: PathElement): string | undefined {
  return element.startsWith('f:') ? element.slice(2) : undefined
}

export function isKeyElement(element: PathElement): boolean {
  return element.startsWith('k:')
}

const HTML = /[<>&\u2028\u2029]/g

/** JSON as Go writes it: the characters that matter to HTML are escaped. */
function jsonOf(value: unknown): string {
  return escapeHtml(JSON.stringify(value))
}

export function escapeHtml(json: string): string {
  return json.replace(HTML, escapeUnit)
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/**
 * The element in its canonical form, undefined for one of an unknown type (a later server may know it; it is dropped).
 * Throws a SyntaxError for one that is broken.
 */
export function canonicalElement(text: string): PathElement | undefined {
  switch (text.slice(0, 2)) {
    case 'f:':
      return text
    case 'v:':
      return valueElement(JSON.parse(text.slice(2)))
    case 'k:':
      return keyElement(Object.entries(keysOf(text)))
    case 'i:':
      return `i:${Number.parseInt(text.slice(2), 10)}`
    default:
      if (text[1] === ':') return undefined
      throw new SyntaxError(`"${text}" is no element of a field path: it lacks a type such as "f:"`)
  }
}

function keysOf(element: PathElement): Record<string, unknown> {
  const keys: unknown = JSON.parse(element.slice(2))
  if (!isObject(keys)) throw new SyntaxError(`"${element}" is no element of a field path: its keys are no object`)
  return keys
}

const KINDS = 'fkvi'

/** Fields first, then items by keys, by value, by index. */
export function compareElements(left: PathElement, right: PathElement): number {
  if (left.startsWith('f:') && right.startsWith('f:')) return left < right ? -1 : Number(left !== right)
  const byKind = KINDS.indexOf(left.charAt(0)) - KINDS.indexOf(right.charAt(0))
  if (byKind !== 0) return byKind
  switch (left.charAt(0)) {
    case 'k':
      return compareKeys(keysOf(left), keysOf(right))
    case 'v':
      return compareValues(JSON.parse(left.slice(2)), JSON.parse(right.slice(2)))
    case 'i':
      return Number(left.slice(2)) - Number(right.slice(2))
    default:
      return compareTexts(left, right)
  }
}

function compareKeys(left: Record<string, unknown>, right: Record<string, unknown>): number {
  const [names, others] = [Object.keys(left).sort(), Object.keys(right).sort()]
  for (const [index, name] of names.entries()) {
    const other = others[index]
    if (other === undefined) return 1
    const order = compareTexts(name, other) || compareValues(left[name], right[other])
    if (order !== 0) return order
  }
  return names.length - others.length
}

const RANKS: Readonly<Record<string, number>> = { number: 0, string: 1, boolean: 2 }

/** Numbers, then texts, then booleans, then the rest. */
function compareValues(left: unknown, right: unknown): number {
  const byType = (RANKS[typeof left] ?? 3) - (RANKS[typeof right] ?? 3)
  if (byType !== 0) return byType
  if (typeof left === 'number') return left - Number(right)
  if (typeof left === 'boolean') return Number(left) - Number(right)
  return typeof left === 'string' ? compareTexts(left, String(right)) : compareTexts(jsonOf(left), jsonOf(right))
}

function compareTexts(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** The path as messages name it: `.spec.ports[port=80,protocol="TCP"].name`. */
export function pathText(path: readonly PathElement[]): string {
  return path.map(elementText).join('')
}

function elementText(element: PathElement): string {
  const rest = element.slice(2)
  switch (element.charAt(0)) {
    case 'k':
      return `[${Object.entries(keysOf(element))
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .join(',')}]`
    case 'v':
      return `[=${JSON.stringify(JSON.parse(rest))}]`
    case 'i':
      return `[${rest}]`
    default:
      return `.${rest}`
  }
}

/**
 * FieldsV1, how `managedFields` writes a set of fields: nested objects whose names are path elements. `{}` is a member
 * with nothing below, `.` inside of an object makes that object's own path a member too.
 */
import { isObject, type JsonObject, MAX_DEPTH } from '../schema/json.ts'
import { type FieldSet, LEAF, NO_FIELDS, sortedChildren } from './field-set.ts'
import { canonicalElement, type PathElement } from './path-element.ts'

/** How far to trust the text: what this server wrote is canonical already. */
export type Origin = 'stored' | 'sent'

/** Throws a SyntaxError for fields that are no such set. */
export function parseFieldsV1(fields: unknown, origin: Origin): FieldSet {
  return { ...parseNode(fields, origin, 0), member: false }
}

function parseNode(value: unknown, origin: Origin, depth: number): FieldSet {
  if (!isObject(value)) throw new SyntaxError('a set of fields is no object')
  if (depth > MAX_DEPTH) throw new SyntaxError(`a set of fields nests deeper than ${MAX_DEPTH} levels`)
  let member = false
  let children: Map<PathElement, FieldSet> | undefined
  for (const text in value) {
    if (text === '.') {
      member = true
      continue
    }
    const element = origin === 'stored' ? text : canonicalElement(text)
    if (element === undefined) continue
    children ??= new Map()
    children.set(element, parseNode(value[text], origin, depth + 1))
  }
  return children === undefined ? LEAF : { member, children }
}

/** The canonical form: names in the order of the path elements, `.` first. */
export function toFieldsV1(set: FieldSet): JsonObject {
  return toNode({ ...NO_FIELDS, children: set.children })
}

function toNode(set: FieldSet): JsonObject {
  const node: JsonObject = {}
  if (set.children === undefined || set.children.size === 0) return node
  if (set.member) node['.'] = {}
  for (const [element, child] of sortedChildren(set)) node[element] = toNode(child)
  return node
}

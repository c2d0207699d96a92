/**
 * A CRD's schema as it was sent: plain JSON, of which nothing is known yet. Values that Go takes for "not set" (null,
 * empty text, false, empty list or object) count as absent, as they do for the real server.
 */
import { isObject, type JsonObject, own } from './json.ts'

export type SchemaNode = JsonObject

export const JUNCTORS = ['anyOf', 'allOf', 'oneOf'] as const

export function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}

/** The schema in that field; an absent or ill-typed one is undefined. */
export function childNode(node: SchemaNode, field: string): SchemaNode | undefined {
  const child = own(node, field)
  return isObject(child) ? child : undefined
}

/** The schemas of a list such as `anyOf`. */
export function childNodes(node: SchemaNode, field: string): SchemaNode[] {
  const children = own(node, field)
  return Array.isArray(children) ? children.map((child) => (isObject(child) ? child : {})) : []
}

/** The schemas of a map such as `properties`, by name. */
export function namedNodes(node: SchemaNode, field = 'properties'): Array<[string, SchemaNode]> {
  return Object.entries(childNode(node, field) ?? {}).map(([name, child]) => [name, isObject(child) ? child : {}])
}

/** Every schema directly inside of this one. */
export function subschemas(node: SchemaNode): SchemaNode[] {
  const single = ['items', 'not', 'additionalProperties'].map((field) => childNode(node, field))
  return [
    ...single.filter((child) => child !== undefined),
    ...JUNCTORS.flatMap((junctor) => childNodes(node, junctor)),
    ...namedNodes(node).map(([, child]) => child),
  ]
}

export function textOf(node: SchemaNode, field: string): string {
  const value = own(node, field)
  return typeof value === 'string' ? value : ''
}

export function isTrue(node: SchemaNode, field: string): boolean {
  return own(node, field) === true
}

/** The names in a list such as `required`. */
export function namesOf(node: SchemaNode, field: string): string[] {
  const value = own(node, field)
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
}

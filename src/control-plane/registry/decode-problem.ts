/**
 * Why a value does not fit the fixed types of a built-in kind, worded as the real server's JSON decoder words it: what
 * people paste into searches when a number in their manifest is quoted.
 */
import { isObject, own } from '../schema/json.ts'
import { resolveSchema } from '../schema/resolve-schema.ts'
import type { ResolveRef, Schema } from '../schema/schema.ts'
import type { ResourceDefinition } from './resource-definition.ts'

interface Place {
  readonly schema: Schema
  /** Innermost structure on the way to the value. */
  readonly struct: string
  /** Names of fields from the root. */
  readonly fields: readonly string[]
  readonly value: unknown
}

/** `path`: of the field at fault, as findings name it. */
export function decodeProblem(definition: ResourceDefinition, path: string, root: unknown): string {
  const { resolve, kind } = definition
  let place: Place = { schema: definition.schema(), struct: kind, fields: [], value: root }
  for (const step of stepsOf(path)) place = enter(place, step, resolve)
  const { schema, struct, fields, value } = place
  const { format } = resolveSchema(schema, resolve)
  if (typeof value === 'string' && format === 'byte') return `illegal base64 data at input byte ${badBase64At(value)}`
  if (typeof value === 'string' && format === 'date-time') return timeProblem(value)
  const type = goType(schema, resolve)
  return `json: cannot unmarshal ${foundType(value)} into Go struct field ${[struct, ...fields].join('.')} of type ${type}`
}

export function timeProblem(text: string): string {
  return `parsing time ${JSON.stringify(text)} as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(text)} as "2006"`
}

/** `a.b[0].c`, `a[key]`. */
function stepsOf(path: string): string[] {
  return [...path.matchAll(/\[([^\]]*)\]|[^.[]+/g)].map(([step]) => step)
}

function enter(place: Place, step: string, resolve: ResolveRef): Place {
  const schema = resolveSchema(place.schema, resolve)
  if (step.startsWith('[')) return enterElement(place, schema, step.slice(1, -1))
  const property = own(schema.properties, step)
  // A map's entry may be named with a dot too.
  if (property === undefined) return enterElement(place, schema, step)
  const struct = place.schema.$ref === undefined ? place.struct : structName(place.schema.$ref)
  const value = isObject(place.value) ? own(place.value, step) : undefined
  return { schema: unwrapped(property), struct, fields: [...place.fields, step], value }
}

function enterElement(place: Place, schema: Schema, key: string): Place {
  const rest = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
  const element = schema.items ?? rest ?? {}
  const { value } = place
  const inner = Array.isArray(value) ? value[Number(key)] : isObject(value) ? own(value, key) : undefined
  return { ...place, schema: unwrapped(element), value: inner }
}

/** A reference with siblings is published as `allOf` of one. */
function unwrapped(schema: Schema): Schema {
  const [only] = schema.allOf ?? []
  return schema.$ref === undefined && only?.$ref !== undefined ? only : schema
}

function structName(ref: string): string {
  return ref.slice(ref.lastIndexOf('.') + 1)
}

const SCALARS: Readonly<Record<string, string>> = { number: 'float64', boolean: 'bool' }

function goType(schema: Schema, resolve: ResolveRef): string {
  const { type, format, items } = resolveSchema(schema, resolve)
  if (type === 'array') return `[]${items === undefined ? 'interface {}' : goType(unwrapped(items), resolve)}`
  if (type === 'integer') return format === 'int64' ? 'int64' : 'int32'
  return type === 'object' ? goObjectType(schema, resolve) : (SCALARS[type ?? ''] ?? 'string')
}

function goObjectType(schema: Schema, resolve: ResolveRef): string {
  const { additionalProperties } = resolveSchema(schema, resolve)
  if (typeof additionalProperties === 'object') return `map[string]${goType(unwrapped(additionalProperties), resolve)}`
  return schema.$ref === undefined ? 'map[string]interface {}' : `v1.${structName(schema.$ref)}`
}

function foundType(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value
}

function badBase64At(text: string): number {
  const at = text.search(/[^A-Za-z0-9+/=]/)
  return at < 0 ? text.length : at
}

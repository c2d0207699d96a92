/**
 * What a schema says about owning and merging a value: which parts of it have an owner of their own. A scalar has one; an
 * atomic list or map has one as a whole; other lists (sets, and maps by keys) have one per item, other maps one per field.
 * A field without a type may be any of the three; which one, its value tells.
 */
import { REF_PREFIX, resolveBuiltin } from '../builtin/schemas.ts'
import { isObject, own } from '../schema/json.ts'
import { resolveSchema } from '../schema/resolve-schema.ts'
import type { ResolveRef, Schema } from '../schema/schema.ts'

export interface ValueType {
  readonly scalar: ScalarKind | undefined
  readonly list: ListType | undefined
  readonly map: MapType | undefined
}

export type ScalarKind = 'number' | 'string' | 'boolean' | 'any'

export interface ListType {
  readonly atomic: boolean
  /** Which fields tell an item from the others; none for a set. */
  readonly keys: readonly string[]
  readonly items: ValueType
}

export interface MapType {
  readonly atomic: boolean
  /** The type of a field that the schema names. */
  declared(name: string): ValueType | undefined
  /** The default of such a field. */
  defaultOf(name: string): unknown
  /** The type of all other fields; undefined when there must be none. */
  readonly rest: ValueType | undefined
}

/** Free of any schema and owned as a whole. */
export const UNTYPED: ValueType = freeType(true, () => UNTYPED)

/** Free of any schema: maps have an owner per field, lists as a whole. */
export const DEDUCED: ValueType = freeType(false, () => DEDUCED)

function freeType(atomic: boolean, inner: () => ValueType): ValueType {
  return {
    scalar: 'any',
    list: {
      atomic: true,
      keys: [],
      get items() {
        return UNTYPED
      },
    },
    map: {
      atomic,
      declared: () => undefined,
      defaultOf: () => undefined,
      get rest() {
        return inner()
      },
    },
  }
}

interface Context {
  readonly resolve: ResolveRef
  /** Inside of a part that keeps unknown fields, all objects do. */
  readonly preserve: boolean
}

const types = { pruned: new WeakMap<Schema, ValueType>(), preserving: new WeakMap<Schema, ValueType>() }

/** The type of the values that a schema describes; made once per schema. */
export function valueTypeOf(schema: Schema, context: Context): ValueType {
  const known = context.preserve ? types.preserving : types.pruned
  const type = known.get(schema)
  if (type !== undefined) return type
  const made = makeType(schema, context)
  known.set(schema, made)
  return made
}

/** Its content is any object; nobody merges into it. */
const RAW = `${REF_PREFIX}io.k8s.apimachinery.pkg.runtime.RawExtension`

function makeType(schema: Schema, context: Context): ValueType {
  if (schema.$ref === RAW || schema.allOf?.[0]?.$ref === RAW) return UNTYPED
  const resolved = resolveSchema(schema, context.resolve)
  const preserve = context.preserve || resolved['x-kubernetes-preserve-unknown-fields'] === true
  const type = typeOfResolved(resolved, { ...context, preserve })
  const override = schema === resolved ? undefined : schema['x-kubernetes-map-type']
  if (override === undefined || type.map === undefined) return type
  return { ...type, map: new SchemaMap(resolved, { ...context, preserve }, override === 'atomic') }
}

function typeOfResolved(schema: Schema, context: Context): ValueType {
  switch (schema.type) {
    case undefined:
      return { scalar: 'any', list: new SchemaList(schema, context), map: new SchemaMap(schema, context) }
    case 'object':
      return { scalar: undefined, list: undefined, map: new SchemaMap(schema, context) }
    case 'array':
      return { scalar: undefined, list: new SchemaList(schema, context), map: undefined }
    default:
      return { scalar: scalarKind(schema), list: undefined, map: undefined }
  }
}

function scalarKind({ type, format }: Schema): ScalarKind {
  if (type === 'boolean') return 'boolean'
  if (type === 'integer' || type === 'number') return 'number'
  return format === undefined || format === '' || format === 'byte' ? 'string' : 'any'
}

class SchemaList implements ListType {
  readonly atomic: boolean
  readonly keys: readonly string[]
  readonly #schema: Schema
  readonly #context: Context
  #items: ValueType | undefined

  constructor(schema: Schema, context: Context) {
    this.#schema = schema
    this.#context = context
    const { atomic, keys } = listKind(schema)
    this.atomic = atomic
    this.keys = keys
  }

  get items(): ValueType {
    const { items } = this.#schema
    this.#items ??= items === undefined ? UNTYPED : valueTypeOf(items, this.#context)
    return this.#items
  }
}

/** A list without a list type is one of the time before them: its strategic merge key tells. */
function listKind(schema: Schema): { atomic: boolean; keys: readonly string[] } {
  const type = schema['x-kubernetes-list-type']
  if (type === 'map') return { atomic: false, keys: schema['x-kubernetes-list-map-keys'] ?? [] }
  if (type !== undefined) return { atomic: type === 'atomic', keys: [] }
  const strategy = schema['x-kubernetes-patch-strategy']
  if (strategy !== 'merge' && strategy !== 'merge,retainKeys') return { atomic: true, keys: [] }
  const key = schema['x-kubernetes-patch-merge-key']
  return { atomic: false, keys: key === undefined ? [] : [key] }
}

const RESOURCE_FIELDS: Readonly<Record<string, Schema>> = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: { $ref: `${REF_PREFIX}io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta` },
}

class SchemaMap implements MapType {
  readonly atomic: boolean
  readonly #schema: Schema
  readonly #context: Context
  readonly #fields = new Map<string, ValueType | undefined>()
  #rest: { readonly type: ValueType | undefined } | undefined

  constructor(schema: Schema, context: Context, atomic = schema['x-kubernetes-map-type'] === 'atomic') {
    this.#schema = schema
    this.#context = context
    this.atomic = atomic
  }

  declared(name: string): ValueType | undefined {
    const known = this.#fields.get(name)
    if (known !== undefined) return known
    const made = this.#declared(name)
    // Only names of the schema are kept: a client may send any others.
    if (made !== undefined) this.#fields.set(name, made)
    return made
  }

  #declared(name: string): ValueType | undefined {
    const embedded = this.#schema['x-kubernetes-embedded-resource'] === true ? own(RESOURCE_FIELDS, name) : undefined
    if (embedded !== undefined) return builtinType(embedded)
    const field = own(this.#schema.properties, name)
    return field === undefined ? undefined : valueTypeOf(field, this.#context)
  }

  defaultOf(name: string): unknown {
    const field = own(this.#schema.properties, name)
    if (field === undefined || field.default !== undefined) return field?.default
    // A built-in structure always has its required texts: left out, they are empty.
    const isText = this.#context.resolve === resolveBuiltin && field.type === 'string'
    return isText && this.#schema.required?.includes(name) === true ? '' : undefined
  }

  get rest(): ValueType | undefined {
    this.#rest ??= { type: this.#restType() }
    return this.#rest.type
  }

  #restType(): ValueType | undefined {
    const { additionalProperties: rest, properties } = this.#schema
    if (isObject(rest)) return valueTypeOf(rest, this.#context)
    if (rest !== undefined) return rest ? DEDUCED : undefined
    const free = this.#context.preserve || properties === undefined || Object.keys(properties).length === 0
    return free ? DEDUCED : undefined
  }
}

function builtinType(schema: Schema): ValueType {
  return valueTypeOf(schema, { resolve: resolveBuiltin, preserve: false })
}

export interface TypedKind {
  readonly origin: 'builtin' | 'custom'
  readonly prune: boolean
  readonly resolve: ResolveRef
  schema(): Schema
}

const roots = new WeakMap<Schema, ValueType>()

/** The type of a kind's objects. Custom kinds have the same metadata as all others, whatever their schema says of it. */
export function objectType(kind: TypedKind): ValueType {
  const schema = kind.schema()
  if (kind.origin === 'builtin') return valueTypeOf(schema, { resolve: kind.resolve, preserve: false })
  const known = roots.get(schema)
  if (known !== undefined) return known
  const root: Schema = { ...schema, 'x-kubernetes-embedded-resource': true }
  const made = valueTypeOf(root, { resolve: kind.resolve, preserve: !kind.prune })
  roots.set(schema, made)
  return made
}

export type Shape = 'map' | 'scalar' | 'list'

/** Which of the shapes of a type a value has; what fits none has the first that there is. */
export function shapeOf(type: ValueType, value: unknown): Shape {
  if (Array.isArray(value)) {
    if (type.list !== undefined) return 'list'
  } else if (isObject(value)) {
    if (type.map !== undefined) return 'map'
  } else if (value !== null && value !== undefined && type.scalar !== undefined) {
    return 'scalar'
  }
  if (type.map !== undefined) return 'map'
  return type.scalar === undefined ? 'list' : 'scalar'
}

/** The type of a field, named or not. What no schema allows is taken as it comes. */
export function fieldType(map: MapType, name: string): ValueType {
  return map.declared(name) ?? map.rest ?? DEDUCED
}

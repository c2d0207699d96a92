/**
 * Builders for the fields of a kind. One schema is the source of the TypeScript type, the CRD, the defaults, the check at
 * the edge and the reference page, so every builder asks for a description and emits only what a structural schema allows.
 *
 * A field with a default is *present* in the TypeScript type: a Kubernetes API server fills defaults on write and on read, so
 * every object that arrives has it. `Input` is the other view, what an author has to write.
 */
import {
  type ObjectOptions,
  type Static,
  type StringOptions,
  type TArray,
  type TObject,
  type TOptional,
  type TProperties,
  type TSchema,
  type TUnsafe,
  Type,
} from '@sinclair/typebox'

/** A rule in CEL, checked by the API server on every write. */
export interface Rule {
  readonly rule: string
  readonly message: string
  readonly fieldPath?: string
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired'
}

/** Exists in types only; a symbol, because a schema has every string as a key. */
declare const hasDefault: unique symbol

/** Marks a schema that has a default: required in the type, optional for an author. */
export interface Defaulted {
  readonly [hasDefault]?: true
}

/** Highest value of a 32 bit field. */
const MAX_INT32 = 2_147_483_647

/** A duration greater than zero, such as `1h30m`; the grammar of `parseDuration`. */
export const DURATION = '^\\s*([0-9]+[hms])*[0-9]*[1-9][0-9]*[hms]([0-9]+[hms])*\\s*$'

/** A Kubernetes name that is also a DNS label. */
export const DNS_LABEL = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'

export const text = (description: string, options: StringOptions = {}) => Type.String({ description, ...options })

/** A string that must not be empty. */
export const name = (description: string, options: StringOptions = {}) =>
  text(description, { minLength: 1, ...options })

export const flag = (description: string) => Type.Boolean({ description })

/** A whole number that is not negative. */
export const count = (description: string, options: { minimum?: number; maximum?: number } = {}) =>
  Type.Integer({ description, format: 'int32', minimum: 0, maximum: MAX_INT32, ...options })

/** A whole number that may outgrow 32 bits, such as a generation. */
export const longCount = (description: string, minimum = 0) => Type.Integer({ description, format: 'int64', minimum })

/** How long, in hours, minutes and seconds: `90m`, `1h30m`, `30s`. */
export const duration = (description: string) => text(description, { pattern: DURATION, maxLength: 64 })

/** When, as RFC 3339. */
export const timestamp = (description: string) => text(description, { format: 'date-time' })

/** One of a closed set of strings. */
export const choice = <const V extends readonly string[]>(values: V, description: string): TUnsafe<V[number]> =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values], description })

/** An object of the given fields; any other field is dropped by the API server. */
export const object = <P extends TProperties>(description: string, properties: P, options: ObjectOptions = {}) =>
  Type.Object(properties, { description, ...options })

/** A list that is replaced as a whole. */
export const list = <T extends TSchema>(description: string, items: T, options: ListLimits = {}): TArray<T> =>
  Type.Array(items, { description, 'x-kubernetes-list-type': 'atomic', ...options })

/** A list whose items are told apart by the given fields, so that several writers can own different items. */
export const keyedList = <T extends TSchema>(
  description: string,
  items: T,
  keys: readonly string[],
  options: ListLimits = {},
): TArray<T> =>
  Type.Array(items, {
    description,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': [...keys],
    ...options,
  })

/** A map of strings. (`Type.Record` emits `patternProperties`, which a structural schema must not hold.) */
export const stringMap = (description: string) =>
  Type.Unsafe<Record<string, string>>({ type: 'object', description, additionalProperties: { type: 'string' } })

export const mapOf = <T extends TSchema>(description: string, values: T) =>
  Type.Unsafe<Record<string, Static<T>>>({ type: 'object', description, additionalProperties: values })

/** A map of Kubernetes quantities, written as `500m` or as a bare number. */
export const quantityMap = (description: string) =>
  Type.Unsafe<Record<string, string | number>>({
    type: 'object',
    description,
    additionalProperties: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
  })

/** An object of any shape, kept as it is written. */
export const anyObject = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description,
    'x-kubernetes-preserve-unknown-fields': true,
  })

export const optional = <T extends TSchema>(schema: T) => Type.Optional(schema)

/** Gives the field a default. */
export const defaulted = <T extends TSchema>(schema: T, value: unknown): T & Defaulted => ({
  ...schema,
  default: value,
})

export const withRules = <T extends TSchema>(schema: T, rules: readonly Rule[]): T => ({
  ...schema,
  'x-kubernetes-validations': rules.map((rule) => ({ ...rule })),
})

interface ListLimits {
  readonly minItems?: number
  readonly maxItems?: number
}

type MayBeLeftOut<S> = typeof hasDefault extends keyof S ? true : IsOptional<S>
type IsOptional<S> = S extends TOptional<TSchema> ? true : false

/** What an author writes: fields with a default may be left out. */
export type Input<S extends TSchema> =
  S extends TObject<infer P>
    ? { [K in keyof P as MayBeLeftOut<P[K]> extends true ? never : K]: Input<P[K]> } & {
        [K in keyof P as MayBeLeftOut<P[K]> extends true ? K : never]?: Input<P[K]>
      }
    : S extends TArray<infer I>
      ? Array<Input<I>>
      : Static<S>

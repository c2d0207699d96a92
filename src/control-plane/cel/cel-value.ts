/**
 * Values of the expression language. Integers are bigints and doubles numbers, so the two never mix; text, booleans and
 * null are themselves; everything else is an instance of a class below.
 */
import { CelError } from './cel-error.ts'

export type CelValue =
  | bigint
  | number
  | string
  | boolean
  | null
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | TypeName
  | ListValue
  | MapValue
  | ObjectValue
  | OptionalValue
  | OpaqueValue

export class Uint {
  readonly value: bigint
  constructor(value: bigint) {
    this.value = value
  }
}

/** Nanoseconds since 1970. */
export class Timestamp {
  readonly nanos: bigint
  /** Of the zone that it was written in. */
  readonly offsetMinutes: number
  constructor(nanos: bigint, offsetMinutes = 0) {
    this.nanos = nanos
    this.offsetMinutes = offsetMinutes
  }
}

export class Duration {
  readonly nanos: bigint
  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

export class TypeName {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** Items of a `set` are compared without order, those of a `map` by their keys. */
export class ListValue {
  readonly items: readonly CelValue[]
  readonly kind: 'atomic' | 'set' | 'map'
  readonly keys: readonly string[]
  constructor(items: readonly CelValue[], kind: ListValue['kind'] = 'atomic', keys: readonly string[] = []) {
    this.items = items
    this.kind = kind
    this.keys = keys
  }
}

export class MapValue {
  readonly entries: ReadonlyMap<string, readonly [key: CelValue, value: CelValue]>
  constructor(entries: ReadonlyMap<string, readonly [CelValue, CelValue]>) {
    this.entries = entries
  }

  static of(pairs: Iterable<readonly [CelValue, CelValue]>): MapValue {
    const entries = new Map<string, readonly [CelValue, CelValue]>()
    for (const pair of pairs) entries.set(mapKey(pair[0]), pair)
    return new MapValue(entries)
  }

  get(key: CelValue): CelValue | undefined {
    return this.entries.get(mapKey(key))?.[1]
  }
}

/** An object with declared fields; a field is converted when it is first read. */
export class ObjectValue {
  /** Names as expressions write them. */
  readonly names: readonly string[]
  readonly #read: (name: string) => CelValue | undefined
  #fields: Map<string, CelValue> | undefined

  constructor(names: readonly string[], read: (name: string) => CelValue | undefined) {
    this.names = names
    this.#read = read
  }

  get(name: string): CelValue | undefined {
    const known = this.#fields?.get(name)
    if (known !== undefined) return known
    const value = this.#read(name)
    if (value !== undefined) {
      this.#fields ??= new Map()
      this.#fields.set(name, value)
    }
    return value
  }
}

export class OptionalValue {
  readonly value: CelValue | undefined
  constructor(value: CelValue | undefined) {
    this.value = value
  }
}

export const NONE = new OptionalValue(undefined)

/** A value of an opaque type, such as a quantity or an address. */
export class OpaqueValue {
  readonly type: string
  readonly payload: unknown
  /** Two values of one type are equal when these are. */
  readonly identity: string
  constructor(type: string, payload: unknown, identity: string) {
    this.type = type
    this.payload = payload
    this.identity = identity
  }
}

/** Keys that are equal, of whatever number type, have one text. */
function mapKey(key: CelValue): string {
  if (typeof key === 'string') return `s${key}`
  if (typeof key === 'boolean') return `b${key}`
  if (typeof key === 'bigint') return `n${key}`
  if (key instanceof Uint) return `n${key.value}`
  if (typeof key === 'number') return Number.isInteger(key) ? `n${BigInt(key)}` : `d${key}`
  throw new CelError(`unsupported key type: ${typeNameOf(key)}`)
}

/** The type's name as `type()` answers it. */
export function typeNameOf(value: CelValue): string {
  switch (typeof value) {
    case 'bigint':
      return 'int'
    case 'number':
      return 'double'
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    default:
      return value === null ? 'null_type' : nameOfInstance(value)
  }
}

function nameOfInstance(value: object): string {
  if (value instanceof OpaqueValue) return value.type
  return CLASS_NAMES.find(([ctor]) => value instanceof ctor)?.[1] ?? 'dyn'
}

const CLASS_NAMES: ReadonlyArray<readonly [new (...args: never[]) => object, string]> = [
  [ListValue, 'list'],
  [MapValue, 'map'],
  [ObjectValue, 'object'],
  [OptionalValue, 'optional_type'],
  [Timestamp, 'google.protobuf.Timestamp'],
  [Duration, 'google.protobuf.Duration'],
  [Uint, 'uint'],
  [Uint8Array, 'bytes'],
  [TypeName, 'type'],
]

const MIN_INT = -(2n ** 63n)
const MAX_INT = 2n ** 63n - 1n
const MAX_UINT = 2n ** 64n - 1n

export function toInt(value: bigint): bigint {
  if (value < MIN_INT || value > MAX_INT) throw new CelError('integer overflow')
  return value
}

export function toUint(value: bigint): Uint {
  if (value < 0n || value > MAX_UINT) throw new CelError('unsigned integer overflow')
  return new Uint(value)
}

export function toDuration(nanos: bigint): Duration {
  if (nanos < MIN_INT || nanos > MAX_INT) throw new CelError('integer overflow')
  return new Duration(nanos)
}

const SECOND = 1_000_000_000n
const MIN_TIMESTAMP = -62_135_596_800n * SECOND
const MAX_TIMESTAMP = 253_402_300_800n * SECOND

export function toTimestamp(nanos: bigint): Timestamp {
  if (nanos < MIN_TIMESTAMP || nanos >= MAX_TIMESTAMP) throw new CelError('timestamp overflow')
  return new Timestamp(nanos)
}

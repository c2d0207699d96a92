/** Equality and order of values. Numbers of different types are equal when they are the same number. */
import { noSuchOverload } from './cel-error.ts'
import {
  type CelValue,
  Duration,
  ListValue,
  MapValue,
  ObjectValue,
  OpaqueValue,
  OptionalValue,
  Timestamp,
  TypeName,
  Uint,
} from './cel-value.ts'

export function equalValues(left: CelValue, right: CelValue): boolean {
  if (left === right) return true
  const [a, b] = [numberOf(left), numberOf(right)]
  // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number are the same number only to the loose operator.
  if (a !== undefined && b !== undefined) return a == b
  return equalContainers(left, right) ?? equalScalars(left, right)
}

function equalContainers(left: CelValue, right: CelValue): boolean | undefined {
  if (left instanceof ListValue) return right instanceof ListValue && equalLists(left, right)
  if (left instanceof ObjectValue) return right instanceof ObjectValue && equalObjects(left, right)
  if (left instanceof MapValue) return right instanceof MapValue && equalMaps(left, right)
  return undefined
}

function equalScalars(left: CelValue, right: CelValue): boolean {
  if (left instanceof OptionalValue) return right instanceof OptionalValue && equalOptionals(left, right)
  if (left instanceof Uint8Array) return right instanceof Uint8Array && Buffer.compare(left, right) === 0
  const [a, b] = [identityOf(left), identityOf(right)]
  return a !== undefined && a === b
}

function equalOptionals(left: OptionalValue, right: OptionalValue): boolean {
  if (left.value === undefined || right.value === undefined) return left.value === right.value
  return equalValues(left.value, right.value)
}

/** A text that only equal values share. */
function identityOf(value: CelValue): string | undefined {
  if (value instanceof Timestamp) return `time ${value.nanos}`
  if (value instanceof Duration) return `duration ${value.nanos}`
  if (value instanceof TypeName) return `type ${value.name}`
  return value instanceof OpaqueValue ? `${value.type} ${value.identity}` : undefined
}

function numberOf(value: CelValue): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value
  return value instanceof Uint ? value.value : undefined
}

/** A list's own kind decides; items of a computed list have an order. */
function equalLists(left: ListValue, right: ListValue): boolean {
  if (left.items.length !== right.items.length) return false
  if (left.kind === 'atomic') return left.items.every((item, index) => equalAt(item, right.items[index]))
  if (left.kind === 'set') return left.items.every((item) => right.items.some((other) => equalValues(item, other)))
  const byKey = new Map(right.items.map((item) => [itemKey(item, left.keys), item]))
  return left.items.every((item) => equalAt(item, byKey.get(itemKey(item, left.keys))))
}

function equalAt(left: CelValue, right: CelValue | undefined): boolean {
  return right !== undefined && equalValues(left, right)
}

/** What identifies an item of a list map. */
export function itemKey(item: CelValue, keys: readonly string[]): string {
  if (!(item instanceof ObjectValue)) return ''
  return JSON.stringify(keys.map((key) => String(item.get(key))))
}

function equalObjects(left: ObjectValue, right: ObjectValue): boolean {
  if (left.names.length !== right.names.length) return false
  return left.names.every((name) => {
    const [a, b] = [left.get(name), right.get(name)]
    return a !== undefined && equalAt(a, b)
  })
}

function equalMaps(left: MapValue, right: MapValue): boolean {
  if (left.entries.size !== right.entries.size) return false
  for (const [key, [, value]] of left.entries) if (!equalAt(value, right.entries.get(key)?.[1])) return false
  return true
}

/** Negative, zero or positive. @throws CelError where the two have no order. */
export function compareValues(left: CelValue, right: CelValue): number {
  const [a, b] = [ordered(left), ordered(right)]
  if (a === undefined || b === undefined || a.family !== b.family) throw noSuchOverload()
  if (typeof a.value === 'string' && typeof b.value === 'string') return compareText(a.value, b.value)
  if (a.value instanceof Uint8Array && b.value instanceof Uint8Array) return Buffer.compare(a.value, b.value)
  if (a.value === b.value) return 0
  return a.value < b.value ? -1 : a.value > b.value ? 1 : Number.NaN
}

interface Ordered {
  readonly family: string
  readonly value: bigint | number | string | boolean | Uint8Array
}

function ordered(value: CelValue): Ordered | undefined {
  const number = numberOf(value)
  if (number !== undefined) return { family: 'number', value: number }
  if (typeof value === 'string' || typeof value === 'boolean') return { family: typeof value, value }
  if (value instanceof Timestamp) return { family: 'timestamp', value: value.nanos }
  if (value instanceof Duration) return { family: 'duration', value: value.nanos }
  return value instanceof Uint8Array ? { family: 'bytes', value } : undefined
}

/** By code points, as UTF-8 sorts. */
function compareText(left: string, right: string): number {
  if (left === right) return 0
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}

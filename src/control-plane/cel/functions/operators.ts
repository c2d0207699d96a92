/** Operators on values, by the names that they have in messages: `_+_`. */
import { CelError } from '../cel-error.ts'
import {
  type CelValue,
  type Duration,
  ListValue,
  type MapValue,
  type ObjectValue,
  type Timestamp,
  toDuration,
  toInt,
  toTimestamp,
  toUint,
  type Uint,
} from '../cel-value.ts'
import { compareValues, equalValues, itemKey } from '../equality.ts'
import type { FunctionTable } from './overload.ts'

const ARITHMETIC: FunctionTable = {
  '_+_(int, int): int': (a: bigint, b: bigint) => toInt(a + b),
  '_+_(uint, uint): uint': (a: Uint, b: Uint) => toUint(a.value + b.value),
  '_+_(double, double): double': (a: number, b: number) => a + b,
  '_+_(string, string): string': (a: string, b: string) => a + b,
  '_+_(bytes, bytes): bytes': (a: Uint8Array, b: Uint8Array) => new Uint8Array([...a, ...b]),
  '_+_(list<A>, list<A>): list<A>': joinLists,
  '_+_(duration, duration): duration': (a: Duration, b: Duration) => toDuration(a.nanos + b.nanos),
  '_+_(timestamp, duration): timestamp': (a: Timestamp, b: Duration) => toTimestamp(a.nanos + b.nanos),
  '_+_(duration, timestamp): timestamp': (a: Duration, b: Timestamp) => toTimestamp(a.nanos + b.nanos),
  '_-_(int, int): int': (a: bigint, b: bigint) => toInt(a - b),
  '_-_(uint, uint): uint': (a: Uint, b: Uint) => toUint(a.value - b.value),
  '_-_(double, double): double': (a: number, b: number) => a - b,
  '_-_(duration, duration): duration': (a: Duration, b: Duration) => toDuration(a.nanos - b.nanos),
  '_-_(timestamp, duration): timestamp': (a: Timestamp, b: Duration) => toTimestamp(a.nanos - b.nanos),
  '_-_(timestamp, timestamp): duration': (a: Timestamp, b: Timestamp) => toDuration(a.nanos - b.nanos),
  '_*_(int, int): int': (a: bigint, b: bigint) => toInt(a * b),
  '_*_(uint, uint): uint': (a: Uint, b: Uint) => toUint(a.value * b.value),
  '_*_(double, double): double': (a: number, b: number) => a * b,
  '_/_(int, int): int': (a: bigint, b: bigint) => toInt(a / divisor(b, 'division by zero')),
  '_/_(uint, uint): uint': (a: Uint, b: Uint) => toUint(a.value / divisor(b.value, 'division by zero')),
  '_/_(double, double): double': (a: number, b: number) => a / b,
  '_%_(int, int): int': (a: bigint, b: bigint) => a % divisor(b, 'modulus by zero'),
  '_%_(uint, uint): uint': (a: Uint, b: Uint) => toUint(a.value % divisor(b.value, 'modulus by zero')),
  '-_(int): int': (a: bigint) => toInt(-a),
  '-_(double): double': (a: number) => -a,
  '!_(bool): bool': (a: boolean) => !a,
}

function divisor(value: bigint, problem: string): bigint {
  if (value === 0n) throw new CelError(problem)
  return value
}

/** Lists that are sets or maps stay such: what both hold is there once, with the later content. */
function joinLists(left: ListValue, right: ListValue): ListValue {
  if (left.kind === 'set') {
    const added = right.items.filter((item) => !left.items.some((known) => equalValues(known, item)))
    return new ListValue([...left.items, ...added], 'set')
  }
  if (left.kind === 'map') {
    const byKey = new Map([...left.items, ...right.items].map((item) => [itemKey(item, left.keys), item]))
    return new ListValue([...byKey.values()], 'map', left.keys)
  }
  return new ListValue([...left.items, ...right.items])
}

const ORDERED = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration']
const MIXED = ['int, double', 'int, uint', 'double, int', 'double, uint', 'uint, int', 'uint, double']

const COMPARISONS: Readonly<Record<string, (order: number) => boolean>> = {
  '_<_': (order) => order < 0,
  '_<=_': (order) => order <= 0,
  '_>_': (order) => order > 0,
  '_>=_': (order) => order >= 0,
}

const RELATIONS: FunctionTable = Object.fromEntries(
  Object.entries(COMPARISONS).flatMap(([name, holds]) =>
    [...ORDERED.map((type) => `${type}, ${type}`), ...MIXED].map((types) => [
      `${name}(${types}): bool`,
      (a: CelValue, b: CelValue) => holds(compareValues(a, b)),
    ]),
  ),
)

const EQUALITY: FunctionTable = {
  '_==_(A, A): bool': (a: CelValue, b: CelValue) => equalValues(a, b),
  '_!=_(A, A): bool': (a: CelValue, b: CelValue) => !equalValues(a, b),
  '@in(A, list<A>): bool': (item: CelValue, list: ListValue) => list.items.some((other) => equalValues(other, item)),
  '@in(A, map<A, B>): bool': (key: CelValue, map: MapValue | ObjectValue) => hasKey(map, key),
}

function hasKey(map: MapValue | ObjectValue, key: CelValue): boolean {
  if ('entries' in map) return map.get(key) !== undefined
  return typeof key === 'string' && map.get(key) !== undefined
}

export const OPERATORS: readonly FunctionTable[] = [ARITHMETIC, RELATIONS, EQUALITY]

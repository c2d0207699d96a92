/** Lists and sets. [k8s: CEL list library; CEL sets extension] */
import { CelError, noSuchOverload } from '../cel-error.ts'
import type { CelType } from '../cel-type.ts'
import { type CelValue, Duration, ListValue, toDuration, toInt, toUint, Uint } from '../cel-value.ts'
import { compareValues, equalValues } from '../equality.ts'
import type { FunctionTable } from './overload.ts'

const GENERAL: FunctionTable = {
  'list<A>.indexOf(A): int': (list: ListValue, item: CelValue) =>
    BigInt(list.items.findIndex((other) => equalValues(other, item))),
  'list<A>.lastIndexOf(A): int': (list: ListValue, item: CelValue) =>
    BigInt(list.items.findLastIndex((other) => equalValues(other, item))),
  'list<A>.distinct(): list<A>': (list: ListValue) => new ListValue(distinct(list.items)),
  'list<A>.reverse(): list<A>': (list: ListValue) => new ListValue([...list.items].reverse()),
  'list<list<A>>.flatten(): list<A>': (list: ListValue) => new ListValue(flatten(list.items, 1n)),
  'list<dyn>.flatten(int): list<dyn>': (list: ListValue, depth: bigint) => new ListValue(flatten(list.items, depth)),
  'list<A>.slice(int, int): list<A>': slice,
  'lists.range(int): list<int>': range,
}

function distinct(items: readonly CelValue[]): CelValue[] {
  const found: CelValue[] = []
  for (const item of items) if (!found.some((known) => equalValues(known, item))) found.push(item)
  return found
}

function flatten(items: readonly CelValue[], depth: bigint): CelValue[] {
  if (depth < 0n) throw new CelError('level must be non-negative')
  return items.flatMap((item) => (item instanceof ListValue && depth > 0n ? flatten(item.items, depth - 1n) : [item]))
}

function slice(list: ListValue, from: bigint, to: bigint): ListValue {
  if (from < 0n || to < 0n) throw new CelError(`cannot slice(${from}, ${to}), negative indexes not supported`)
  if (from > to) throw new CelError(`cannot slice(${from}, ${to}), start index must be less than or equal to end index`)
  if (to > BigInt(list.items.length)) {
    throw new CelError(`cannot slice(${from}, ${to}), list is length ${list.items.length}`)
  }
  return new ListValue(list.items.slice(Number(from), Number(to)))
}

const MAX_RANGE = 1_000_000n

function range(count: bigint): ListValue {
  if (count > MAX_RANGE) throw new CelError(`lists.range: ${count} exceeds the limit of ${MAX_RANGE}`)
  return new ListValue(Array.from({ length: Math.max(0, Number(count)) }, (_, index) => BigInt(index)))
}

const COMPARABLE = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'] as const
const SUMMABLE = ['int', 'uint', 'double', 'duration'] as const

const BY_ITEM: FunctionTable = Object.fromEntries([
  ...COMPARABLE.flatMap((type) => [
    [`list<${type}>.isSorted(): bool`, isSorted],
    [`list<${type}>.min(): ${type}`, (list: ListValue) => extreme(list, 'min', (order) => order < 0)],
    [`list<${type}>.max(): ${type}`, (list: ListValue) => extreme(list, 'max', (order) => order > 0)],
    [`list<${type}>.sort(): list<${type}>`, (list: ListValue) => new ListValue([...list.items].sort(compareValues))],
  ]),
  ...SUMMABLE.map((type) => [`list<${type}>.sum(): ${type}`, (list: ListValue) => sum(list, type)]),
])

function isSorted({ items }: ListValue): boolean {
  return items.every((item, index) => {
    const before = items[index - 1]
    return before === undefined || compareValues(before, item) <= 0
  })
}

function extreme({ items }: ListValue, name: string, isBetter: (order: number) => boolean): CelValue {
  const [first, ...rest] = items
  if (first === undefined) throw new CelError(`${name} called on empty list`)
  return rest.reduce((best, item) => (isBetter(compareValues(item, best)) ? item : best), first)
}

const ZEROS: Readonly<Record<(typeof SUMMABLE)[number] & CelType['kind'], CelValue>> = {
  int: 0n,
  uint: new Uint(0n),
  double: 0,
  duration: new Duration(0n),
}

function sum({ items }: ListValue, type: (typeof SUMMABLE)[number]): CelValue {
  return items.reduce((total, item) => add(total, item), items.length === 0 ? ZEROS[type] : zeroLike(items))
}

/** The static type of an untyped list says nothing of its items. */
function zeroLike([first]: readonly CelValue[]): CelValue {
  if (typeof first === 'number') return 0
  if (first instanceof Uint) return ZEROS.uint
  return first instanceof Duration ? ZEROS.duration : 0n
}

function add(left: CelValue, right: CelValue): CelValue {
  if (typeof left === 'bigint' && typeof right === 'bigint') return toInt(left + right)
  if (typeof left === 'number' && typeof right === 'number') return left + right
  if (left instanceof Uint && right instanceof Uint) return toUint(left.value + right.value)
  if (left instanceof Duration && right instanceof Duration) return toDuration(left.nanos + right.nanos)
  throw noSuchOverload()
}

const SETS: FunctionTable = {
  'sets.contains(list<A>, list<A>): bool': (list: ListValue, part: ListValue) => containsAll(list, part),
  'sets.equivalent(list<A>, list<A>): bool': (left: ListValue, right: ListValue) =>
    containsAll(left, right) && containsAll(right, left),
  'sets.intersects(list<A>, list<A>): bool': (left: ListValue, right: ListValue) =>
    left.items.some((item) => right.items.some((other) => equalValues(item, other))),
}

function containsAll(list: ListValue, part: ListValue): boolean {
  return part.items.every((item) => list.items.some((other) => equalValues(item, other)))
}

export const LISTS: readonly FunctionTable[] = [GENERAL, BY_ITEM, SETS]

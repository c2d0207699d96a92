/**
 * The most that a call costs, besides its arguments, by the sizes of what it looks at: 0.1 for each character that is read,
 * 1 for most else. [k8s: estimated cost of validation rules]
 */
import { type CelType, isDynamic } from './cel-type.ts'
import { type CallEstimate, type EntrySize, type Estimate, sizeOf } from './estimate.ts'
import { ITEMS } from './schema-size.ts'
import {
  addSizes,
  fixedSize,
  multiplySizes,
  plus,
  product,
  type Size,
  scaled,
  UNBOUNDED,
  UNKNOWN_SIZE,
  uniteSizes,
} from './size.ts'

export interface Call {
  /** What a method is called on. */
  readonly target: Estimate | undefined
  readonly args: readonly Estimate[]
  readonly sizeAt: (path: readonly string[]) => Size | undefined
}

type CostOf = (call: Call) => CallEstimate | undefined

const PER_CHARACTER = 0.1
/** An expression in a pattern is taken to have four characters. */
const PER_PATTERN_CHARACTER = 0.25
const LIST_COST = 10

const ONE: CallEstimate = { cost: 1 }
const reading = (size: Size, times = 1): number => scaled(size.max, times * PER_CHARACTER)

/** @param name as the language calls it; operators as `_+_` */
export function estimateCall(name: string, call: Call): CallEstimate {
  return CALLS[name]?.(call) ?? ONE
}

const couldBe = ({ type }: { readonly type: CelType }, ...kinds: readonly CelType['kind'][]): boolean =>
  isDynamic(type) || kinds.includes(type.kind)

const isNot = ({ type }: Estimate, ...kinds: readonly CelType['kind'][]): boolean =>
  !isDynamic(type) && !kinds.includes(type.kind)

/** The smaller of two is all that a comparison has to look at. */
const smaller = ({ args: [left, right] }: Call): number =>
  left && right ? scaled(Math.min(sizeOf(left).max, sizeOf(right).max), PER_CHARACTER) : 1

const compare: CostOf = (call) => {
  const [left] = call.args
  if (left === undefined || isNot(left, 'string', 'bytes')) return ONE
  return { cost: isDynamic(left.type) ? Math.max(1, smaller(call)) : smaller(call) }
}

/** Values that are compared in one step. */
const SIMPLE_VALUES: ReadonlySet<string> = new Set(['net.IP', 'net.CIDR', 'kubernetes.Quantity', 'kubernetes.Semver'])
const MAX_FORMAT_SIZE = 64

const equal: CostOf = (call) => {
  const [left, right] = call.args
  const name = left?.type.kind === 'opaque' && left.type.name === right?.type.name ? left?.type.name : undefined
  if (name !== undefined && SIMPLE_VALUES.has(name)) return ONE
  if (name === 'kubernetes.NamedFormat') return { cost: scaled(MAX_FORMAT_SIZE, PER_CHARACTER) }
  if (name === 'kubernetes.URL') return { cost: scaled(right?.size?.max ?? 1, PER_CHARACTER) }
  return { cost: smaller(call) }
}

const add: CostOf = ({ args: [left, right] }) => {
  if (left === undefined || right === undefined || isNot(left, 'string', 'bytes', 'list')) return ONE
  const size = addSizes(sizeOf(left), sizeOf(right))
  const entry = uniteEntries(left.entry, right.entry)
  if (isNot(left, 'string', 'bytes')) return { cost: 1, size, entry }
  return { cost: isDynamic(left.type) ? Math.max(1, reading(size)) : reading(size), size, entry }
}

export function uniteEntries(left: EntrySize | undefined, right: EntrySize | undefined): EntrySize | undefined {
  if (left === undefined || right === undefined) return undefined
  return { ...left, key: uniteSizes(left.key, right.key), value: uniteSizes(left.value, right.value) }
}

const isIn: CostOf = ({ args: [, container] }) => {
  if (container === undefined || isNot(container, 'list')) return ONE
  const cost = sizeOf(container).max
  return { cost: isDynamic(container.type) ? Math.max(1, cost) : cost }
}

/** Of a text that the call is made on, which is about as long as what it makes. */
const onText: CostOf = ({ target }) => target && { cost: reading(sizeOf(target)), size: sizeOf(target) }
/** Of a text that is its argument. */
const ofText: CostOf = ({ args: [text] }) => text && { cost: reading(sizeOf(text)) }
const twiceOfText: CostOf = ({ args: [text] }) => text && { cost: reading(sizeOf(text), 2) }

const matches = (text: Size, pattern: Size): number =>
  product(scaled(plus(text.max, 1), PER_CHARACTER), scaled(pattern.max, PER_PATTERN_CHARACTER))

const match: CostOf = ({ target, args: [pattern] }) =>
  target && pattern && { cost: matches(sizeOf(target), sizeOf(pattern)) }

const find: CostOf = (call) => {
  const matched = match(call)
  return matched && call.target && { ...matched, size: { min: 0, max: sizeOf(call.target).max } }
}

const contains: CostOf = ({ target, args: [part] }) =>
  target && part && { cost: product(reading(sizeOf(target)), reading(sizeOf(part))) }

const startsWith: CostOf = ({ args: [part] }) => part && { cost: reading(sizeOf(part)) }

const replace: CostOf = ({ target, args: [from, to] }) => {
  if (target === undefined || from === undefined || to === undefined) return undefined
  const text = sizeOf(target)
  return { cost: reading(text, 2), size: { min: 0, max: longestReplacement(text, sizeOf(from), sizeOf(to)) } }
}

function longestReplacement(text: Size, from: Size, to: Size): number {
  // The empty text is found before and after each character.
  if (from.min === 0) return plus(product(plus(text.max, 1), to.max), text.max)
  if (to.max <= from.min) return text.max
  return product(Math.ceil(text.max / from.min), to.max)
}

const split: CostOf = ({ target, args: [, limit] }) => {
  if (target === undefined) return undefined
  const parts = limit?.node.op === 'value' && typeof limit.node.args === 'bigint' ? Number(limit.node.args) : undefined
  return { cost: reading(sizeOf(target), 2), size: { min: 0, max: parts ?? sizeOf(target).max } }
}

const join: CostOf = (call) => {
  const { target, args } = call
  if (target === undefined) return undefined
  const [list, [separator]] = [sizeOf(target), args]
  const items = multiplySizes(list, itemSize(call, target) ?? fixedSize(0))
  const gaps = { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) }
  const size = separator === undefined ? items : addSizes(items, multiplySizes(sizeOf(separator), gaps))
  return { cost: reading(size), size }
}

/** Of the items of a list, as its schema says; undefined when `target` is none. */
function itemSize({ sizeAt }: Call, { type, path }: Estimate): Size | undefined {
  if (type.kind !== 'list') return undefined
  return (path.length === 0 ? undefined : sizeAt([...path, ITEMS])) ?? UNKNOWN_SIZE
}

/** Goes through a list, or a text. */
const traverse: CostOf = (call) => {
  const { target } = call
  if (target === undefined) return undefined
  const item = itemSize(call, target)
  if (item === undefined) return { cost: reading(sizeOf(target)) }
  const isText = target.type.item?.kind === 'string' || target.type.item?.kind === 'bytes'
  return { cost: product(sizeOf(target).max, isText ? plus(1, reading(item)) : 1) }
}

const newList = (size: Size, perItem: number): CallEstimate => ({
  cost: plus(scaled(size.max, perItem), 1, LIST_COST),
  size,
})

const integerOf = (part: Estimate | undefined, otherwise: number): number =>
  part?.node.op === 'value' && typeof part.node.args === 'bigint' ? Number(part.node.args) : otherwise

const slice: CostOf = ({ target, args: [start, end] }) => {
  if (target === undefined || start === undefined || end === undefined) return undefined
  const length = integerOf(end, sizeOf(target).max) - integerOf(start, 0)
  return newList(fixedSize(length < 0 ? UNBOUNDED : length), 1)
}

const squared = (perPair: number): CostOf => {
  return ({ target }) => target && newList(multiplySizes(sizeOf(target), sizeOf(target)), perPair)
}

const sort: CostOf = (call) => {
  const item = call.target?.type.item?.kind
  return squared(item === 'string' || item === 'bytes' ? 2 + PER_CHARACTER : 2)(call)
}

const pairs = (times: number): CostOf => {
  return ({ args: [left, right] }) =>
    left && right && { cost: plus(1, scaled(product(sizeOf(left).max, sizeOf(right).max), times)) }
}

/** An address is at most 16 bytes. */
const ADDRESS: Size = { min: 4, max: 16 }

const containsAddress = (own: number): CostOf => {
  return ({ args: [other] }) => {
    const isText = other !== undefined && couldBe(other, 'string')
    return { cost: plus(own, isText ? reading(sizeOf(other)) : 0) }
  }
}

/** Of the pattern behind a named format. */
const FORMAT_PATTERN_SIZE = 128

const toBytes: CostOf = ({ args: [text] }) => {
  if (text === undefined || isNot(text, 'string')) return ONE
  const { min, max } = sizeOf(text)
  return { cost: reading(sizeOf(text)), size: { min, max: product(max, 4) } }
}

const toText: CostOf = ({ args: [value] }) => {
  if (value === undefined || isNot(value, 'bytes')) return ONE
  const { min, max } = sizeOf(value)
  return { cost: Math.max(1, reading(sizeOf(value))), size: { min: Math.floor(min / 4), max } }
}

const quote: CostOf = ({ args: [text] }) => {
  if (text === undefined) return undefined
  const { min, max } = sizeOf(text)
  return { cost: reading(sizeOf(text)), size: { min: plus(min, 2), max: plus(product(max, 2), 2) } }
}

const url: CostOf = ({ args: [text] }) => text && { cost: reading(sizeOf(text)), size: sizeOf(text) }

const CALLS: Readonly<Record<string, CostOf>> = {
  '_==_': equal,
  '_!=_': (call) => ({ cost: smaller(call) }),
  '_<_': compare,
  '_<=_': compare,
  '_>_': compare,
  '_>=_': compare,
  '_+_': add,
  '@in': isIn,
  bytes: toBytes,
  string: toText,
  'strings.quote': quote,
  format: ({ target }) => target && { cost: reading(sizeOf(target)) },
  startsWith,
  endsWith: startsWith,
  matches: match,
  find,
  findAll: find,
  contains,
  replace,
  split,
  join,
  lowerAscii: onText,
  upperAscii: onText,
  substring: onText,
  trim: onText,
  url,
  isSorted: traverse,
  sum: traverse,
  max: traverse,
  min: traverse,
  indexOf: traverse,
  lastIndexOf: traverse,
  slice,
  sort,
  distinct: squared(2),
  reverse: ({ target }) => target && newList(sizeOf(target), 1),
  flatten: ({ target, args: [depth] }) => target && newList(sizeOf(target), depth ? integerOf(depth, UNBOUNDED) : 1),
  'lists.range': ({ args: [count] }) => newList(fixedSize(integerOf(count, UNBOUNDED)), 1),
  'sets.contains': pairs(1),
  'sets.intersects': pairs(1),
  'sets.equivalent': pairs(2),
  ip: (call) => (call.target === undefined ? ofText(call) : ONE),
  isIP: ofText,
  cidr: ofText,
  isCIDR: ofText,
  'ip.isCanonical': twiceOfText,
  containsIP: containsAddress(reading(addSizes(ADDRESS, ADDRESS))),
  containsCIDR: containsAddress(reading(addSizes(ADDRESS, ADDRESS)) + reading(ADDRESS) + 1),
  quantity: ofText,
  isQuantity: ofText,
  semver: ofText,
  isSemver: ofText,
  validate: ({ args: [text] }) =>
    text && { cost: scaled(reading(sizeOf(text)), FORMAT_PATTERN_SIZE * PER_PATTERN_CHARACTER) },
}

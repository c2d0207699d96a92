/**
 * What an evaluation costs, counted as the real server counts: reading a name or a field is one unit, calls by the size
 * of what they look at. The counter is what keeps a hostile rule from holding up the server. [k8s: CEL cost limits]
 */
import { CelCostError } from './cel-error.ts'
import { type CelValue, ListValue, MapValue, ObjectValue } from './cel-value.ts'

/** Limit of one evaluation of one rule. */
export const CALL_COST_LIMIT = 1_000_000
/** Limit of all rules of one request. */
export const REQUEST_COST_LIMIT = 10_000_000

/** However the units are spent, a request's rules take no longer: milliseconds of this process, which serves others too. */
export const REQUEST_TIME_LIMIT_MS = 2000

/** Looking at the clock costs more than a step. */
const UNITS_PER_LOOK = 4096

export class CostMeter {
  spent = 0
  readonly #limit: number
  readonly #deadline: number
  #nextLook = UNITS_PER_LOOK

  /** `deadline` as `performance.now()` counts. */
  constructor(limit: number, deadline = Number.POSITIVE_INFINITY) {
    this.#limit = limit
    this.#deadline = deadline
  }

  /** @throws CelCostError */
  spend(units: number): void {
    this.spent += units
    if (this.spent > this.#limit) throw new CelCostError()
    if (this.spent > this.#nextLook) this.#look()
  }

  #look(): void {
    this.#nextLook = this.spent + UNITS_PER_LOOK
    if (performance.now() > this.#deadline) throw new CelCostError()
  }
}

const LIST_COST = 10
const MAP_COST = 30
export const LITERAL_COSTS = { list: LIST_COST, map: MAP_COST }

type CostOf = (args: readonly CelValue[]) => number

/** Reading text costs a tenth of a unit for each character. */
const tenth = (size: number): number => Math.ceil(size * 0.1)

function sizeOf(value: CelValue | undefined): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length
  if (value instanceof ListValue) return value.items.length
  if (value instanceof MapValue) return value.entries.size
  return value instanceof ObjectValue ? value.names.length : 1
}

const smaller: CostOf = ([left, right]) => Math.max(1, tenth(Math.min(deepSize(left), deepSize(right))))
const receiver: CostOf = ([text]) => Math.max(1, tenth(sizeOf(text)))
const both: CostOf = ([left, right]) => Math.max(1, tenth(sizeOf(left) + sizeOf(right)))
const product: CostOf = ([left, right]) => Math.max(1, sizeOf(left) * sizeOf(right))
const items: CostOf = ([list]) => Math.max(1, sizeOf(list))
const squared: CostOf = ([list]) => Math.max(1, sizeOf(list) ** 2)
const regex: CostOf = ([text, pattern]) => Math.max(1, tenth(sizeOf(text) + 1) * Math.ceil(sizeOf(pattern) * 0.25))

/** Everything that a comparison may have to look at. */
function deepSize(value: CelValue | undefined): number {
  if (value instanceof ListValue) return value.items.reduce<number>((sum, item) => sum + 10 * deepSize(item), 1)
  if (value instanceof ObjectValue) return value.names.reduce((sum, name) => sum + 10 * deepSize(value.get(name)), 1)
  if (!(value instanceof MapValue)) return sizeOf(value)
  return [...value.entries.values()].reduce((sum, [, item]) => sum + 10 * deepSize(item), 1)
}

const COSTS: Readonly<Record<string, CostOf>> = {
  '_==_': smaller,
  '_!=_': smaller,
  '_<_': smaller,
  '_<=_': smaller,
  '_>_': smaller,
  '_>=_': smaller,
  '_+_': both,
  '@in': ([item, list]) => (list instanceof ListValue ? sizeOf(list) * Math.max(1, tenth(deepSize(item))) : 1),
  /** What it makes may be longer than what it reads. */
  replace: ([text, , to]) => Math.max(1, tenth(sizeOf(text)) * Math.max(1, tenth(sizeOf(to)))),
  contains: ([text, part]) => Math.max(1, tenth(sizeOf(text)) * tenth(sizeOf(part))),
  startsWith: ([, part]) => Math.max(1, tenth(sizeOf(part))),
  endsWith: ([, part]) => Math.max(1, tenth(sizeOf(part))),
  matches: regex,
  find: regex,
  findAll: regex,
  indexOf: product,
  lastIndexOf: product,
  distinct: squared,
  'sets.contains': product,
  'sets.equivalent': product,
  'sets.intersects': product,
  isSorted: items,
  sum: items,
  min: items,
  max: items,
  sort: squared,
  flatten: items,
  'lists.range': ([count]) => (typeof count === 'bigint' ? Math.max(1, Number(count)) : 1),
}

/** Calls that look at their receiver as a text. */
const TEXT_CALLS = [
  'charAt',
  'lowerAscii',
  'upperAscii',
  'split',
  'substring',
  'trim',
  'join',
  'format',
  'reverse',
  'bytes',
  'strings.quote',
  'quantity',
  'isQuantity',
  'url',
  'isURL',
  'ip',
  'isIP',
  'cidr',
  'isCIDR',
  'semver',
  'isSemver',
  'validate',
]

const TEXT_COSTS: ReadonlySet<string> = new Set(TEXT_CALLS)

/** Texts grow in a call only in proportion to what the call costs, so that memory is bounded too. */
export function costOfCall(name: string): CostOf {
  return COSTS[name] ?? (TEXT_COSTS.has(name) ? receiver : one)
}

const one: CostOf = () => 1

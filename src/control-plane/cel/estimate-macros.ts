/** What loops and lazy operations cost at most: as often as there can be elements, what they become when they are expanded. */
import type { CallEstimate, EntrySize, Estimate } from './estimate.ts'
import { sizeOf } from './estimate.ts'
import { uniteEntries } from './estimate-call.ts'
import type { Estimator, Local, Locals } from './estimate-cost.ts'
import { INDICES, ITEMS, KEYS, VALUES } from './schema-size.ts'
import { fixedSize, plus, product } from './size.ts'
import type { Node } from './syntax.ts'

type MethodCall = Node & { op: 'rcall' }
type Found = CallEstimate & { readonly path: readonly string[] }

/** Undefined: the call is none of these. */
export function estimateMacro(estimator: Estimator, node: MethodCall, locals: Locals): Found | undefined {
  const [name, , args] = node.args
  const key = `${name}/${args.length}`
  const loop = LOOPS[key]
  if (loop !== undefined) return estimateLoop(estimator, node, locals, loop)
  return key === 'optMap/2' || key === 'optFlatMap/2' ? estimateOptional(estimator, node, locals) : undefined
}

/** Units for the parts that a loop is made of. */
interface Loop {
  readonly variables: 1 | 2
  readonly before: number
  /** For each element: besides the body, and without it when a filter leaves it out. */
  readonly step: number
  readonly skip: number
  readonly after: number
  readonly result: 'bool' | 'items' | 'bodies' | 'entries'
}

const quantifier = (variables: 1 | 2, step: number): Loop => ({
  variables,
  before: 0,
  step,
  skip: 0,
  after: 1,
  result: 'bool',
})
const one = (variables: 1 | 2): Loop => ({ variables, before: 0, step: 2, skip: 0, after: 2, result: 'bool' })
const list = (variables: 1 | 2): Loop => ({ variables, before: 10, step: 12, skip: 1, after: 1, result: 'bodies' })
const entries = (step: number): Loop => ({ variables: 2, before: 30, step, skip: 1, after: 1, result: 'entries' })

const LOOPS: Readonly<Record<string, Loop>> = {
  'all/2': quantifier(1, 3),
  'exists/2': quantifier(1, 4),
  'exists_one/2': one(1),
  'filter/2': { variables: 1, before: 10, step: 13, skip: 1, after: 1, result: 'items' },
  'map/2': list(1),
  'map/3': list(1),
  'all/3': quantifier(2, 3),
  'exists/3': quantifier(2, 4),
  'exists_one/3': one(2),
  'existsOne/3': one(2),
  'transformList/3': list(2),
  'transformList/4': list(2),
  'transformMap/3': entries(3),
  'transformMap/4': entries(3),
  'transformMapEntry/3': entries(2),
  'transformMapEntry/4': entries(2),
}

function estimateLoop(estimator: Estimator, node: MethodCall, locals: Locals, loop: Loop): Found {
  const [, receiver, args] = node.args
  const range = estimator.estimate(receiver, locals)
  const inner = new Map(locals)
  const names = args.slice(0, loop.variables).map(({ args: name }) => String(name))
  const bound = variablesOf(range, loop.variables)
  for (const [index, name] of names.entries()) inner.set(name, bound[index] ?? { path: [] })
  const body = args.slice(loop.variables).map((part) => estimator.estimate(part, inner))
  const each = product(sizeOf(range).max, costOfElement(loop, body))
  const cost = plus(range.cost, loop.before, loop.after, each)
  if (loop.result === 'bool') return { cost, path: [], size: fixedSize(1) }
  return { cost, path: [], size: sizeOf(range), entry: entryOf(loop, body, bound) }
}

/** The body comes last; before it there may be a filter. */
function costOfElement(loop: Loop, body: readonly Estimate[]): number {
  const [first, second] = body
  if (second === undefined) return plus(first?.cost ?? 0, loop.step)
  return plus(first?.cost ?? 0, Math.max(plus(second.cost, loop.step), loop.skip))
}

function entryOf({ result }: Loop, body: readonly Estimate[], [single]: readonly Local[]): EntrySize | undefined {
  const last = body.at(-1)
  const value = result === 'items' ? sizeOf(single ?? {}) : result === 'bodies' && last ? sizeOf(last) : undefined
  const empty: EntrySize = { container: 'list', key: fixedSize(1), value: fixedSize(0) }
  return value && uniteEntries(empty, { ...empty, value })
}

function variablesOf({ path, type, entry }: Estimate, count: 1 | 2): Local[] {
  const isList = (entry?.container ?? type.kind) === 'list'
  const key: Local = { path: [...path, isList ? INDICES : KEYS], size: entry?.key }
  const value: Local = { path: [...path, isList ? ITEMS : VALUES], size: entry?.value }
  if (count === 2) return [key, value]
  return isList ? [value] : [{ ...key, path: [...path, KEYS] }]
}

/** Is there a value? Then a list of none to go through, the value again, what is made of it, and `optMap` wraps that. */
function estimateOptional(estimator: Estimator, node: MethodCall, locals: Locals): Found {
  const [name, receiver, [variable, body]] = node.args
  const operand = estimator.estimate(receiver, locals)
  const inner = new Map(locals).set(String(variable?.args), { path: [] })
  const made = body === undefined ? 0 : estimator.estimate(body, inner).cost
  const wrapping = name === 'optMap' ? 1 : 0
  return { cost: plus(1, operand.cost, wrapping, 10, 1, operand.cost, made), path: [] }
}

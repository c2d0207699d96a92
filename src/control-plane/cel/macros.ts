/**
 * What looks like a call but binds names or evaluates lazily: `all`, `exists`, `exists_one`, `map`, `filter`, their forms
 * with two variables, and the lazy operations of optional values.
 */
import { CelError, noSuchOverload } from './cel-error.ts'
import {
  BOOL,
  type CelType,
  DYN,
  formatType,
  INT,
  isAssignable,
  isDynamic,
  itemOf,
  joinTypes,
  listOf,
  mapOf,
  optionalOf,
} from './cel-type.ts'
import { type CelValue, ListValue, MapValue, NONE, OptionalValue } from './cel-value.ts'
import { COLLECTORS, type Collect, type Element } from './collect.ts'
import type { Compiled, Compiler, Frame, Run, Scope } from './compiled.ts'
import type { Node } from './syntax.ts'

type MethodCall = Node & { op: 'rcall' }

/** Undefined: the call is none of these. */
export function compileMacro(
  compiler: Compiler,
  node: Node & { op: 'call' | 'rcall' },
  scope: Scope,
): Compiled | undefined {
  if (node.op !== 'rcall') return undefined
  const [name, , args] = node.args
  const shape = SHAPES[`${name}/${args.length}`]
  if (shape !== undefined) return compileLoop(compiler, node, scope, shape)
  return LAZY[`${name}/${args.length}`]?.(compiler, node, scope)
}

/** How the arguments of a loop are to be read. */
interface Shape {
  readonly collect: Collect
  readonly variables: 1 | 2
  readonly hasFilter?: boolean
}

const loop = (collect: Collect, variables: 1 | 2): Shape => ({ collect, variables })

const SHAPES: Readonly<Record<string, Shape>> = {
  'all/2': loop(COLLECTORS.all, 1),
  'exists/2': loop(COLLECTORS.exists, 1),
  'exists_one/2': loop(COLLECTORS.existsOne, 1),
  'filter/2': { collect: COLLECTORS.filter, variables: 1 },
  'map/2': { collect: COLLECTORS.list, variables: 1 },
  'map/3': { collect: COLLECTORS.list, variables: 1, hasFilter: true },
  'all/3': loop(COLLECTORS.all, 2),
  'exists/3': loop(COLLECTORS.exists, 2),
  'exists_one/3': loop(COLLECTORS.existsOne, 2),
  'existsOne/3': loop(COLLECTORS.existsOne, 2),
  'transformList/3': { collect: COLLECTORS.list, variables: 2 },
  'transformList/4': { collect: COLLECTORS.list, variables: 2, hasFilter: true },
  'transformMap/3': { collect: COLLECTORS.map, variables: 2 },
  'transformMap/4': { collect: COLLECTORS.map, variables: 2, hasFilter: true },
  'transformMapEntry/3': { collect: COLLECTORS.entries, variables: 2 },
  'transformMapEntry/4': { collect: COLLECTORS.entries, variables: 2, hasFilter: true },
}

function compileLoop(compiler: Compiler, node: MethodCall, scope: Scope, shape: Shape): Compiled {
  const [, receiver, args] = node.args
  const range = compiler.compile(receiver, scope)
  const types = rangeTypes(range.type)
  if (types === undefined) {
    const problem = 'cannot be range of a comprehension (must be list, map, or dynamic)'
    return compiler.fail(receiver, `expression of type '${formatType(range.type)}' ${problem}`)
  }
  const names = args.slice(0, shape.variables)
  const misfit = names.find(({ op }) => op !== 'id')
  if (misfit !== undefined) return compiler.fail(misfit, 'argument must be a simple name')
  const bound = shape.variables === 1 ? [types.single] : [types.key, types.item]
  let inner = scope
  const slots = names.map((name, index) => {
    const declared = compiler.declare(inner, String(name.args), bound[index] ?? DYN)
    inner = declared.scope
    return declared.slot
  })
  const body = args.slice(shape.variables).map((part) => compiler.compile(part, inner))
  const { conditions } = splitBody(body, shape)
  for (const condition of conditions) {
    if (!isAssignable(condition.type, BOOL)) {
      const part = args[shape.variables] ?? node
      return compiler.fail(part, `expected type 'bool' but found '${formatType(condition.type)}'`)
    }
  }
  return { type: resultType(shape, body, types), run: runLoop(range.run, slots, body, shape) }
}

interface RangeTypes {
  /** Of the variable of a loop that has one. */
  readonly single: CelType
  readonly key: CelType
  readonly item: CelType
}

function rangeTypes(type: CelType): RangeTypes | undefined {
  if (isDynamic(type)) return { single: DYN, key: DYN, item: DYN }
  if (type.kind === 'list') return { single: itemOf(type), key: INT, item: itemOf(type) }
  if (type.kind !== 'map') return undefined
  const key = type.key ?? DYN
  return { single: key, key, item: itemOf(type) }
}

function splitBody(body: readonly Compiled[], { collect, hasFilter }: Shape): { conditions: readonly Compiled[] } {
  return { conditions: hasFilter === true || collect.isCondition ? body.slice(0, 1) : [] }
}

function resultType({ collect }: Shape, body: readonly Compiled[], types: RangeTypes): CelType {
  const last = body.at(-1)?.type ?? DYN
  switch (collect.result) {
    case 'bool':
      return BOOL
    case 'range':
      return listOf(types.single)
    case 'list':
      return listOf(last)
    case 'map':
      return mapOf(types.key, last)
    default:
      return last
  }
}

/** Each step costs what the real server's accumulator costs. */
const STEP_COST = 3

function runLoop(range: Run, slots: readonly number[], body: readonly Compiled[], shape: Shape): Run {
  const filter = shape.hasFilter === true ? body[0] : undefined
  const last = body.at(-1)
  return (frame) => {
    const elements = elementsOf(range(frame))
    const collector = shape.collect.start()
    for (const element of elements) {
      frame.meter.spend(STEP_COST)
      bindElement(frame, slots, element)
      if (filter !== undefined && !isTrue(filter.run(frame))) continue
      if (last !== undefined && collector.take(last.run, frame, element) === 'done') break
    }
    return collector.finish()
  }
}

function isTrue(value: CelValue): boolean {
  if (typeof value !== 'boolean') throw noSuchOverload()
  return value
}

function bindElement(frame: Frame, slots: readonly number[], { key, item, single }: Element): void {
  const [first, second] = slots
  if (first === undefined) return
  frame.slots[first] = second === undefined ? single : key
  if (second !== undefined) frame.slots[second] = item
}

function elementsOf(range: CelValue): Element[] {
  if (range instanceof ListValue) {
    return range.items.map((item, index) => ({ key: BigInt(index), item, single: item }))
  }
  if (!(range instanceof MapValue)) throw noSuchOverload()
  return [...range.entries.values()].map(([key, item]) => ({ key, item, single: key }))
}

const LAZY: Readonly<Record<string, (compiler: Compiler, node: MethodCall, scope: Scope) => Compiled | undefined>> = {
  'orValue/1': (compiler, node, scope) => compileFallback(compiler, node, scope, ({ value }) => value),
  'or/1': (compiler, node, scope) =>
    compileFallback(compiler, node, scope, (optional) => (optional.value === undefined ? undefined : optional)),
  'optMap/2': (compiler, node, scope) => compileOptMap(compiler, node, scope, (value) => new OptionalValue(value)),
  'optFlatMap/2': (compiler, node, scope) => compileOptMap(compiler, node, scope, (value) => value),
}

/** The fallback is evaluated only where it is needed. */
function compileFallback(
  compiler: Compiler,
  node: MethodCall,
  scope: Scope,
  take: (optional: OptionalValue) => CelValue | undefined,
): Compiled {
  const [name, receiver, [argument]] = node.args
  const operand = compiler.compile(receiver, scope)
  const fallback = argument === undefined ? operand : compiler.compile(argument, scope)
  const wanted = name === 'or' ? operand.type : itemOf(operand.type)
  const type = joinTypes(wanted, fallback.type)
  if (!(operand.type.kind === 'optional' || isDynamic(operand.type)) || type === undefined) {
    const applied = `${formatType(operand.type)}.(${formatType(fallback.type)})`
    return compiler.fail(node, `found no matching overload for '${name}' applied to '${applied}'`)
  }
  return {
    type,
    run: (frame) => {
      const optional = operand.run(frame)
      if (!(optional instanceof OptionalValue)) throw noSuchOverload()
      return take(optional) ?? fallback.run(frame)
    },
  }
}

function compileOptMap(
  compiler: Compiler,
  node: MethodCall,
  scope: Scope,
  wrap: (value: CelValue) => CelValue,
): Compiled {
  const [name, receiver, [variable, body]] = node.args
  if (variable === undefined || body === undefined || variable.op !== 'id') {
    return compiler.fail(variable ?? node, `${name}() variable name must be a simple identifier`)
  }
  const operand = compiler.compile(receiver, scope)
  const { scope: inner, slot } = compiler.declare(scope, variable.args, itemOf(operand.type))
  const { type, run } = compiler.compile(body, inner)
  return {
    type: name === 'optMap' ? optionalOf(type) : type,
    run: (frame) => {
      const optional = operand.run(frame)
      if (!(optional instanceof OptionalValue)) throw new CelError('no such overload', 'noSuchOverload')
      if (optional.value === undefined) return NONE
      frame.slots[slot] = optional.value
      return wrap(run(frame))
    },
  }
}

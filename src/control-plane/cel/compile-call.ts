/** Calls of functions: the signatures that fit are found when types are known, or else when values are. */
import { noSuchOverload } from './cel-error.ts'
import {
  type Bindings,
  type CelType,
  DYN,
  formatType,
  isAssignable,
  isDynamic,
  itemOf,
  joinTypes,
  substitute,
} from './cel-type.ts'
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
import type { Compiled, Compiler, Frame, Run, Scope } from './compiled.ts'
import { checkConstants, faultOfConstant } from './constant-arguments.ts'
import { CostMeter, costOfCall } from './cost.ts'
import { FUNCTIONS } from './functions/index.ts'
import { functionKey, type Overload } from './functions/overload.ts'
import type { Node } from './syntax.ts'

interface Called {
  readonly name: string
  readonly isMethod: boolean
}

export function compileCall(compiler: Compiler, node: Node & { op: 'call' | 'rcall' }, scope: Scope): Compiled {
  const compileAll = (nodes: readonly Node[]): Compiled[] => nodes.map((part) => compiler.compile(part, scope))
  if (node.op === 'call') {
    const [name, parts] = node.args
    return withConstants(compiler, node, { name, isMethod: false, parts }, compileAll(parts))
  }
  const [name, receiver, parts] = node.args
  const qualified = receiver.op === 'id' && !scope.has(receiver.args) ? `${receiver.args}.${name}` : undefined
  if (qualified !== undefined && FUNCTIONS.has(functionKey(qualified, parts.length, false))) {
    return callFunction(compiler, node, { name: qualified, isMethod: false }, compileAll(parts))
  }
  const compileArguments = (): Compiled[] => compileAll(parts)
  // What is to be formatted may be of any types.
  const args = name === 'format' ? compiler.mixed(compileArguments) : compileArguments()
  return withConstants(compiler, node, { name, isMethod: true, parts }, [compiler.compile(receiver, scope), ...args])
}

interface WrittenCall extends Called {
  /** The arguments as written, without the receiver. */
  readonly parts: readonly Node[]
}

function withConstants(compiler: Compiler, node: Node, written: WrittenCall, args: readonly Compiled[]): Compiled {
  const call = callFunction(compiler, node, written, args)
  const { name, parts } = written
  checkConstants(compiler, name, parts)
  if (compiler.issues.length > 0) return call
  const frame: Frame = { slots: [], meter: new CostMeter(Number.POSITIVE_INFINITY) }
  const fault = faultOfConstant(name, parts, () => call.run(frame))
  if (fault !== undefined) compiler.failAlways(fault)
  return call
}

export function callFunction(compiler: Compiler, node: Node, called: Called, args: readonly Compiled[]): Compiled {
  const { name, isMethod } = called
  const overloads = FUNCTIONS.get(functionKey(name, args.length, isMethod))
  if (overloads === undefined && !isKnown(name)) {
    return compiler.fail(node, `undeclared reference to '${name}' (in container '')`)
  }
  const types = args.map(({ type }) => type)
  const fitting = (overloads ?? []).flatMap((overload) => {
    const result = resultOf(overload, types)
    return result === undefined ? [] : [{ overload, result }]
  })
  if (fitting.length === 0) {
    return compiler.fail(node, `found no matching overload for '${name}' applied to '${applied(types, isMethod)}'`)
  }
  const type = fitting.map(({ result }) => result).reduce((left, right) => joinTypes(left, right) ?? DYN)
  const candidates = fitting.map(({ overload }) => overload)
  return { type, run: runCall(name, candidates, args) }
}

const names = new Set([...FUNCTIONS.keys()].map((key) => key.replace(/^\.|\/\d+$/g, '')))

function isKnown(name: string): boolean {
  return names.has(name)
}

/** The result's type; undefined when the arguments do not fit. */
function resultOf(overload: Overload, types: readonly CelType[]): CelType | undefined {
  const bindings: Bindings = new Map()
  const fits = overload.args.every((wanted, index) => isAssignable(types[index] ?? DYN, wanted, bindings))
  return fits ? substitute(overload.result, bindings) : undefined
}

function applied(types: readonly CelType[], isMethod: boolean): string {
  const texts = types.map(formatType)
  return isMethod ? `${texts[0]}.(${texts.slice(1).join(', ')})` : `(${texts.join(', ')})`
}

function runCall(name: string, candidates: readonly Overload[], args: readonly Compiled[]): Run {
  const cost = costOfCall(name)
  const [only] = candidates
  const isCertain = candidates.length === 1 && !args.some(({ type }) => isUncertain(type))
  return (frame) => {
    const values = args.map((arg) => arg.run(frame))
    frame.meter.spend(cost(values))
    const overload = isCertain
      ? only
      : candidates.find(({ args: wanted }) => wanted.every((type, i) => fits(values[i], type)))
    if (overload === undefined) throw noSuchOverload()
    return overload.run(...values)
  }
}

function isUncertain(type: CelType): boolean {
  return isDynamic(type) || type.kind === 'null' || (type.item !== undefined && isUncertain(type.item))
}

/** Whether a value is of that type; of a list the first item is looked at. */
function fits(value: CelValue | undefined, type: CelType): boolean {
  if (value === undefined) return false
  return FITS[type.kind]?.(value, type) ?? true
}

const FITS: Readonly<Partial<Record<CelType['kind'], (value: CelValue, type: CelType) => boolean>>> = {
  bool: (value) => typeof value === 'boolean',
  bytes: (value) => value instanceof Uint8Array,
  double: (value) => typeof value === 'number',
  duration: (value) => value instanceof Duration,
  int: (value) => typeof value === 'bigint',
  list: (value, type) => value instanceof ListValue && (value.items.length === 0 || fits(value.items[0], itemOf(type))),
  map: (value) => value instanceof MapValue || value instanceof ObjectValue,
  null: (value) => value === null,
  object: (value) => value instanceof ObjectValue,
  opaque: (value, type) => value instanceof OpaqueValue && value.type === type.name,
  optional: (value) => value instanceof OptionalValue,
  string: (value) => typeof value === 'string',
  timestamp: (value) => value instanceof Timestamp,
  type: (value) => value instanceof TypeName,
  uint: (value) => value instanceof Uint,
}

/**
 * The most that evaluating an expression can cost, told from the sizes that the schema allows. The real server refuses
 * definitions with rules that could be too dear by this measure, so the measure is its own, to the unit.
 * [k8s: estimated cost of validation rules]
 */
import type { Schema } from '../schema/schema.ts'
import { type CelType, DYN, itemOf } from './cel-type.ts'
import { dottedName } from './compile-expression.ts'
import type { Estimate } from './estimate.ts'
import { type EntrySize, sizeOf } from './estimate.ts'
import { type Call, estimateCall, uniteEntries } from './estimate-call.ts'
import { estimateMacro } from './estimate-macros.ts'
import { FUNCTIONS } from './functions/index.ts'
import { functionKey } from './functions/overload.ts'
import { ITEMS, sizeAt, VALUES } from './schema-size.ts'
import { fixedSize, plus, type Size, uniteSizes } from './size.ts'
import type { Node } from './syntax.ts'

/** A variable of a loop or of a lazy operation. */
export interface Local {
  readonly path: readonly string[]
  readonly size?: Size | undefined
  readonly entry?: EntrySize | undefined
}

export type Locals = ReadonlyMap<string, Local>

export interface Estimator {
  estimate(node: Node, locals: Locals): Estimate
  typeOf(node: Node): CelType
}

/** What compilation found out. */
export interface Analysis {
  readonly root: Node
  readonly types: ReadonlyMap<Node, CelType>
}

/** `schema`: of `self`, with what expressions see of it. */
export function estimateCost({ root, types }: Analysis, schema: Schema): number {
  return new ExpressionEstimator(types, schema).estimate(root, new Map()).cost
}

const LIST_COST = 10
const MAP_COST = 30

class ExpressionEstimator implements Estimator {
  readonly #types: ReadonlyMap<Node, CelType>
  readonly #schema: Schema

  constructor(types: ReadonlyMap<Node, CelType>, schema: Schema) {
    this.#types = types
    this.#schema = schema
  }

  typeOf(node: Node): CelType {
    return this.#types.get(node) ?? DYN
  }

  estimate(node: Node, locals: Locals): Estimate {
    const found = this.#visit(node, locals)
    const type = this.typeOf(node)
    const size = found.size ?? this.#sizeAt(found.path) ?? sizeOfType(type) ?? localSize(node, locals)
    return { ...found, node, type, size }
  }

  #visit(node: Node, locals: Locals): Found {
    switch (node.op) {
      case 'value':
        return { cost: 0, path: [], size: fixedSize(lengthOf(node.args)) }
      case 'id':
        return identifier(node.args, locals)
      case '.':
        return this.#select(node, locals)
      case '[]':
        return this.#index(node, locals)
      case 'list':
        return this.#list(node.args, locals)
      case 'map':
        return this.#map(node.args, locals)
      case '?:':
        return this.#conditional(node, locals)
      case 'call':
      case 'rcall':
        return this.#call(node, locals)
      default:
        return this.#operator(node, locals)
    }
  }

  #sizeAt(path: readonly string[]): Size | undefined {
    return sizeAt(this.#schema, path)
  }

  #select(node: Node & { op: '.' }, locals: Locals): Found {
    const name = dottedName(node)
    // A name with dots, such as that of a type.
    if (name !== undefined && this.typeOf(node).kind === 'type') return { cost: 1, path: [name] }
    const operand = this.estimate(node.args[0], locals)
    const isSelected = operand.type.kind === 'map' || operand.type.kind === 'object'
    return { cost: plus(operand.cost, isSelected ? 1 : 0), path: [...operand.path, String(node.args[1])] }
  }

  #index(node: Node & { op: '[]' }, locals: Locals): Found {
    const [operand, index] = [this.estimate(node.args[0], locals), this.estimate(node.args[1], locals)]
    const cost = plus(operand.cost, index.cost, 1)
    if (operand.type.kind === 'optional') return { cost, path: [] }
    const part = operand.type.kind === 'list' ? ITEMS : VALUES
    return { cost, path: [...operand.path, part], size: operand.entry?.value }
  }

  #list(nodes: readonly Node[], locals: Locals): Found {
    const items = nodes.map((item) => this.estimate(item, locals))
    const entry: EntrySize = { container: 'list', key: fixedSize(1), value: sizeOfAll(items) }
    return { cost: plus(LIST_COST, ...costs(items)), path: [], size: fixedSize(items.length), entry }
  }

  #map(nodes: ReadonlyArray<readonly [Node, Node]>, locals: Locals): Found {
    const keys = nodes.map(([key]) => this.estimate(key, locals))
    const values = nodes.map(([, value]) => this.estimate(value, locals))
    const entry: EntrySize = { container: 'map', key: sizeOfAll(keys), value: sizeOfAll(values) }
    return { cost: plus(MAP_COST, ...costs(keys), ...costs(values)), path: [], size: fixedSize(keys.length), entry }
  }

  #conditional(node: Node & { op: '?:' }, locals: Locals): Found {
    const [condition, yes, no] = [node.args[0], node.args[1], node.args[2]].map((part) => this.estimate(part, locals))
    if (condition === undefined || yes === undefined || no === undefined) return { cost: 0, path: [] }
    return {
      cost: plus(condition.cost, Math.max(yes.cost, no.cost)),
      path: [],
      size: uniteSizes(sizeOf(yes), sizeOf(no)),
      entry: uniteEntries(yes.entry, no.entry),
    }
  }

  #call(node: Node & { op: 'call' | 'rcall' }, locals: Locals): Found {
    if (node.op === 'rcall') return estimateMacro(this, node, locals) ?? this.#method(node, locals)
    const [name, parts] = node.args
    const [first] = parts
    // A test for presence costs what its operand costs.
    if (name === 'has' && first?.op === '.') return { cost: this.estimate(first.args[0], locals).cost, path: [] }
    const args = parts.map((part) => this.estimate(part, locals))
    if (name !== 'dyn') return this.#function(name, undefined, args)
    const [value] = args
    return { cost: plus(1, ...costs(args)), path: [], size: value?.size, entry: value?.entry }
  }

  #method(node: Node & { op: 'rcall' }, locals: Locals): Found {
    const [name, receiver, parts] = node.args
    const args = parts.map((part) => this.estimate(part, locals))
    const qualified = receiver.op === 'id' && !locals.has(receiver.args) ? `${receiver.args}.${name}` : undefined
    if (qualified !== undefined && FUNCTIONS.has(functionKey(qualified, parts.length, false))) {
      return this.#function(qualified, undefined, args)
    }
    return this.#function(name, this.estimate(receiver, locals), args)
  }

  #operator(node: Node, locals: Locals): Found {
    const nodes = Array.isArray(node.args) ? (node.args as unknown[]) : [node.args]
    // The field of an optional selection is a text.
    const operands = nodes.filter((part) => typeof part === 'object').map((part) => this.estimate(part as Node, locals))
    const [first] = operands
    if (node.op === '&&' || node.op === '||') return { cost: plus(...costs(operands)), path: [] }
    // A negative number is one constant.
    if (node.op === '-_' && first?.node.op === 'value') return { cost: 0, path: [], size: fixedSize(1) }
    return this.#function(node.op === 'in' ? '@in' : `_${node.op}_`, undefined, operands)
  }

  #function(name: string, target: Estimate | undefined, args: readonly Estimate[]): Found {
    const call: Call = { target, args, sizeAt: (path) => this.#sizeAt(path) }
    const own = estimateCall(name, call)
    const cost = plus(own.cost, target?.cost ?? 0, ...costs(args))
    return { cost, path: [], size: own.size, entry: own.entry }
  }
}

type Found = Pick<Estimate, 'cost' | 'path' | 'size' | 'entry'>

const costs = (parts: readonly Estimate[]): number[] => parts.map(({ cost }) => cost)

const sizeOfAll = (parts: readonly Estimate[]): Size =>
  parts.length === 0 ? fixedSize(0) : parts.map(sizeOf).reduce(uniteSizes)

function identifier(name: string, locals: Locals): Found {
  const local = locals.get(name)
  return local === undefined ? { cost: 1, path: [name] } : { cost: 1, path: local.path, entry: local.entry }
}

function localSize(node: Node, locals: Locals): Size | undefined {
  return node.op === 'id' ? locals.get(node.args)?.size : undefined
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return [...value].length
  return value instanceof Uint8Array ? value.length : 1
}

const SCALARS: ReadonlySet<CelType['kind']> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint'])

function sizeOfType(type: CelType): Size | undefined {
  const inner = type.kind === 'optional' ? itemOf(type) : type
  return SCALARS.has(inner.kind) ? fixedSize(1) : undefined
}

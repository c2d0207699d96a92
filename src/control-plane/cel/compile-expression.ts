/**
 * Compiles an expression against the types of its variables. All faults are found and reported together, worded as the
 * real server words them; what compiles is a tree of closures.
 */

import { type CelType, ERROR, TYPE } from './cel-type.ts'
import { type CelValue, TypeName } from './cel-value.ts'
import { compileAccess, compileHas, compileIndex } from './compile-access.ts'
import { callFunction, compileCall } from './compile-call.ts'
import { compileList, compileMap, compileValue } from './compile-literal.ts'
import { compileLogical, compileTernary } from './compile-logical.ts'
import type { Compiled, Compiler, Run, Scope } from './compiled.ts'
import type { CostMeter } from './cost.ts'
import { compileMacro } from './macros.ts'
import { type Issue, type Node, parseExpression, positionOf, SyntaxFault } from './syntax.ts'

export interface Expression {
  readonly type: CelType
  /** The names that it mentions, of those that were declared. */
  readonly mentions: ReadonlySet<string>
  /** @throws CelError, CelCostError */
  evaluate(variables: Readonly<Record<string, CelValue | undefined>>, meter: CostMeter): CelValue
}

export type Compilation =
  | { readonly ok: true; readonly expression: Expression }
  /** Without issues, `always` says why every evaluation would fail. */
  | { readonly ok: false; readonly issues: readonly Issue[]; readonly always?: string }

/** The parts of an expression and their types, for those who look at it further. */
export interface Parts {
  root?: Node
  readonly types: Map<Node, CelType>
}

/** @param parts filled when it compiles */
export function compileExpression(
  text: string,
  variables: Readonly<Record<string, CelType>>,
  parts?: Parts,
): Compilation {
  try {
    const root = parseExpression(text)
    if (parts !== undefined) parts.root = root
    return compileParsed(root, variables, parts?.types)
  } catch (error) {
    if (error instanceof SyntaxFault) return { ok: false, issues: [error] }
    // The stack ran out: the text nests deeper than any honest rule.
    if (error instanceof RangeError) return { ok: false, issues: [TOO_DEEP] }
    throw error
  }
}

const TOO_DEEP: Issue = { position: 0, message: 'Syntax error: expression recursion limit exceeded: 250' }

function compileParsed(
  root: Node,
  variables: Readonly<Record<string, CelType>>,
  types: Map<Node, CelType> | undefined,
): Compilation {
  const compiler = new ExpressionCompiler(types)
  let scope: Scope = new Map()
  const slots = Object.entries(variables).map(([name, type]) => {
    const declared = compiler.declare(scope, name, type)
    scope = declared.scope
    return [name, declared.slot] as const
  })
  const { type, run } = compiler.compile(root, scope)
  if (compiler.issues.length > 0) return { ok: false, issues: compiler.issues }
  if (compiler.always !== undefined) return { ok: false, issues: [], always: compiler.always }
  const mentions = new Set(slots.filter(([, slot]) => compiler.readSlots.has(slot)).map(([name]) => name))
  const evaluate: Expression['evaluate'] = (values, meter) => {
    const frame = { slots: new Array<CelValue | undefined>(compiler.slotCount), meter }
    for (const [name, slot] of slots) frame.slots[slot] = values[name]
    return run(frame)
  }
  return { ok: true, expression: { type, mentions, evaluate } }
}

class ExpressionCompiler implements Compiler {
  readonly issues: Issue[] = []
  readonly readSlots = new Set<number>()
  allowsMixed = false
  always: string | undefined
  slotCount = 0
  readonly #types: Map<Node, CelType> | undefined

  constructor(types: Map<Node, CelType> | undefined) {
    this.#types = types
  }

  compile(node: Node, scope: Scope): Compiled {
    const compiled = this.#compile(node, scope)
    this.#types?.set(node, compiled.type)
    return compiled
  }

  #compile(node: Node, scope: Scope): Compiled {
    switch (node.op) {
      case 'value':
        return compileValue(node.args)
      case 'id':
        return this.#identifier(node, node.args, scope)
      case '.':
      case '.?':
        return this.#qualified(node, scope) ?? compileAccess(this, node, scope)
      case '[]':
      case '[?]':
        return compileIndex(this, node, scope)
      case 'call':
      case 'rcall':
        return this.#call(node, scope)
      case 'list':
        return compileList(this, node, scope)
      case 'map':
        return compileMap(this, node, scope)
      case '?:':
        return compileTernary(this, node, scope)
      case '&&':
      case '||':
        return compileLogical(this, node, scope)
      default:
        return this.#operator(node, scope)
    }
  }

  fail(node: Node, message: string): Compiled {
    return this.#report({ position: positionOf(node), message })
  }

  declare(scope: Scope, name: string, type: CelType): { scope: Scope; slot: number } {
    const slot = this.slotCount
    this.slotCount += 1
    return { scope: new Map(scope).set(name, { slot, type }), slot }
  }

  mixed<T>(compile: () => T): T {
    const before = this.allowsMixed
    this.allowsMixed = true
    const result = compile()
    this.allowsMixed = before
    return result
  }

  failAlways(problem: string): void {
    this.always ??= problem
  }

  #report(issue: Issue): Compiled {
    if (this.issues.length < MAX_ISSUES) this.issues.push(issue)
    return { type: ERROR, run: unreachable }
  }

  #identifier(node: Node, name: string, scope: Scope): Compiled {
    const variable = scope.get(name)
    if (variable !== undefined) {
      const { slot, type } = variable
      this.readSlots.add(slot)
      return { type, run: readSlot(slot) }
    }
    const typeName = TYPE_NAMES[name]
    if (typeName === undefined) return this.fail(node, `undeclared reference to '${name}' (in container '')`)
    return typeConstant(typeName)
  }

  /** A name with dots that stands for a type. */
  #qualified(node: Node, scope: Scope): Compiled | undefined {
    const name = dottedName(node)
    const typeName = name === undefined ? undefined : TYPE_NAMES[name]
    if (typeName === undefined || scope.has(name?.split('.')[0] ?? '')) return undefined
    return typeConstant(typeName)
  }

  #call(node: Node & { op: 'call' | 'rcall' }, scope: Scope): Compiled {
    if (node.op === 'call' && node.args[0] === 'has') return compileHas(this, node, scope)
    return compileMacro(this, node, scope) ?? compileCall(this, node, scope)
  }

  #operator(node: Node, scope: Scope): Compiled {
    const operands = Array.isArray(node.args) ? (node.args as Node[]) : [node.args as Node]
    const name = OPERATOR_NAMES[node.op] ?? `_${node.op}_`
    return callFunction(
      this,
      node,
      { name, isMethod: false },
      operands.map((operand) => this.compile(operand, scope)),
    )
  }
}

const MAX_ISSUES = 100

const OPERATOR_NAMES: Readonly<Record<string, string>> = { '!_': '!_', '-_': '-_', in: '@in' }

function readSlot(slot: number): Run {
  return ({ slots, meter }) => {
    meter.spend(1)
    return slots[slot] ?? null
  }
}

function unreachable(): never {
  throw new Error('an expression with faults was evaluated')
}

function typeConstant(name: string): Compiled {
  const value = new TypeName(name)
  return { type: TYPE, run: () => value }
}

/** `a.b.c`, if the node is nothing but names. */
export function dottedName(node: Node): string | undefined {
  if (node.op === 'id') return node.args
  if (node.op !== '.') return undefined
  const parent = dottedName(node.args[0])
  return parent === undefined ? undefined : `${parent}.${String(node.args[1])}`
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  bool: 'bool',
  bytes: 'bytes',
  double: 'double',
  dyn: 'dyn',
  int: 'int',
  list: 'list',
  map: 'map',
  null_type: 'null_type',
  string: 'string',
  type: 'type',
  uint: 'uint',
  'google.protobuf.Timestamp': 'google.protobuf.Timestamp',
  'google.protobuf.Duration': 'google.protobuf.Duration',
  'net.IP': 'net.IP',
  'net.CIDR': 'net.CIDR',
  'kubernetes.Quantity': 'kubernetes.Quantity',
  'kubernetes.URL': 'kubernetes.URL',
}

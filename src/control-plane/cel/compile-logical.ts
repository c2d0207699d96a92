/** `&&`, `||` and `? :`. A fault on one side of a logical operator does not matter when the other side decides. */
import { CelError, noSuchOverload } from './cel-error.ts'
import { BOOL, type CelType, formatType, isAssignable, joinTypes } from './cel-type.ts'
import type { CelValue } from './cel-value.ts'
import type { Compiled, Compiler, Frame, Run, Scope } from './compiled.ts'
import type { Node } from './syntax.ts'

export function compileLogical(compiler: Compiler, node: Node & { op: '&&' | '||' }, scope: Scope): Compiled {
  const [left, right] = [compiler.compile(node.args[0], scope), compiler.compile(node.args[1], scope)]
  for (const [index, { type }] of [left, right].entries()) {
    const operand = node.args[index]
    if (operand !== undefined && !isAssignable(type, BOOL)) {
      compiler.fail(operand, `expected type 'bool' but found '${formatType(type)}'`)
    }
  }
  return { type: BOOL, run: either(left.run, right.run, node.op === '||') }
}

/** `deciding` is the operand's value that settles the result. */
function either(left: Run, right: Run, deciding: boolean): Run {
  return (frame) => {
    const first = attempt(left, frame)
    if (first === deciding) return deciding
    const second = attempt(right, frame)
    if (second === deciding) return deciding
    if (typeof first !== 'boolean') throw faultOf(first)
    if (typeof second !== 'boolean') throw faultOf(second)
    return !deciding
  }
}

function faultOf(outcome: CelValue | CelError): CelError {
  return outcome instanceof CelError ? outcome : noSuchOverload()
}

/** The value, or the fault that was met; running out of budget is no such fault. */
export function attempt(run: Run, frame: Frame): CelValue | CelError {
  try {
    return run(frame)
  } catch (error) {
    if (error instanceof CelError) return error
    throw error
  }
}

export function compileTernary(compiler: Compiler, node: Node & { op: '?:' }, scope: Scope): Compiled {
  const [condition, first, second] = node.args.map((part) => compiler.compile(part, scope))
  if (condition === undefined || first === undefined || second === undefined) return compiler.fail(node, 'incomplete')
  const type = joinTypes(first.type, second.type)
  if (type === undefined || !isAssignable(condition.type, BOOL)) {
    return noOverload(compiler, node, '_?_:_', [condition.type, first.type, second.type])
  }
  const run: Run = (frame) => {
    const choice = condition.run(frame)
    if (typeof choice !== 'boolean') throw noSuchOverload()
    return choice ? first.run(frame) : second.run(frame)
  }
  return { type, run }
}

function noOverload(compiler: Compiler, node: Node, name: string, types: readonly CelType[]): Compiled {
  const applied = types.map(formatType).join(', ')
  return compiler.fail(node, `found no matching overload for '${name}' applied to '(${applied})'`)
}

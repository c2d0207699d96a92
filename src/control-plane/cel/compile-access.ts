/** Fields and items: `a.b`, `a[b]`, their optional forms, and `has(a.b)`. */
import { CelError, noSuchOverload } from './cel-error.ts'
import { BOOL, type CelType, DYN, formatType, INT, isAssignable, isDynamic, itemOf, optionalOf } from './cel-type.ts'
import { type CelValue, ListValue, MapValue, NONE, ObjectValue, OptionalValue } from './cel-value.ts'
import type { Compiled, Compiler, Run, Scope } from './compiled.ts'
import type { Node } from './syntax.ts'

export function compileAccess(compiler: Compiler, node: Node & { op: '.' | '.?' }, scope: Scope): Compiled {
  const operand = compiler.compile(node.args[0], scope)
  const name = String(node.args[1])
  const unwrapped = operand.type.kind === 'optional' ? itemOf(operand.type) : operand.type
  const type = fieldType(compiler, node, unwrapped, name)
  const isOptional = node.op === '.?' || operand.type.kind === 'optional'
  if (isOptional) return { type: optionalOf(type), run: readOptional(operand.run, () => name) }
  return { type, run: readField(operand.run, name) }
}

function fieldType(compiler: Compiler, node: Node, type: CelType, name: string): CelType {
  if (isDynamic(type)) return DYN
  if (type.kind === 'map') return itemOf(type)
  if (type.kind !== 'object') {
    return compiler.fail(node, `type '${formatType(type)}' does not support field selection`).type
  }
  return type.fields?.get(name) ?? compiler.fail(node, `undefined field '${name}'`).type
}

function readField(operand: Run, name: string): Run {
  return (frame) => {
    const container = operand(frame)
    frame.meter.spend(1)
    const value = find(container, name)
    if (value === undefined) throw new CelError(`no such key: ${name}`)
    return value
  }
}

function readOptional(operand: Run, index: (frame: Parameters<Run>[0]) => CelValue): Run {
  return (frame) => {
    const container = operand(frame)
    const key = index(frame)
    frame.meter.spend(1)
    const inner = container instanceof OptionalValue ? container.value : container
    const value = inner === undefined ? undefined : find(inner, key)
    return value === undefined ? NONE : new OptionalValue(value)
  }
}

/** Undefined: there is no such field, key or item. */
function find(container: CelValue, key: CelValue): CelValue | undefined {
  if (container instanceof ObjectValue) return typeof key === 'string' ? container.get(key) : undefined
  if (container instanceof MapValue) return container.get(key)
  if (container instanceof OptionalValue) return findInside(container, key)
  if (container instanceof ListValue) return findItem(container, key)
  throw noSuchOverload()
}

function findInside({ value: inner }: OptionalValue, key: CelValue): CelValue {
  const value = inner === undefined ? undefined : find(inner, key)
  return value === undefined ? NONE : new OptionalValue(value)
}

function findItem({ items }: ListValue, key: CelValue): CelValue | undefined {
  const index = typeof key === 'number' && Number.isInteger(key) ? BigInt(key) : key
  if (typeof index !== 'bigint') throw noSuchOverload()
  return index < 0n ? undefined : items[Number(index)]
}

export function compileIndex(compiler: Compiler, node: Node & { op: '[]' | '[?]' }, scope: Scope): Compiled {
  const [operand, index] = [compiler.compile(node.args[0], scope), compiler.compile(node.args[1], scope)]
  const unwrapped = operand.type.kind === 'optional' ? itemOf(operand.type) : operand.type
  const type = itemType(unwrapped, index.type)
  if (type === undefined) {
    const applied = `${formatType(operand.type)}, ${formatType(index.type)}`
    const name = node.op === '[]' ? '_[_]' : '_[?_]'
    return compiler.fail(node, `found no matching overload for '${name}' applied to '(${applied})'`)
  }
  const isOptional = node.op === '[?]' || operand.type.kind === 'optional'
  if (isOptional) return { type: optionalOf(type), run: readOptional(operand.run, index.run) }
  return { type, run: readIndex(operand.run, index.run) }
}

function itemType(container: CelType, index: CelType): CelType | undefined {
  if (isDynamic(container)) return DYN
  if (container.kind === 'list') return isAssignable(index, INT) ? itemOf(container) : undefined
  if (container.kind !== 'map') return undefined
  return isAssignable(index, container.key ?? DYN) ? itemOf(container) : undefined
}

function readIndex(operand: Run, index: Run): Run {
  return (frame) => {
    const [container, key] = [operand(frame), index(frame)]
    frame.meter.spend(1)
    const value = find(container, key)
    if (value !== undefined) return value
    throw new CelError(
      container instanceof ListValue ? `index out of bounds: ${String(key)}` : `no such key: ${String(key)}`,
    )
  }
}

export function compileHas(compiler: Compiler, node: Node & { op: 'call' }, scope: Scope): Compiled {
  const [argument, ...others] = node.args[1]
  if (argument === undefined || others.length > 0 || argument.op !== '.') {
    return compiler.fail(argument ?? node, 'invalid argument to has() macro')
  }
  const operand = compiler.compile(argument.args[0], scope)
  const name = String(argument.args[1])
  const unwrapped = operand.type.kind === 'optional' ? itemOf(operand.type) : operand.type
  fieldType(compiler, node, unwrapped, name)
  const run: Run = (frame) => {
    const container = operand.run(frame)
    frame.meter.spend(1)
    const inner = container instanceof OptionalValue ? container.value : container
    return inner !== undefined && find(inner, name) !== undefined
  }
  return { type: BOOL, run }
}

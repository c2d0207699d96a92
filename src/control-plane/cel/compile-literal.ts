/** Constants, lists and maps. The items of a list, and the values of a map, are of one type. */
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DYN,
  formatType,
  INT,
  isAssignable,
  joinTypes,
  listOf,
  mapOf,
  NULL,
  STRING,
  UINT,
} from './cel-type.ts'
import { type CelValue, ListValue, MapValue, Uint } from './cel-value.ts'
import type { Compiled, Compiler, Scope } from './compiled.ts'
import { LITERAL_COSTS } from './cost.ts'
import type { Node } from './syntax.ts'

export function compileValue(value: unknown): Compiled {
  const constant = toConstant(value)
  return { type: typeOfConstant(constant), run: () => constant }
}

function toConstant(value: unknown): CelValue {
  if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) {
    return new Uint(BigInt(String(value)))
  }
  return value as CelValue
}

const LITERAL_TYPES: Readonly<Record<string, CelType>> = { bigint: INT, number: DOUBLE, string: STRING, boolean: BOOL }

function typeOfConstant(value: CelValue): CelType {
  if (value === null) return NULL
  if (value instanceof Uint) return UINT
  return LITERAL_TYPES[typeof value] ?? BYTES
}

export function compileList(compiler: Compiler, node: Node & { op: 'list' }, scope: Scope): Compiled {
  const items = node.args.map((item) => compiler.compile(item, scope))
  const type = commonType(compiler, node.args, items)
  return {
    type: listOf(type),
    run: (frame) => {
      frame.meter.spend(LITERAL_COSTS.list)
      return new ListValue(items.map((item) => item.run(frame)))
    },
  }
}

export function compileMap(compiler: Compiler, node: Node & { op: 'map' }, scope: Scope): Compiled {
  const keys = node.args.map(([key]) => compiler.compile(key, scope))
  const values = node.args.map(([, value]) => compiler.compile(value, scope))
  const keyType = commonType(
    compiler,
    node.args.map(([key]) => key),
    keys,
  )
  const valueType = commonType(
    compiler,
    node.args.map(([, value]) => value),
    values,
  )
  return {
    type: mapOf(keyType, valueType),
    run: (frame) => {
      frame.meter.spend(LITERAL_COSTS.map)
      return MapValue.of(keys.map((key, index) => [key.run(frame), values[index]?.run(frame) ?? null] as const))
    },
  }
}

function commonType(compiler: Compiler, nodes: readonly Node[], items: readonly Compiled[]): CelType {
  const [first, ...others] = items
  let common = first?.type ?? DYN
  for (const [index, { type }] of others.entries()) {
    const node = nodes[index + 1]
    if (node !== undefined && !isAssignable(type, common) && !compiler.allowsMixed) {
      compiler.fail(node, `expected type '${formatType(common)}' but found '${formatType(type)}'`)
    }
    common = joinTypes(common, type) ?? (compiler.allowsMixed ? DYN : common)
  }
  return common
}

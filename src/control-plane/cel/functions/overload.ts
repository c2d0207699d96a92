/** Functions of the expression language: one entry per signature, found by name and number of arguments. */
import { type CelType, parseType } from '../cel-type.ts'
import type { CelValue } from '../cel-value.ts'

export interface Overload {
  /** Types of the arguments; the receiver of a method comes first. */
  readonly args: readonly CelType[]
  readonly result: CelType
  readonly run: (...args: CelValue[]) => CelValue
}

/**
 * By signature: `size(string): int`, `string.charAt(int): string`, and `sets.contains(...)` for a function whose name has
 * a namespace. The handler takes what the signature says.
 */
export type FunctionTable = Readonly<Record<string, (...args: never[]) => CelValue>>

/** Names that only look like receivers. */
const NAMESPACES: ReadonlySet<string> = new Set(['sets', 'strings', 'optional', 'format', 'ip', 'math', 'lists'])

/** Key of a function: `name/2`, or `.name/2` for a method with one argument besides its receiver. */
export function functionKey(name: string, count: number, isMethod: boolean): string {
  return `${isMethod ? '.' : ''}${name}/${count}`
}

export type Functions = ReadonlyMap<string, readonly Overload[]>

export function collectFunctions(tables: readonly FunctionTable[]): Functions {
  const functions = new Map<string, Overload[]>()
  for (const table of tables) {
    for (const [signature, run] of Object.entries(table)) {
      const { key, args, result } = parseSignature(signature)
      const overload: Overload = { args, result, run: run as Overload['run'] }
      const known = functions.get(key)
      if (known === undefined) functions.set(key, [overload])
      else known.push(overload)
    }
  }
  return functions
}

const SIGNATURE = /^(?:([\w.<>, ]+)\.)?([^().\s]+)\(([^)]*)\): (.+)$/

function parseSignature(signature: string): { key: string; args: CelType[]; result: CelType } {
  const [, before, name = '', list = '', result = ''] = SIGNATURE.exec(signature) ?? []
  const texts = splitArguments(list)
  const isMethod = before !== undefined && !NAMESPACES.has(before)
  const fullName = before === undefined || isMethod ? name : `${before}.${name}`
  const args = (isMethod ? [before, ...texts] : texts).map(parseType)
  return { key: functionKey(fullName, args.length, isMethod), args, result: parseType(result) }
}

/** At the commas outside of angle brackets. */
function splitArguments(list: string): string[] {
  if (list === '') return []
  return list.split(/,(?![^<]*>)/).map((text) => text.trim())
}

/** Arguments that are written out are judged when the expression is compiled, not at every evaluation. */
import { CelError } from './cel-error.ts'
import type { CelValue } from './cel-value.ts'
import type { Compiler } from './compiled.ts'
import { compileRegex } from './functions/regex.ts'
import type { Node } from './syntax.ts'
import { parseDuration, parseTimestamp } from './time-text.ts'

const CHECKS: Readonly<Record<string, (text: string) => boolean>> = {
  matches: (text) => problemIn(() => compileRegex(text)) === undefined,
  duration: (text) => parseDuration(text) !== undefined,
  timestamp: (text) => parseTimestamp(text) !== undefined,
}

/** `parts` are the call's arguments without the receiver. */
export function checkConstants(compiler: Compiler, name: string, parts: readonly Node[]): void {
  const last = parts.at(-1)
  const check = CHECKS[name]
  if (last === undefined || check === undefined || last.op !== 'value') return
  const text: unknown = last.args
  if (typeof text === 'string' && !check(text)) compiler.fail(last, `invalid ${name} argument`)
}

const FOLDED: ReadonlySet<string> = new Set(['int', 'uint', 'double', 'bool'])

/** The fault of a conversion of a constant, if it has one. */
export function faultOfConstant(name: string, parts: readonly Node[], run: () => CelValue): string | undefined {
  const [part, ...others] = parts
  if (!FOLDED.has(name) || part === undefined || others.length > 0 || !isConstant(part)) return undefined
  return problemIn(run)
}

function isConstant(node: Node): boolean {
  return node.op === 'value' || (node.op === '-_' && node.args.op === 'value')
}

/** The message of the fault that was met. */
function problemIn(run: () => unknown): string | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    if (error instanceof CelError) return error.message
    throw error
  }
}

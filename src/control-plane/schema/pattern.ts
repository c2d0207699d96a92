/** Patterns are RE2 (as in Go): linear time, no backreferences or look-around. The engine is loaded on first use. */
import { compileRe2, remembering } from '../re2.ts'

const MAX_COMPILED = 2000

export interface CompiledPattern {
  /** Whether the pattern occurs anywhere in the text. */
  matches(text: string): boolean
  /** Why the pattern cannot be compiled, if so; then nothing matches. */
  readonly problem?: string
}

export const compilePattern: (pattern: string) => CompiledPattern = remembering(MAX_COMPILED, compile)

function compile(pattern: string): CompiledPattern {
  try {
    const regex = compileRe2(pattern)
    return { matches: (text) => regex.matcher(text).find() }
  } catch (error) {
    return { matches: () => false, problem: error instanceof Error ? error.message : String(error) }
  }
}

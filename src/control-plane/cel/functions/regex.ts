/** Patterns of rules are RE2: time linear in the text, whatever the pattern. */
import type { RE2JS } from 're2js'
import { compileRe2, remembering } from '../../re2.ts'
import { CelError } from '../cel-error.ts'

const MAX_COMPILED = 500

/** @throws CelError */
export const compileRegex: (pattern: string) => RE2JS = remembering(MAX_COMPILED, compile)

function compile(pattern: string): RE2JS {
  try {
    return compileRe2(pattern)
  } catch (error) {
    throw new CelError(error instanceof Error ? error.message : String(error))
  }
}

/** Patterns of rules are RE2: time linear in the text, whatever the pattern. */
import { createRequire } from 'node:module'
import type { RE2JS } from 're2js'
import { CelError } from '../cel-error.ts'

interface Engine {
  readonly RE2JS: { compile(pattern: string): RE2JS }
}

const require = createRequire(import.meta.url)

const compiled = new Map<string, RE2JS>()
const MAX_COMPILED = 500

/** @throws CelError */
export function compileRegex(pattern: string): RE2JS {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  const fresh = compile(pattern)
  const oldest = compiled.size >= MAX_COMPILED ? compiled.keys().next().value : undefined
  if (oldest !== undefined) compiled.delete(oldest)
  compiled.set(pattern, fresh)
  return fresh
}

/** The engine is loaded with the first pattern. */
function compile(pattern: string): RE2JS {
  const { RE2JS: engine } = require('re2js') as Engine
  try {
    return engine.compile(pattern)
  } catch (error) {
    throw new CelError(error instanceof Error ? error.message : String(error))
  }
}

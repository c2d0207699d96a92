/** Patterns are RE2 (as in Go): linear time, no backreferences or look-around. The engine is loaded on first use. */
import { createRequire } from 'node:module'
import type { RE2JS } from 're2js'

interface Engine {
  readonly RE2JS: { compile(pattern: string): RE2JS }
}

const require = createRequire(import.meta.url)

/** Compiled patterns, oldest first. CRDs come and go, so the cache is bounded. */
const compiled = new Map<string, CompiledPattern>()
const MAX_COMPILED = 2000

export interface CompiledPattern {
  /** Whether the pattern occurs anywhere in the text. */
  matches(text: string): boolean
  /** Why the pattern cannot be compiled, if so; then nothing matches. */
  readonly problem?: string
}

export function compilePattern(pattern: string): CompiledPattern {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  const fresh = compile(pattern)
  const oldest = compiled.size >= MAX_COMPILED ? compiled.keys().next().value : undefined
  if (oldest !== undefined) compiled.delete(oldest)
  compiled.set(pattern, fresh)
  return fresh
}

function compile(pattern: string): CompiledPattern {
  const { RE2JS: engine } = require('re2js') as Engine
  try {
    const regex = engine.compile(pattern)
    return { matches: (text) => regex.matcher(text).find() }
  } catch (error) {
    return { matches: () => false, problem: error instanceof Error ? error.message : String(error) }
  }
}

/** RE2 (as in Go) for patterns of schemas and of rules: time linear in the text. The engine is loaded with the first pattern. */
import { createRequire } from 'node:module'
import type { RE2JS } from 're2js'

interface Engine {
  readonly RE2JS: { compile(pattern: string): RE2JS }
}

const require = createRequire(import.meta.url)

/** Throws what the engine throws for a pattern that it cannot compile. */
export function compileRe2(pattern: string): RE2JS {
  const { RE2JS: engine } = require('re2js') as Engine
  return engine.compile(pattern)
}

/** Remembers up to `limit` results, the oldest going first. CRDs come and go, so what is compiled for them must not pile up. */
export function remembering<Result>(limit: number, make: (pattern: string) => Result): (pattern: string) => Result {
  const made = new Map<string, Result>()
  return (pattern) => {
    const known = made.get(pattern)
    if (known !== undefined) return known
    const fresh = make(pattern)
    const oldest = made.size >= limit ? made.keys().next().value : undefined
    if (oldest !== undefined) made.delete(oldest)
    made.set(pattern, fresh)
    return fresh
  }
}

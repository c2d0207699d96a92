/**
 * Findings of one schema node. `matchCount` counts the checks that ran; it picks which branch of an `anyOf` or `oneOf`
 * explains a failure best, as the real server does.
 */
import type { FieldError } from './schema.ts'

/** No more findings than this are kept, so that a hostile value cannot make a huge answer. */
const MAX_FINDINGS = 1000

export class ValidationResult {
  readonly errors: FieldError[] = []
  matchCount = 0
  /** Made with the first finding: nearly all values have none. */
  #seen: Set<string> | undefined

  get isValid(): boolean {
    return this.errors.length === 0
  }

  add(...errors: readonly FieldError[]): void {
    for (const error of errors) {
      const key = `${error.field}\n${error.message}`
      this.#seen ??= new Set()
      if (this.#seen.has(key) || this.errors.length >= MAX_FINDINGS) continue
      this.#seen.add(key)
      this.errors.push(error)
    }
  }

  /** Drops the findings, not the count of checks. */
  forget(): void {
    this.errors.length = 0
    this.#seen = undefined
  }

  merge(other: ValidationResult): void {
    this.add(...other.errors)
    this.matchCount += other.matchCount
  }
}

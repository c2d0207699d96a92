/**
 * Findings of one schema node. `matchCount` counts the checks that ran; it picks which branch of an `anyOf` or `oneOf`
 * explains a failure best, as the real server does.
 */
import type { FieldError } from './schema.ts'

/** No more findings than this are kept, so that a hostile value cannot make a huge answer. */
const MAX_FINDINGS = 1000

const NONE: readonly FieldError[] = []

export class ValidationResult {
  matchCount = 0
  /** Made with the first finding: nearly all values have none. */
  #errors: Map<string, FieldError> | undefined

  get errors(): readonly FieldError[] {
    return this.#errors === undefined ? NONE : [...this.#errors.values()]
  }

  get isValid(): boolean {
    return this.#errors === undefined
  }

  /** A finding that is there already is not repeated. */
  add(...errors: readonly FieldError[]): void {
    for (const error of errors) {
      this.#errors ??= new Map()
      const key = `${error.field}\n${error.message}`
      if (!this.#errors.has(key) && this.#errors.size < MAX_FINDINGS) this.#errors.set(key, error)
    }
  }

  /** Drops the findings, not the count of checks. */
  forget(): void {
    this.#errors = undefined
  }

  merge(other: ValidationResult): void {
    if (!other.isValid) this.add(...other.errors)
    this.matchCount += other.matchCount
  }
}

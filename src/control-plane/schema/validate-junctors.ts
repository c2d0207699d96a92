/** `anyOf`, `oneOf`, `allOf`, `not`. A failed junctor reports itself and the findings of its best branch. */
import { invalidError, quoteGo } from './field-error.ts'
import type { Schema } from './schema.ts'
import { NO_FIELD } from './validate-scalar.ts'
import { ValidationResult } from './validation-result.ts'

export function hasJunctors(schema: Schema): boolean {
  return (
    schema.anyOf !== undefined || schema.oneOf !== undefined || schema.allOf !== undefined || schema.not !== undefined
  )
}

export type ValidateBranch = (branch: Schema) => ValidationResult

/** `validate` checks the value, whose name in messages is `name`, against one branch. */
export function checkJunctors(schema: Schema, validate: ValidateBranch, name: string): ValidationResult {
  const result = new ValidationResult()
  const fail = (text: string): void => result.add(invalidError(NO_FIELD, '', `${quoteGo(name)} ${text}`))
  const junction: Junction = { result, validate, fail }
  if (schema.anyOf !== undefined && schema.anyOf.length > 0) checkAnyOf(schema.anyOf, junction)
  if (schema.oneOf !== undefined && schema.oneOf.length > 0) checkOneOf(schema.oneOf, junction)
  if (schema.allOf !== undefined && schema.allOf.length > 0) checkAllOf(schema.allOf, junction)
  if (schema.not !== undefined && validate(schema.not).isValid) fail('must not validate the schema (not)')
  result.matchCount++
  return result
}

interface Junction {
  readonly result: ValidationResult
  readonly validate: ValidateBranch
  readonly fail: (text: string) => void
}

function checkAnyOf(branches: readonly Schema[], { result, validate, fail }: Junction): void {
  let best: ValidationResult | undefined
  for (const branch of branches) {
    const outcome = validate(branch)
    if (outcome.isValid) {
      result.merge(outcome)
      return
    }
    if (best === undefined || outcome.matchCount > best.matchCount) best = outcome
  }
  fail('must validate at least one schema (anyOf)')
  if (best !== undefined) result.merge(best)
}

function checkOneOf(branches: readonly Schema[], { result, validate, fail }: Junction): void {
  const outcomes = branches.map(validate)
  const valid = outcomes.filter((outcome) => outcome.isValid)
  const only = valid[0]
  if (only === undefined) {
    fail('must validate one and only one schema (oneOf). Found none valid')
    const best = outcomes.reduce((left, right) => (right.matchCount > left.matchCount ? right : left))
    result.merge(best)
  } else if (valid.length > 1) {
    fail(`must validate one and only one schema (oneOf). Found ${valid.length} valid alternatives`)
  } else {
    result.merge(only)
  }
}

function checkAllOf(branches: readonly Schema[], { result, validate, fail }: Junction): void {
  const outcomes = branches.map(validate)
  for (const outcome of outcomes) result.merge(outcome)
  const validCount = outcomes.filter((outcome) => outcome.isValid).length
  if (validCount === branches.length) return
  fail(`must validate all the schemas (allOf)${validCount === 0 ? '. None validated' : ''}`)
}

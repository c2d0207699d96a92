/** One rule on one value: the finding, if any, as the real server words it. */
import { duplicateError, forbiddenError, invalidError, requiredError } from '../schema/field-error.ts'
import type { FieldError, Schema, ValidationRule } from '../schema/schema.ts'
import { CelCostError, CelError } from './cel-error.ts'
import { type CelValue, NONE, OptionalValue } from './cel-value.ts'
import type { Expression } from './compile-expression.ts'
import type { CostMeter } from './cost.ts'
import { joinFieldPath } from './field-path.ts'
import type { CompiledRule } from './schema-rules.ts'

export interface Subject {
  /** The value as JSON. */
  readonly value: unknown
  readonly self: CelValue
  /** Undefined: there was none, or it cannot be told. */
  readonly oldSelf: CelValue | undefined
  readonly path: string
  readonly schema: Schema
}

export interface Verdict {
  readonly error?: FieldError
  /** The request's rules are over: nothing further is evaluated. */
  readonly isFinal?: true
  /** The rule could not be evaluated. */
  readonly isFault?: true
}

const PASSED: Verdict = {}

export function judge(compiled: CompiledRule, subject: Subject, meter: CostMeter): Verdict {
  const { rule, expression } = compiled
  const type = typeOf(subject)
  if (expression === undefined) {
    return {
      error: invalidError(subject.path, type, `rule compile error: compilation failed: ${ruleText(rule)}`),
      isFault: true,
    }
  }
  const outcome = run(expression, compiled, subject, meter)
  if (outcome === true) return PASSED
  if (outcome instanceof CelCostError) return outOfBudget(rule, subject, type)
  if (outcome instanceof CelError)
    return { error: invalidError(subject.path, type, problemOf(outcome, rule)), isFault: true }
  const path = rule.fieldPath === undefined ? subject.path : joinFieldPath(subject.path, rule.fieldPath)
  const message = messageOf(compiled, subject, meter)
  if (message instanceof CelCostError) return outOfBudget(rule, subject, type)
  return { error: findingOf(rule, path, subject.value, message) }
}

type Outcome = CelValue | CelError | CelCostError

function run(expression: Expression, compiled: CompiledRule, subject: Subject, meter: CostMeter): Outcome {
  try {
    return expression.evaluate({ self: subject.self, oldSelf: oldSelfOf(compiled, subject) }, meter)
  } catch (error) {
    if (error instanceof CelError || error instanceof CelCostError) return error
    throw error
  }
}

function oldSelfOf({ isOldSelfOptional }: CompiledRule, { oldSelf }: Subject): CelValue | undefined {
  if (!isOldSelfOptional) return oldSelf
  return oldSelf === undefined ? NONE : new OptionalValue(oldSelf)
}

/** What findings show instead of the value: it may be large. */
function typeOf({ schema }: Subject): string {
  return schema.type ?? ''
}

function ruleText({ rule, message }: ValidationRule): string {
  return message === undefined || message === '' ? rule.trim() : message.trim()
}

function problemOf(error: CelError, rule: ValidationRule): string {
  if (error.code === 'evaluation') return `${error.message} evaluating rule: ${ruleText(rule)}`
  return (
    `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ` +
    ruleText(rule)
  )
}

function outOfBudget(rule: ValidationRule, { path }: Subject, type: string): Verdict {
  const problem = 'no further validation rules will be run due to call cost exceeds limit for rule'
  const detail = `'operation cancelled: actual cost limit exceeded': ${problem}: ${ruleText(rule)}`
  return { error: invalidError(path, type, detail), isFinal: true }
}

/** A message that cannot be computed, or is not one line of text, gives way to the fixed one. */
function messageOf(compiled: CompiledRule, subject: Subject, meter: CostMeter): string | CelCostError {
  const { rule, messageExpression } = compiled
  const fallback =
    rule.message === undefined || rule.message === '' ? `failed rule: ${rule.rule.trim()}` : rule.message.trim()
  if (messageExpression === undefined) return fallback
  const outcome = run(messageExpression, compiled, subject, meter)
  if (outcome instanceof CelCostError) return outcome
  if (typeof outcome !== 'string') return fallback
  const text = outcome.trim()
  return text === '' || text.length > MAX_MESSAGE || /[\n\r]/.test(text) ? fallback : text
}

/** [k8s: messageExpression] */
const MAX_MESSAGE = 5120

/** Findings show scalars; objects and lists may be large. */
function findingOf({ reason }: ValidationRule, path: string, value: unknown, message: string): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbiddenError(path, message)
    case 'FieldValueRequired':
      return requiredError(path, message)
    case 'FieldValueDuplicate':
      return isScalar(value)
        ? duplicateError(path, value)
        : { reason: 'FieldValueDuplicate', field: path, message: 'Duplicate value' }
    default:
      return isScalar(value)
        ? invalidError(path, value, message)
        : { reason: 'FieldValueInvalid', field: path, message: `Invalid value: ${message}` }
  }
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object'
}

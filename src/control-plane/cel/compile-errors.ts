/** Do the rules of a definition's schema compile, can they have what they ask for, and may they cost that? */
import { childPath, indexPath, invalidError, keyPath } from '../schema/field-error.ts'
import { isObject, type JsonObject } from '../schema/json.ts'
import type { FieldError, Schema, ValidationRule } from '../schema/schema.ts'
import { BOOL, type CelType, isAssignable, isDynamic, STRING } from './cel-type.ts'
import { type Compilation, compileExpression, type Parts } from './compile-expression.ts'
import { CostBudget } from './cost-limits.ts'
import { declareType } from './declare.ts'
import { estimateCost } from './estimate-cost.ts'
import { variablesOf } from './schema-rules.ts'
import { exposedSchema, maxOccurrences, maxParts } from './schema-size.ts'
import { product } from './size.ts'
import { formatIssues } from './syntax.ts'

/**
 * `path` is where the schema is: `spec.versions[0].schema.openAPIV3Schema`. Its form must have been checked.
 * Findings come in the order of the schema, what is within before what is around. `isKept`: see `validateRuleTexts`.
 */
export function compileErrors(schema: JsonObject, path: string, isKept = false): FieldError[] {
  const budget = new CostBudget(isKept)
  const found = checkNode(schema as Schema, { path, isRoot: true, uncorrelatable: undefined, occurrences: 1, budget })
  return [...found, ...budget.total(path)]
}

interface At {
  readonly path: string
  readonly isRoot: boolean
  /** The place above which old and new values cannot be told to be the same. */
  readonly uncorrelatable: string | undefined
  /** How many values there can be here at most; undefined: as many as fit into a request. */
  readonly occurrences: number | undefined
  readonly budget: CostBudget
}

function checkNode(schema: Schema, at: At): FieldError[] {
  return [...childrenOf(schema, at), ...checkRules(schema, at)]
}

function childrenOf(schema: Schema, at: At): FieldError[] {
  const { items, additionalProperties: rest, properties } = schema
  const path = (name: string): string => childPath(at.path, name)
  const parts = maxParts(schema)
  const occurrences = at.occurrences === undefined || parts === undefined ? undefined : product(at.occurrences, parts)
  const inner = (place: string, splits = false): At => ({
    path: place,
    isRoot: false,
    uncorrelatable: at.uncorrelatable ?? (splits ? at.path : undefined),
    occurrences,
    budget: at.budget,
  })
  const isListMap = schema['x-kubernetes-list-type'] === 'map'
  return [
    ...(isObject(rest) ? checkNode(rest, inner(path('additionalProperties'))) : []),
    ...Object.entries(properties ?? {}).flatMap(([name, property]) =>
      checkNode(property, inner(keyPath(path('properties'), name))),
    ),
    ...(items === undefined ? [] : checkNode(items, inner(path('items'), !isListMap))),
  ]
}

/** Rules of one schema, and what they are checked against. */
interface Subject {
  readonly schema: Schema
  readonly type: CelType
  readonly at: At
}

function checkRules(schema: Schema, at: At): FieldError[] {
  const rules = schema['x-kubernetes-validations'] ?? []
  const type = rules.length === 0 ? undefined : declareType(schema, at.isRoot || undefined)
  if (type === undefined) return []
  const subject = { schema: exposedSchema(schema, at.isRoot), type, at }
  return rules.flatMap((rule, index) => checkRule(rule, subject, indexPath(childPath(at.path, RULES), index)))
}

const RULES = 'x-kubernetes-validations'

function checkRule(rule: ValidationRule, subject: Subject, path: string): FieldError[] {
  const { schema, type, at } = subject
  const parts: Parts = { types: new Map() }
  const result = compileExpression(rule.rule, variablesOf(rule, type), parts)
  const problem = problemOf(rule.rule, result, BOOL, 'cel expression must evaluate to a bool')
  const field = childPath(path, 'rule')
  const cost = problem === undefined ? product(costOf(parts, schema), at.occurrences ?? maxOccurrences(schema)) : 0
  return [
    ...at.budget.add(field, 'rule', cost),
    ...(problem === undefined ? [] : [ruleError(field, rule, problem)]),
    // Whoever wrote a rule that does not compile is told that first.
    ...(problem === undefined ? checkMessage(rule, subject, path) : []),
    ...checkOldSelf(rule, usesOldSelf(result), at, path),
  ]
}

function costOf({ root, types }: Parts, schema: Schema): number {
  return root === undefined ? 0 : estimateCost({ root, types }, schema)
}

function usesOldSelf(result: Compilation): boolean {
  return result.ok && result.expression.mentions.has('oldSelf')
}

function checkMessage(rule: ValidationRule, { schema, type, at }: Subject, path: string): FieldError[] {
  const text = rule.messageExpression ?? ''
  if (text === '') return []
  const parts: Parts = { types: new Map() }
  const result = compileExpression(text, variablesOf(rule, type), parts)
  const problem = problemOf(text, result, STRING, 'must evaluate to a string')
  const field = childPath(path, 'messageExpression')
  if (problem !== undefined) return [ruleError(field, rule, `messageExpression ${problem}`)]
  // Only the first message is made for a rule, however many values there are.
  return at.budget.add(field, 'messageExpression', costOf(parts, schema))
}

function checkOldSelf(rule: ValidationRule, isUsed: boolean, { uncorrelatable }: At, path: string): FieldError[] {
  if (!isUsed) {
    if (rule.optionalOldSelf === undefined) return []
    const unused = 'may not be set if oldSelf is not used in rule'
    return [invalidError(childPath(path, 'optionalOldSelf'), rule.optionalOldSelf, unused)]
  }
  if (uncorrelatable === undefined) return []
  const problem = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`
  return [invalidError(childPath(path, 'rule'), rule.rule, problem)]
}

function problemOf(text: string, result: Compilation, wanted: CelType, wrongType: string): string | undefined {
  if (!result.ok) {
    return result.always === undefined
      ? `compilation failed: ${formatIssues(text, result.issues)}`
      : `program instantiation failed: ${result.always}`
  }
  const { type } = result.expression
  return isAssignable(type, wanted) && !isDynamic(type) ? undefined : wrongType
}

/** The finding shows every field of the rule, in this order. */
function ruleError(path: string, rule: ValidationRule, detail: string): FieldError {
  const shown = {
    Rule: rule.rule,
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  }
  const text = JSON.stringify(shown).replace(/[<>&\u2028\u2029]/g, escapeUnicode)
  return { reason: 'FieldValueInvalid', field: path, message: `Invalid value: ${text}: ${detail}` }
}

function escapeUnicode(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Do the rules of a definition's schema compile, and can they have what they ask for? Order as in the schema. */
import { childPath, indexPath, invalidError, keyPath } from '../schema/field-error.ts'
import { isObject, type JsonObject } from '../schema/json.ts'
import type { FieldError, Schema, ValidationRule } from '../schema/schema.ts'
import { BOOL, type CelType, isAssignable, isDynamic, STRING } from './cel-type.ts'
import { type Compilation, compileExpression } from './compile-expression.ts'
import { declareType } from './declare.ts'
import { variablesOf } from './schema-rules.ts'
import { formatIssues } from './syntax.ts'

/** `path` is where the schema is: `spec.versions[0].schema.openAPIV3Schema`. Its form must have been checked. */
export function compileErrors(schema: JsonObject, path: string): FieldError[] {
  return checkNode(schema as Schema, { path, isRoot: true, uncorrelatable: undefined })
}

interface At {
  readonly path: string
  readonly isRoot: boolean
  /** The place above which old and new values cannot be told to be the same. */
  readonly uncorrelatable: string | undefined
}

function checkNode(schema: Schema, at: At): FieldError[] {
  return [...childrenOf(schema, at), ...checkRules(schema, at)]
}

function childrenOf(schema: Schema, at: At): FieldError[] {
  const { items, additionalProperties: rest, properties } = schema
  const path = (name: string): string => childPath(at.path, name)
  const inner = (place: string, splits = false): At => ({
    path: place,
    isRoot: false,
    uncorrelatable: at.uncorrelatable ?? (splits ? at.path : undefined),
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

function checkRules(schema: Schema, at: At): FieldError[] {
  const rules = schema['x-kubernetes-validations'] ?? []
  const type = rules.length === 0 ? undefined : declareType(schema, at.isRoot || undefined)
  if (type === undefined) return []
  return rules.flatMap((rule, index) => checkRule(rule, type, at, indexPath(childPath(at.path, RULES), index)))
}

const RULES = 'x-kubernetes-validations'

function checkRule(rule: ValidationRule, type: CelType, at: At, path: string): FieldError[] {
  const variables = variablesOf(rule, type)
  const result = compileExpression(rule.rule, variables)
  const problem = problemOf(rule.rule, result, BOOL, 'cel expression must evaluate to a bool')
  const message = rule.messageExpression ?? ''
  return [
    ...(problem === undefined ? [] : [ruleError(childPath(path, 'rule'), rule, problem)]),
    // Whoever wrote a rule that does not compile is told that first.
    ...(problem === undefined && message !== '' ? checkMessage(rule, message, variables, path) : []),
    ...checkOldSelf(rule, usesOldSelf(result), at, path),
  ]
}

function usesOldSelf(result: Compilation): boolean {
  return result.ok && result.expression.mentions.has('oldSelf')
}

function checkMessage(
  rule: ValidationRule,
  text: string,
  variables: Readonly<Record<string, CelType>>,
  path: string,
): FieldError[] {
  const problem = problemOf(text, compileExpression(text, variables), STRING, 'must evaluate to a string')
  const field = childPath(path, 'messageExpression')
  return problem === undefined ? [] : [ruleError(field, rule, `messageExpression ${problem}`)]
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

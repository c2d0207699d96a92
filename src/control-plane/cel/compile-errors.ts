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
    uncorrelatable: at.uncorrelatable ?? (splits ? place : undefined),
  })
  const isAtomicMap = schema['x-kubernetes-map-type'] === 'atomic'
  const isListMap = schema['x-kubernetes-list-type'] === 'map'
  return [
    ...(isObject(rest) ? checkNode(rest, inner(path('additionalProperties'), isAtomicMap)) : []),
    ...Object.entries(properties ?? {}).flatMap(([name, property]) =>
      checkNode(property, inner(keyPath(path('properties'), name), isAtomicMap)),
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
  const problem = problemOf(rule.rule, result, BOOL, 'must evaluate to a bool')
  const rulePath = childPath(path, 'rule')
  const errors = problem === undefined ? [] : [invalidError(rulePath, printRule(rule), problem)]
  return [
    ...errors,
    ...checkMessage(rule, variables, childPath(path, 'messageExpression')),
    ...(result.ok && result.expression.mentions.has('oldSelf') ? checkOldSelf(rule, at, rulePath) : []),
  ]
}

function checkMessage(rule: ValidationRule, variables: Readonly<Record<string, CelType>>, path: string): FieldError[] {
  const text = rule.messageExpression
  if (text === undefined || text === '') return []
  const problem = problemOf(text, compileExpression(text, variables), STRING, 'must evaluate to a string')
  return problem === undefined ? [] : [invalidError(path, printRule(rule), `messageExpression ${problem}`)]
}

function checkOldSelf(rule: ValidationRule, { uncorrelatable }: At, path: string): FieldError[] {
  if (uncorrelatable === undefined) return []
  const problem = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`
  return [invalidError(path, rule.rule, problem)]
}

function problemOf(text: string, result: Compilation, wanted: CelType, wrongType: string): string | undefined {
  if (!result.ok) return `compilation failed: ${formatIssues(text, result.issues)}`
  const { type } = result.expression
  return isAssignable(type, wanted) && !isDynamic(type) ? undefined : wrongType
}

/** All fields, as the finding shows the rule. */
function printRule(rule: ValidationRule): unknown {
  return rule
}

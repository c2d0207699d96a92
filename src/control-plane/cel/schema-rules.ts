/** The rules of one schema, compiled when they are first needed and once for as long as the schema is in use. */
import type { Schema, ValidationRule } from '../schema/schema.ts'
import { BOOL, type CelType, optionalOf } from './cel-type.ts'
import { compileExpression, type Expression } from './compile-expression.ts'
import { declareType } from './declare.ts'

export interface CompiledRule {
  readonly rule: ValidationRule
  /** Undefined: it does not compile, which the definition's validation has let pass (it was stored before). */
  readonly expression: Expression | undefined
  readonly messageExpression: Expression | undefined
  /** A transition rule. */
  readonly usesOldSelf: boolean
  readonly isOldSelfOptional: boolean
}

const compiled = new WeakMap<Schema, readonly CompiledRule[]>()
const NO_RULES: readonly CompiledRule[] = []

export function compiledRules(schema: Schema, isRoot: boolean): readonly CompiledRule[] {
  const rules = schema['x-kubernetes-validations']
  if (rules === undefined) return NO_RULES
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const type = declareType(schema, isRoot || undefined)
  const fresh = type === undefined ? NO_RULES : rules.map((rule) => compileRule(rule, type))
  compiled.set(schema, fresh)
  return fresh
}

/** The names that a rule may use. */
export function variablesOf(rule: ValidationRule, type: CelType): Readonly<Record<string, CelType>> {
  return { self: type, oldSelf: rule.optionalOldSelf === true ? optionalOf(type) : type }
}

function compileRule(rule: ValidationRule, type: CelType): CompiledRule {
  const variables = variablesOf(rule, type)
  const expression = expressionOf(rule.rule, variables)
  return {
    rule,
    expression: expression?.type.kind === BOOL.kind ? expression : undefined,
    messageExpression:
      rule.messageExpression === undefined ? undefined : expressionOf(rule.messageExpression, variables),
    usesOldSelf: expression?.mentions.has('oldSelf') ?? false,
    isOldSelfOptional: rule.optionalOldSelf === true,
  }
}

function expressionOf(text: string, variables: Readonly<Record<string, CelType>>): Expression | undefined {
  const result = compileExpression(text, variables)
  return result.ok ? result.expression : undefined
}

/**
 * Evaluates the rules of a schema (`x-kubernetes-validations`) on a value, from the outside in, fields in the order of
 * the schema. A rule with `oldSelf` runs where the value that was before can be told; what an update has left as it
 * was need not satisfy other rules. [doc: CRD validation rules, transition rules, validation ratcheting]
 */
import { type Correlated, correlateField, isUnchanged, itemCorrelator } from '../schema/correlate.ts'
import { childPath, indexPath, keyPath } from '../schema/field-error.ts'
import { isObject, type JsonObject, MAX_DEPTH, own } from '../schema/json.ts'
import type { FieldError, Schema } from '../schema/schema.ts'
import type { CelValue } from './cel-value.ts'
import { CALL_COST_LIMIT, CostMeter, REQUEST_COST_LIMIT, REQUEST_TIME_LIMIT_MS } from './cost.ts'
import { hasRulesBelow } from './has-rules.ts'
import { judge, type Subject } from './judge.ts'
import { type CompiledRule, compiledRules } from './schema-rules.ts'
import { toCelValue } from './values.ts'

export interface RuleRequest {
  /** Of the whole resource. */
  readonly schema: Schema
  readonly value: unknown
  /** What an update replaces. */
  readonly old?: unknown
}

/** Findings of every rule. After one that ran out of budget there are no more. */
export function evaluateRules({ schema, value, old }: RuleRequest): FieldError[] {
  if (!hasRulesBelow(schema)) return []
  const walk: Walk = {
    errors: [],
    remaining: REQUEST_COST_LIMIT,
    deadline: performance.now() + REQUEST_TIME_LIMIT_MS,
  }
  const correlated = old === undefined ? undefined : { value: old, schema }
  visit(walk, { schema, value, old: correlated, path: '', isRoot: true, depth: 0, isKept: false })
  return walk.errors
}

interface Walk {
  readonly errors: FieldError[]
  /** Budget left for the request; negative: exhausted. */
  remaining: number
  readonly deadline: number
}

interface Place {
  readonly schema: Schema
  readonly value: unknown
  readonly old: Correlated | undefined
  readonly path: string
  readonly isRoot: boolean
  readonly depth: number
  /** The nearest value around that corresponds to an old one has not changed. */
  readonly isKept: boolean
}

function visit(walk: Walk, place: Place): void {
  if (place.value === null || place.value === undefined || place.depth > MAX_DEPTH) return
  if (!hasRulesBelow(place.schema)) return
  const isKept = place.old === undefined ? place.isKept : isUnchanged(place.value, place.old)
  applyRules(walk, place, isKept)
  if (walk.remaining < 0) return
  if (Array.isArray(place.value)) visitItems(walk, { ...place, isKept }, place.value)
  else if (isObject(place.value)) visitFields(walk, { ...place, isKept }, place.value)
}

function applyRules(walk: Walk, place: Place, isKept: boolean): void {
  const rules = compiledRules(place.schema, place.isRoot)
  if (rules.length === 0) return
  const subject = subjectAt(place)
  for (const rule of rules) {
    if (!isSkipped(rule, subject)) applyRule(walk, rule, subject, isKept)
    if (walk.remaining < 0) return
  }
}

function applyRule(walk: Walk, rule: CompiledRule, subject: Subject, isKept: boolean): void {
  const meter = new CostMeter(Math.min(CALL_COST_LIMIT, walk.remaining), walk.deadline)
  const { error, isFinal, isFault } = judge(rule, subject, meter)
  walk.remaining = isFinal ? -1 : walk.remaining - meter.spent
  const isForgiven = isKept && !rule.usesOldSelf && isFault !== true
  if (error !== undefined && !isForgiven) walk.errors.push(error)
}

function subjectAt({ schema, value, old, path, isRoot }: Place): Subject {
  const convert = (part: unknown): CelValue => toCelValue(part, schema, isRoot || undefined)
  const oldSelf = old === undefined || old.value === null ? undefined : convert(old.value)
  return { self: convert(value), oldSelf, path, schema, value }
}

function isSkipped(rule: CompiledRule, { oldSelf }: Subject): boolean {
  return rule.usesOldSelf && oldSelf === undefined && !rule.isOldSelfOptional
}

function visitItems(walk: Walk, place: Place, value: readonly unknown[]): void {
  const { items } = place.schema
  if (items === undefined) return
  const correlate = itemCorrelator(place.old)
  for (const [index, item] of value.entries()) {
    visit(walk, inside(place, items, { value: item, old: correlate(item), path: indexPath(place.path, index) }))
    if (walk.remaining < 0) return
  }
}

function visitFields(walk: Walk, place: Place, value: JsonObject): void {
  for (const { key, schema, path } of fieldsOf(place, value)) {
    visit(walk, inside(place, schema, { value: value[key], old: correlateField(place.old, key), path }))
    if (walk.remaining < 0) return
  }
}

interface FieldPlace {
  readonly key: string
  readonly schema: Schema
  readonly path: string
}

function fieldsOf({ schema, path }: Place, value: JsonObject): FieldPlace[] {
  const fields: FieldPlace[] = []
  for (const key of Object.keys(schema.properties ?? {})) {
    const property = own(schema.properties, key)
    if (property !== undefined && Object.hasOwn(value, key)) {
      fields.push({ key, schema: property, path: childPath(path, key) })
    }
  }
  const rest = schema.additionalProperties
  if (typeof rest !== 'object') return fields
  const keys = Object.keys(value).filter((key) => own(schema.properties, key) === undefined)
  return [...fields, ...keys.map((key) => ({ key, schema: rest, path: keyPath(path, key) }))]
}

function inside(place: Place, schema: Schema, part: Pick<Place, 'value' | 'old' | 'path'>): Place {
  return { ...part, schema, isRoot: false, depth: place.depth + 1, isKept: place.isKept }
}

/**
 * Validation of a value against a schema, with the causes, texts and order of the real API server `[k8s kube-openapi]`:
 * type, junctors (anyOf, oneOf, allOf, not), string, number, list, enum, object; then embedded resources, then the
 * uniqueness of sets and maps. CEL rules are evaluated elsewhere.
 */
import { type Correlated, correlateField, isUnchanged, itemCorrelator } from './correlate.ts'
import { checkEmbeddedResources } from './embedded-resource.ts'
import {
  forbiddenError,
  indexPath,
  invalidError,
  notSupportedError,
  requiredError,
  tooManyError,
} from './field-error.ts'
import { equalJson, isDeeperThan, isObject, type JsonObject, MAX_DEPTH, own } from './json.ts'
import { checkListTypes } from './list-type.ts'
import { resolveSchema } from './resolve-schema.ts'
import type { FieldError, ResolveRef, Schema } from './schema.ts'
import { checkJunctors, hasJunctors } from './validate-junctors.ts'
import { checkNumber, checkString } from './validate-scalar.ts'
import { checkType } from './validate-type.ts'
import { ValidationResult } from './validation-result.ts'

/** Every finding about `value`, a whole resource (or a part of one whose path is `path`). Empty: valid. */
export function validateValue(schema: Schema, value: unknown, resolve: ResolveRef, path = ''): FieldError[] {
  if (isDeeperThan(value, MAX_DEPTH))
    return [forbiddenError(path, `must not be nested deeper than ${MAX_DEPTH} levels`)]
  const { errors } = validateNode(schema, value, { resolve, depth: 0 }, path)
  return [
    ...errors,
    ...checkEmbeddedResources(schema, value, resolve, path),
    ...checkListTypes(schema, value, resolve, path),
  ]
}

export interface ValidationContext {
  readonly resolve: ResolveRef
  readonly depth: number
  /** On an update: the old value that this one corresponds to. What has not changed is not held against it. */
  readonly old?: Correlated | undefined
}

/** `name` is the path as messages show it: a map entry directly below the root starts with a dot. */
export function validateNode(
  schema: Schema,
  value: unknown,
  context: ValidationContext,
  name: string,
): ValidationResult {
  const result = new ValidationResult()
  if (context.depth > 2 * MAX_DEPTH || isKept(value, context)) return result
  const here = schemaHere(schema, context.resolve)
  const inner: ValidationContext = { resolve: context.resolve, depth: context.depth + 1, old: context.old }
  const field = fieldOf(name)
  addChecked(result, checkType(here, value, name, field))
  if (value !== null) {
    if (hasJunctors(here)) {
      // They judge the value as it is now: ratcheting inside could turn `not` and `oneOf` around.
      const branch: ValidationContext = { resolve: inner.resolve, depth: inner.depth }
      result.merge(checkJunctors(here, (schemaOfBranch) => validateNode(schemaOfBranch, value, branch, name), name))
    }
    checkKind(result, { schema: here, value, context: inner, name, field })
  }
  addChecked(result, checkEnum(here, value, field))
  if (isObject(value)) checkObject(result, { schema: here, value, context: inner, name, field })
  result.matchCount++
  if (!result.isValid && context.old !== undefined && isUnchanged(value, context.old)) result.forget()
  return result
}

/**
 * Whether a large part has not changed, so that whatever is found in it would be let pass: a status write leaves the spec as it
 * is, and most of the status. Further down looking costs as much as it saves.
 */
function isKept(value: unknown, { old, depth }: ValidationContext): boolean {
  return depth <= KEPT_DEPTH && old !== undefined && isUnchanged(value, old)
}

const KEPT_DEPTH = 3

/** For a field of an object. The root's apiVersion and kind are the same in every version of an object. */
function fieldContext(context: ValidationContext, key: string, name: string): ValidationContext {
  if (context.old === undefined) return context
  const isTypeMeta = name === '' && (key === 'apiVersion' || key === 'kind')
  return { ...context, old: isTypeMeta ? undefined : correlateField(context.old, key) }
}

/** A nullable property next to its reference stays nullable. */
function schemaHere(schema: Schema, resolve: ResolveRef): Schema {
  const resolved = resolveSchema(schema, resolve)
  return schema.nullable === true && resolved.nullable !== true ? { ...resolved, nullable: true } : resolved
}

function fieldOf(name: string): string {
  const field = name.startsWith('.') ? name.slice(1) : name
  return field === '' ? '<nil>' : field
}

function addChecked(result: ValidationResult, error: FieldError | undefined): void {
  if (error !== undefined) result.add(error)
  result.matchCount++
}

interface Node {
  readonly schema: Schema
  readonly value: unknown
  readonly context: ValidationContext
  readonly name: string
  readonly field: string
}

interface ObjectNode extends Node {
  readonly value: JsonObject
}

function checkKind(result: ValidationResult, node: Node): void {
  const { schema, value, name, field } = node
  if (typeof value === 'string') result.add(...checkString(schema, value, name, field))
  else if (typeof value === 'number') result.add(...checkNumber(schema, value, name, field))
  else if (Array.isArray(value)) checkList(result, value, node)
  result.matchCount++
}

function checkEnum(schema: Schema, value: unknown, field: string): FieldError | undefined {
  const allowed = schema.enum ?? []
  if (allowed.length === 0 || allowed.some((item) => equalsEnum(item, value))) return undefined
  return notSupportedError(field, value, allowed)
}

/** As in the real server, a number is first cut to an integer when the enum's value is one. */
function equalsEnum(allowed: unknown, value: unknown): boolean {
  if (typeof allowed !== 'number' || typeof value !== 'number') return equalJson(allowed, value)
  return (Number.isInteger(allowed) ? Math.trunc(value) : value) === allowed
}

function checkList(result: ValidationResult, value: readonly unknown[], node: Node): void {
  const { schema, context, name, field } = node
  if (schema.items !== undefined) {
    const correlate = itemCorrelator(context.old)
    for (const [index, item] of value.entries()) {
      result.merge(validateNode(schema.items, item, { ...context, old: correlate(item) }, indexPath(name, index)))
    }
  }
  const { minItems, maxItems } = schema
  if (minItems !== undefined && value.length < minItems) {
    result.add(invalidError(field, value.length, `${name} in body should have at least ${minItems} items`))
  }
  if (maxItems !== undefined && value.length > maxItems) result.add(tooManyError(field, value.length, maxItems))
}

function checkObject(result: ValidationResult, node: ObjectNode): void {
  const { schema, value, context, name } = node
  result.add(...checkSize(schema, value, name))
  checkAdditional(result, node)
  // In the order of the schema, whatever the order of the value's fields.
  for (const key in schema.properties) {
    const property = own(schema.properties, key)
    if (property === undefined || !Object.hasOwn(value, key)) continue
    const inner = fieldContext(context, key, name)
    result.merge(validateNode(property, value[key], inner, name === '' ? key : `${name}.${key}`))
  }
  for (const key of schema.required ?? []) {
    if (!Object.hasOwn(value, key)) result.add(requiredError(fieldOf(`${name}.${key}`)))
  }
  result.matchCount++
}

function checkSize(schema: Schema, value: JsonObject, name: string): FieldError[] {
  const { minProperties, maxProperties } = schema
  if (minProperties === undefined && maxProperties === undefined) return []
  const size = Object.keys(value).length
  const errors: FieldError[] = []
  if (minProperties !== undefined && size < minProperties) {
    errors.push(invalidError(fieldOf(name), size, `${name} in body should have at least ${minProperties} properties`))
  }
  if (maxProperties !== undefined && size > maxProperties) errors.push(tooManyError(fieldOf(name), size, maxProperties))
  return errors
}

function checkAdditional(result: ValidationResult, node: ObjectNode): void {
  const { additionalProperties: rest, properties } = node.schema
  if (rest === undefined || rest === true) return
  for (const key of Object.keys(node.value)) {
    if (own(properties, key) !== undefined) continue
    const name = `${node.name}.${key}`
    if (rest === false) result.add(invalidError(node.field, key, `${name} in body is a forbidden property`))
    else result.merge(validateNode(rest, node.value[key], fieldContext(node.context, key, node.name), name))
  }
}

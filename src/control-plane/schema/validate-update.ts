/**
 * Validation of an update. What was invalid already and has not changed is let pass ("ratcheting"), so that a schema may
 * become stricter while objects written before still can be changed elsewhere. [doc: CRD validation ratcheting]
 */
import { checkEmbeddedResources } from './embedded-resource.ts'
import { forbiddenError } from './field-error.ts'
import { isDeeperThan, MAX_DEPTH } from './json.ts'
import { checkListTypes } from './list-type.ts'
import type { FieldError, ResolveRef, Schema } from './schema.ts'
import { validateNode } from './validate.ts'

/** Findings about `value`, a whole resource that replaces `old`. */
export function validateUpdate(schema: Schema, value: unknown, old: unknown, resolve: ResolveRef): FieldError[] {
  if (isDeeperThan(value, MAX_DEPTH)) return [forbiddenError('', `must not be nested deeper than ${MAX_DEPTH} levels`)]
  const { errors } = validateNode(schema, value, { resolve, depth: 0, old: { value: old, schema } }, '')
  return [...errors, ...checkEmbeddedResources(schema, value, resolve), ...newInLists(schema, value, old, resolve)]
}

/** Lists are held to uniqueness only while all of them were unique before. */
function newInLists(schema: Schema, value: unknown, old: unknown, resolve: ResolveRef): FieldError[] {
  const found = checkListTypes(schema, value, resolve)
  return found.length > 0 && checkListTypes(schema, old, resolve).length === 0 ? found : []
}

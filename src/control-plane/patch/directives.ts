/** The keys of a strategic merge patch that are instructions, not data. */
import { isObject, type JsonObject, setOwn } from '../schema/json.ts'
import { PatchError } from './patch-error.ts'

export const PATCH = '$patch'
export const RETAIN_KEYS = '$retainKeys'
export const DELETE_FROM_LIST = '$deleteFromPrimitiveList'
export const SET_ORDER = '$setElementOrder'

export const BAD_DELETE_LIST = 'invalid patch format of primitive list'
export const BAD_RETAIN_KEYS = 'invalid patch format of retainKeys'
export const BAD_ORDER_LIST = 'invalid patch format of setElementOrder list'

/** The field that `$deleteFromPrimitiveList/field` or `$setElementOrder/field` is about. */
export function directiveField(key: string, directive: string, problem: string): string {
  if (!key.startsWith(`${directive}/`)) throw new PatchError('BadRequest', problem)
  return key.slice(directive.length + 1)
}

export function unknownPatchType(directive: unknown): PatchError {
  return mergeFailure(`unknown patch type: ${String(directive)} in map`)
}

/** The real server reports these as internal errors: it has no better code for a patch that does not fit its types. */
export function mergeFailure(message: string): PatchError {
  return new PatchError('Invalid', message, 500)
}

/**
 * A patch value taken over where there is nothing to merge with: nulls of objects and everything that carries a
 * directive are dropped. Answers undefined when the value itself is an instruction.
 */
export function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined)
  if (!isObject(value)) return value
  return Object.hasOwn(value, PATCH) ? undefined : cleanObject(value)
}

/** An object's data fields, cleaned, whatever directives it has. */
export function cleanObject(value: JsonObject): JsonObject {
  const kept: JsonObject = {}
  for (const [key, field] of Object.entries(value)) {
    const clean = field === null || isDirective(key) ? undefined : withoutDirectives(field)
    if (clean !== undefined) setOwn(kept, key, clean)
  }
  return kept
}

function isDirective(key: string): boolean {
  return [PATCH, RETAIN_KEYS].includes(key) || key.startsWith(`${DELETE_FROM_LIST}/`) || key.startsWith(`${SET_ORDER}/`)
}

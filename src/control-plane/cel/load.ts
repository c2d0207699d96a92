/** Where rules meet the rest: what they need is loaded when the first of them is. A server without rules never does. */
import { createRequire } from 'node:module'
import { extname } from 'node:path'
import { invalidError } from '../schema/field-error.ts'
import { isObject, type JsonObject } from '../schema/json.ts'
import type { FieldError, Schema } from '../schema/schema.ts'
import { hasRulesBelow } from './has-rules.ts'
import type * as Cel from './index.ts'

type CelModule = Pick<typeof Cel, 'compileErrors' | 'evaluateRules'>

const require = createRequire(import.meta.url)
let loaded: CelModule | undefined

/** Synchronous, as the writes are that need it. The file's extension is that of this one: sources run unbuilt. */
function loadCel(): CelModule {
  loaded ??= require(`./index${extname(import.meta.url)}`) as CelModule
  return loaded
}

/** Any of these leaves rules unchecked: they could not rely on the form of the value. */
const BLOCKING: ReadonlySet<FieldError['reason']> = new Set([
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueNotSupported',
  'FieldValueTypeInvalid',
])

const UNCHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'

/**
 * What the rules say of `value`, a whole resource in which `found` was found already; `old`: what an update replaces.
 * Empty for a schema without rules.
 */
export function validateRules(
  schema: Schema,
  value: unknown,
  found: readonly FieldError[],
  old?: unknown,
): readonly FieldError[] {
  if (!hasRulesBelow(schema)) return []
  if (found.some(({ reason }) => BLOCKING.has(reason))) return [invalidError('<nil>', null, UNCHECKED)]
  return loadCel().evaluateRules({ schema, value, old })
}

/**
 * Findings about the rules in a definition's schema, which is at `path` and structural. `isKept`: an update does not change
 * it, so single rules may be dearer than new ones.
 */
export function validateRuleTexts(schema: JsonObject, path: string, isKept = false): readonly FieldError[] {
  return mentionsRules(schema) ? loadCel().compileErrors(schema, path, isKept) : []
}

function mentionsRules(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(mentionsRules)
  if (!isObject(value)) return false
  return Object.keys(value).some((key) => key === 'x-kubernetes-validations' || mentionsRules(value[key]))
}

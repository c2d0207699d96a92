/** `x-kubernetes-embedded-resource`: the value must say its apiVersion and kind; metadata must be an object. */
import { childPath, indexPath, invalidError, keyPath, requiredError } from './field-error.ts'
import { isObject, type JsonObject, MAX_DEPTH, own } from './json.ts'
import { resolveSchema } from './resolve-schema.ts'
import type { FieldError, ResolveRef, Schema } from './schema.ts'

interface Walk {
  readonly resolve: ResolveRef
  readonly errors: FieldError[]
}

interface Here {
  readonly path: string
  readonly depth: number
}

/** Findings about embedded resources anywhere below `value`. Built-in schemas have none and are not searched. */
export function checkEmbeddedResources(schema: Schema, value: unknown, resolve: ResolveRef, path = ''): FieldError[] {
  if (resolveSchema(schema, resolve) !== schema) return []
  const walk: Walk = { resolve, errors: [] }
  checkAt(schema, value, walk, { path, depth: 0 })
  return walk.errors
}

function checkAt(schema: Schema, value: unknown, walk: Walk, here: Here): void {
  if (typeof value !== 'object' || value === null || here.depth > MAX_DEPTH) return
  const resolved = resolveSchema(schema, walk.resolve)
  if (Array.isArray(value)) checkItems(resolved.items, value, walk, here)
  else checkFields(resolved, value as JsonObject, walk, here)
}

function checkItems(items: Schema | undefined, value: readonly unknown[], walk: Walk, here: Here): void {
  if (items === undefined) return
  for (const [index, item] of value.entries()) {
    checkAt(items, item, walk, { path: indexPath(here.path, index), depth: here.depth + 1 })
  }
}

function checkFields(schema: Schema, value: JsonObject, walk: Walk, here: Here): void {
  if (schema['x-kubernetes-embedded-resource'] === true) walk.errors.push(...checkResource(value, here.path))
  const rest = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
  if (schema.properties === undefined && rest === undefined) return
  for (const key of Object.keys(value)) {
    const property = own(schema.properties, key)
    const field = property ?? rest
    if (field === undefined) continue
    const path = property === undefined ? keyPath(here.path, key) : childPath(here.path, key)
    checkAt(field, value[key], walk, { path, depth: here.depth + 1 })
  }
}

function checkResource(value: JsonObject, path: string): FieldError[] {
  const missing = ['apiVersion', 'kind']
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => requiredError(childPath(path, name)))
  return [...missing, ...checkNames(value, path), ...checkMetadata(value, path)]
}

function checkNames(value: JsonObject, path: string): FieldError[] {
  return ['apiVersion', 'kind']
    .filter((name) => Object.hasOwn(value, name))
    .flatMap((name) => {
      const text = value[name]
      const field = childPath(path, name)
      if (typeof text !== 'string') return [invalidError(field, text, 'must be a string')]
      if (text === '') return [invalidError(field, text, 'must not be empty')]
      const problem = name === 'kind' ? kindProblem(text) : apiVersionProblem(text)
      return problem === undefined ? [] : [invalidError(field, text, problem)]
    })
}

function apiVersionProblem(text: string): string | undefined {
  return text.split('/').length > 2 ? `unexpected GroupVersion string: ${text}` : undefined
}

function kindProblem(text: string): string | undefined {
  if (/^[a-z](?:[-a-z0-9]*[a-z0-9])?$/.test(text.toLowerCase()) && text.length <= 63) return undefined
  return (
    "may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', " +
    "start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', " +
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
  )
}

function checkMetadata(value: JsonObject, path: string): FieldError[] {
  const metadata = own(value, 'metadata')
  if (metadata === undefined || metadata === null || isObject(metadata)) return []
  return [invalidError(childPath(path, 'metadata'), metadata, 'must be an object')]
}

/** `x-kubernetes-embedded-resource`: the value must say its apiVersion and kind; metadata must be an object. */
import { childPath, indexPath, invalidError, keyPath, requiredError } from './field-error.ts'
import { isObject, type JsonObject, MAX_DEPTH, own } from './json.ts'
import { resolveSchema } from './resolve-schema.ts'
import type { FieldError, ResolveRef, Schema } from './schema.ts'

interface Here {
  readonly path: string
  readonly depth: number
}

/** Findings about embedded resources anywhere below `value`. */
export function checkEmbeddedResources(schema: Schema, value: unknown, resolve: ResolveRef, path = ''): FieldError[] {
  return checkAt(schema, value, resolve, { path, depth: 0 })
}

function checkAt(schema: Schema, value: unknown, resolve: ResolveRef, here: Here): FieldError[] {
  if (typeof value !== 'object' || value === null || here.depth > MAX_DEPTH) return []
  const { schema: resolved } = resolveSchema(schema, resolve)
  const depth = here.depth + 1
  if (Array.isArray(value)) {
    const { items } = resolved
    if (items === undefined) return []
    return value.flatMap((item, index) => checkAt(items, item, resolve, { path: indexPath(here.path, index), depth }))
  }
  if (!isObject(value)) return []
  const isEmbedded = resolved['x-kubernetes-embedded-resource'] === true
  const inFields = Object.keys(value).flatMap((key) => {
    const property = own(resolved.properties, key)
    if (property !== undefined)
      return checkAt(property, value[key], resolve, { path: childPath(here.path, key), depth })
    if (typeof resolved.additionalProperties !== 'object') return []
    return checkAt(resolved.additionalProperties, value[key], resolve, { path: keyPath(here.path, key), depth })
  })
  return [...(isEmbedded ? checkResource(value, here.path) : []), ...inFields]
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

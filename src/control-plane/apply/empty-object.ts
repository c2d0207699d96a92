/**
 * A kind's object before anything was written to it: what a created one is compared with. A built-in kind is a fixed
 * structure whose nested structures are always there, so that nobody comes to own `spec` by creating a Deployment; a
 * custom one is only what it holds.
 */
import { apiVersionOf } from '../registry/api-version.ts'
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import { isObject, type JsonObject } from '../schema/json.ts'
import { resolveSchema } from '../schema/resolve-schema.ts'
import type { ResolveRef, Schema } from '../schema/schema.ts'

const known = new WeakMap<Schema, JsonObject>()

/** Shared: never change it. */
export function emptyObject(definition: ResourceDefinition): JsonObject {
  const { group, version, kind } = definition
  const typeMeta = { apiVersion: apiVersionOf(group, version), kind }
  if (definition.origin === 'custom') return typeMeta
  const schema = definition.schema()
  const made = known.get(schema) ?? { ...zeroOf(schema, definition.resolve), ...typeMeta }
  known.set(schema, made)
  return made
}

function zeroOf(schema: Schema, resolve: ResolveRef): JsonObject {
  const { properties = {}, required = [] } = resolveSchema(schema, resolve)
  const zero: JsonObject = {}
  for (const [name, field] of Object.entries(properties)) {
    if (isObject(field.default)) zero[name] = zeroOf(field, resolve)
    else if (field.default !== undefined) zero[name] = field.default
    else if (required.includes(name)) zero[name] = resolveSchema(field, resolve).type === 'string' ? '' : null
  }
  return zero
}

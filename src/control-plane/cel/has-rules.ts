/** Which schemas have rules at all. Loads nothing: it is asked at every write of a custom resource. */
import type { Schema } from '../schema/schema.ts'

const withRules = new WeakMap<Schema, boolean>()

/** Whether the schema or one inside of it has rules; parts without are not walked. */
export function hasRulesBelow(schema: Schema): boolean {
  const known = withRules.get(schema)
  if (known !== undefined) return known
  const rest = schema.additionalProperties
  const parts = [
    ...(schema.items === undefined ? [] : [schema.items]),
    ...(typeof rest === 'object' ? [rest] : []),
    ...Object.values(schema.properties ?? {}),
  ]
  const found = (schema['x-kubernetes-validations'] ?? []).length > 0 || parts.some(hasRulesBelow)
  withRules.set(schema, found)
  return found
}

/** Fills defaults as an API server does. */
import type { StructuralSchema } from './structural.ts'

/**
 * A copy of the value with every default of the schema filled in, at every depth. A null counts as absent: no field of ours may
 * be null, and an API server drops such nulls too. The value itself is left as it is.
 */
export function applyDefaults(schema: StructuralSchema, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => applyDefaults(schema.items ?? {}, item))
  if (typeof value !== 'object' || value === null) return value
  return addMissing(schema, fillPresent(schema, value))
}

function fillPresent(schema: StructuralSchema, value: object): Record<string, unknown> {
  const filled: Record<string, unknown> = {}
  for (const [key, child] of Object.entries(value)) {
    const childSchema = schemaOf(schema, key)
    if (child === null && childSchema !== undefined) continue
    filled[key] = applyDefaults(childSchema ?? {}, child)
  }
  return filled
}

function addMissing(schema: StructuralSchema, filled: Record<string, unknown>): Record<string, unknown> {
  for (const [key, child] of Object.entries(schema.properties ?? {})) {
    if (child.default !== undefined && filled[key] === undefined) filled[key] = applyDefaults(child, child.default)
  }
  return filled
}

function schemaOf(schema: StructuralSchema, key: string): StructuralSchema | undefined {
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, key)) return schema.properties[key]
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
}

/**
 * From the schema of a kind to the structural schema that a CRD holds. Two things change: what belongs to TypeBox alone goes,
 * and a field with a default is no longer required, since the API server fills it in before it checks.
 */
import type { TSchema } from '@sinclair/typebox'

/** The part of OpenAPI v3 that the kinds use. */
export interface StructuralSchema {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
  description?: string
  default?: unknown
  format?: string
  enum?: unknown[]
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minProperties?: number
  properties?: Record<string, StructuralSchema>
  required?: string[]
  items?: StructuralSchema
  additionalProperties?: StructuralSchema | boolean
  anyOf?: StructuralSchema[]
  'x-kubernetes-int-or-string'?: boolean
  'x-kubernetes-preserve-unknown-fields'?: boolean
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  'x-kubernetes-list-map-keys'?: string[]
  'x-kubernetes-validations'?: Array<{ rule: string; message?: string; reason?: string; fieldPath?: string }>
}

export function toStructural(schema: TSchema): StructuralSchema {
  const plain: StructuralSchema = JSON.parse(JSON.stringify(schema))
  return relaxRequired(plain)
}

/** Applies `change` to each schema directly below this one. */
export function mapChildren(
  schema: StructuralSchema,
  change: (child: StructuralSchema) => StructuralSchema,
): StructuralSchema {
  const { properties, items, additionalProperties } = schema
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, child]) => [key, change(child)])),
    }),
    ...(items && { items: change(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: change(additionalProperties) }),
  }
}

function relaxRequired(schema: StructuralSchema): StructuralSchema {
  const { required, ...rest } = mapChildren(schema, relaxRequired)
  const still = required?.filter((key) => schema.properties?.[key]?.default === undefined) ?? []
  return still.length === 0 ? rest : { ...rest, required: still }
}

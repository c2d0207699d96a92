/** `Scale` as a resource of its own, for what a patch needs to know of it. */
import type { PrinterColumn, ResourceDefinition } from '../registry/resource-definition.ts'
import { isObject } from '../schema/json.ts'
import type { Schema } from '../schema/schema.ts'
import { AGE, NAME } from '../table/column.ts'

const SCALE_SCHEMA: Schema = {
  type: 'object',
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    spec: { type: 'object', properties: { replicas: { type: 'integer' } } },
    status: { type: 'object', properties: { replicas: { type: 'integer' }, selector: { type: 'string' } } },
  },
}

const replicas = (name: string, part: 'spec' | 'status'): PrinterColumn => ({
  name,
  type: 'integer',
  value: (scale) => replicasOf(scale[part]),
})

function replicasOf(part: unknown): number {
  const replicas = isObject(part) ? part['replicas'] : undefined
  return typeof replicas === 'number' ? replicas : 0
}

const COLUMNS = [NAME, replicas('Desired', 'spec'), replicas('Available', 'status'), AGE]

export function scaleDefinition(parent: ResourceDefinition): ResourceDefinition {
  return { ...parent, columns: COLUMNS, group: 'autoscaling', version: 'v1', kind: 'Scale', schema: () => SCALE_SCHEMA }
}

/** `Scale` as a resource of its own, for what a patch needs to know of it. */
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import type { Schema } from '../schema/schema.ts'

const SCALE_SCHEMA: Schema = {
  type: 'object',
  properties: {
    metadata: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    spec: { type: 'object', properties: { replicas: { type: 'integer' } } },
    status: { type: 'object', properties: { replicas: { type: 'integer' }, selector: { type: 'string' } } },
  },
}

export function scaleDefinition(parent: ResourceDefinition): ResourceDefinition {
  return { ...parent, group: 'autoscaling', version: 'v1', kind: 'Scale', schema: () => SCALE_SCHEMA }
}

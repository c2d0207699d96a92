/** Flow schemas and priority levels [k8s flowcontrol/v1]. They are kept and shown; requests are not queued by them. */

import type { StoredObject, Strategy } from '../../registry/resource-definition.ts'
import { forbiddenError, requiredError } from '../../schema/field-error.ts'
import type { FieldError } from '../../schema/schema.ts'
import { at, ensureFields, isFields, numberAt, setDefault, textAt } from '../fields.ts'
import { oneOf } from './checks.ts'

export const flowSchemaStrategy: Strategy = {
  defaults(schema) {
    const spec = ensureFields(schema, 'spec')
    if (numberAt(spec, 'matchingPrecedence') === 0) spec['matchingPrecedence'] = 1000
  },
}

export const priorityLevelStrategy: Strategy = {
  defaults: defaultPriorityLevel,
  validate: (level) => [
    ...oneOf(level, 'spec.type', ['Exempt', 'Limited']),
    ...oneOf(level, 'spec.limited.limitResponse.type', ['Queue', 'Reject']),
    ...validateQueuing(level),
  ],
}

function defaultPriorityLevel(level: StoredObject): void {
  const exempt = at(level, 'spec.exempt')
  if (isFields(exempt)) {
    setDefault(exempt, 'nominalConcurrencyShares', 0)
    setDefault(exempt, 'lendablePercent', 0)
  }
  const limited = at(level, 'spec.limited')
  if (isFields(limited)) {
    setDefault(limited, 'nominalConcurrencyShares', 30)
    setDefault(limited, 'lendablePercent', 0)
  }
  const queuing = at(limited, 'limitResponse.queuing')
  if (!isFields(queuing)) return
  for (const [name, value] of [
    ['queues', 64],
    ['handSize', 8],
    ['queueLengthLimit', 50],
  ] as const) {
    if (numberAt(queuing, name) === 0) queuing[name] = value
  }
}

function validateQueuing(level: StoredObject): FieldError[] {
  const field = 'spec.limited.limitResponse.queuing'
  const type = textAt(level, 'spec.limited.limitResponse.type')
  const hasQueuing = at(level, field) !== undefined
  if (type === 'Queue' && !hasQueuing) return [requiredError(field, 'must not be empty if limited type is Queue')]
  return type === 'Reject' && hasQueuing ? [forbiddenError(field, 'must be nil if the type is not Limited')] : []
}

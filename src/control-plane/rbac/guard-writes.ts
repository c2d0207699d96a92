/** The definition of a resource as it is for someone who may not do everything: writing through it checks more. */
import { type Attributes, requireAllowed } from '../auth/authorize.ts'
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import { checkEscalation } from './escalation.ts'
import type { Rbac } from './rbac.ts'

const GROUP = 'rbac.authorization.k8s.io'

/** @throws (from the write) ApiError 403 */
export function guardWrites(rbac: Rbac, definition: ResourceDefinition, attributes: Attributes): ResourceDefinition {
  const { verb } = attributes
  const grants = definition.group === GROUP
  const mayCreate = verb === 'update' || verb === 'patch'
  if (!grants && !mayCreate) return definition
  const { strategy } = definition
  return {
    ...definition,
    strategy: {
      ...strategy,
      prepareForCreate: (object) => {
        // A PUT or an apply that finds nothing creates: that takes the permission to create too.
        if (mayCreate) requireAllowed(rbac.authorize, { ...attributes, verb: 'create' })
        if (grants) checkEscalation({ rbac, attributes }, definition, object)
        strategy?.prepareForCreate?.(object)
      },
      prepareForUpdate: (object, old) => {
        if (grants) checkEscalation({ rbac, attributes }, definition, object, old)
        strategy?.prepareForUpdate?.(object, old)
      },
    },
  }
}

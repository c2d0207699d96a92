/** HorizontalPodAutoscalers [k8s autoscaling]. */

import type { StoredObject, Strategy } from '../../registry/resource-definition.ts'
import { invalidError, requiredError } from '../../schema/field-error.ts'
import type { FieldError } from '../../schema/schema.ts'
import { at, ensureFields, listAt, numberAt, setDefault, textAt } from '../fields.ts'

export const autoscalerStrategy: Strategy = {
  defaults(autoscaler) {
    const spec = ensureFields(autoscaler, 'spec')
    setDefault(spec, 'minReplicas', 1)
    if (autoscaler.apiVersion === 'autoscaling/v1') setDefault(spec, 'targetCPUUtilizationPercentage', 80)
    else if (listAt(spec, 'metrics').length === 0) {
      spec['metrics'] = [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
      ]
    }
  },
  validate: validateReplicas,
}

function validateReplicas(autoscaler: StoredObject): FieldError[] {
  const [min, max] = [at(autoscaler, 'spec.minReplicas'), numberAt(autoscaler, 'spec.maxReplicas')]
  const errors = validateTarget(at(autoscaler, 'spec.scaleTargetRef'))
  if (typeof min === 'number' && min < 1) {
    errors.push(invalidError('spec.minReplicas', min, 'must be greater than or equal to 1'))
  }
  if (max === 0) errors.push(requiredError('spec.maxReplicas', 'must be set and greater than 0'))
  if (max < 0) errors.push(invalidError('spec.maxReplicas', max, 'must be greater than 0'))
  if (typeof min === 'number' && max < min) {
    errors.push(invalidError('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`'))
  }
  return errors
}

/** Of what can be scaled only the ReplicationController has no group. */
function validateTarget(target: unknown): FieldError[] {
  const apiVersion = textAt(target, 'apiVersion')
  if (apiVersion.includes('/') || textAt(target, 'kind') === 'ReplicationController') return []
  return [invalidError('spec.scaleTargetRef.apiVersion', apiVersion, 'apiVersion must specify API group')]
}

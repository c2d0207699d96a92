/** Kinds that need little: a few defaults, a few checks. */

import type { StoredObject, Strategy } from '../../registry/resource-definition.ts'
import { forbiddenError, invalidError, requiredError } from '../../schema/field-error.ts'
import { equalJson } from '../../schema/json.ts'
import type { FieldError } from '../../schema/schema.ts'
import { at, ensureFields, type Fields, fieldsAt, isFields, listAt, numberAt, setDefault, textAt } from '../fields.ts'
import { intOrPercent, labelSelector, notNegative, oneOf, unchanged } from './checks.ts'
import { defaultPodTemplate } from './pod-spec-defaults.ts'
import { validatePodTemplate } from './pod-spec-validation.ts'

export const podDisruptionBudgetStrategy: Strategy = {
  validate: (budget) => [
    ...(at(budget, 'spec.minAvailable') !== undefined && at(budget, 'spec.maxUnavailable') !== undefined
      ? [invalidError('spec', budget['spec'], 'minAvailable and maxUnavailable cannot be both set')]
      : []),
    ...['minAvailable', 'maxUnavailable'].flatMap((name) =>
      intOrPercent(at(budget, `spec.${name}`), `spec.${name}`, true),
    ),
    ...labelSelector(at(budget, 'spec.selector'), 'spec.selector'),
    ...oneOf(budget, 'spec.unhealthyPodEvictionPolicy', ['AlwaysAllow', 'IfHealthyBudget']),
  ],
}

/** Times that are always written. */
export const eventStrategy: Strategy = {
  defaults(event) {
    for (const name of ['firstTimestamp', 'lastTimestamp', 'eventTime']) setDefault(event, name, null)
  },
  validate(event) {
    // Events about what has no namespace lie in the one named default.
    const { namespace = '' } = event.metadata
    const about = textAt(event, 'involvedObject.namespace')
    if (namespace === (about === '' ? 'default' : about)) return []
    return [invalidError('involvedObject.namespace', about, 'does not match event.namespace')]
  },
}

export const leaseStrategy: Strategy = {
  validate(lease) {
    const duration = at(lease, 'spec.leaseDurationSeconds')
    const isBad = typeof duration === 'number' && duration <= 0
    return [
      ...(isBad ? [invalidError('spec.leaseDurationSeconds', duration, 'must be greater than 0')] : []),
      ...notNegative(lease, ['spec.leaseTransitions']),
    ]
  },
}

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']

export const persistentVolumeClaimStrategy: Strategy = {
  prepareForCreate(claim) {
    claim['status'] = { phase: 'Pending' }
  },
  defaults(claim) {
    setDefault(ensureFields(claim, 'spec'), 'volumeMode', 'Filesystem')
    mirrorDataSource(fieldsAt(claim, 'spec'))
  },
  validate: (claim) => [
    ...(listAt(claim, 'spec.accessModes').length === 0
      ? [requiredError('spec.accessModes', 'at least 1 access mode is required')]
      : listAt(claim, 'spec.accessModes')
          .flatMap((mode) => oneOf({ mode }, 'mode', ACCESS_MODES))
          .map(asField('spec.accessModes'))),
    ...(at(claim, 'spec.resources.requests.storage') === undefined ? [requiredError('spec.resources[storage]')] : []),
    ...oneOf(claim, 'spec.volumeMode', ['Block', 'Filesystem']),
    ...labelSelector(at(claim, 'spec.selector'), 'spec.selector'),
  ],
  validateUpdate: validateClaimUpdate,
}

const asField =
  (field: string) =>
  (error: FieldError): FieldError => ({ ...error, field })

/** Two names of one field; a reference into another namespace has the new one only. */
function mirrorDataSource(spec: Fields): void {
  if (isFields(spec['dataSource'])) setDefault(spec, 'dataSourceRef', { ...spec['dataSource'] })
}

const CLAIM_UPDATE =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n'

function validateClaimUpdate(claim: StoredObject, old: StoredObject): FieldError[] {
  // The volume and the class of an unbound claim are filled in later.
  const free = ['volumeName', 'resources', 'volumeAttributesClassName', 'storageClassName']
  const fixed = (object: StoredObject): Fields =>
    Object.fromEntries(
      Object.entries(fieldsAt(object, 'spec')).filter(
        ([name]) => !free.includes(name) || (name === 'volumeName' && textAt(old, 'spec.volumeName') !== ''),
      ),
    )
  return equalJson(fixed(claim), fixed(old)) ? [] : [forbiddenError('spec', CLAIM_UPDATE)]
}

export const persistentVolumeStrategy: Strategy = {
  prepareForCreate(volume) {
    volume['status'] = { phase: 'Pending', lastPhaseTransitionTime: volume.metadata.creationTimestamp }
  },
  defaults(volume) {
    const spec = ensureFields(volume, 'spec')
    setDefault(spec, 'persistentVolumeReclaimPolicy', 'Retain')
    setDefault(spec, 'volumeMode', 'Filesystem')
    const hostPath = spec['hostPath']
    if (isFields(hostPath)) setDefault(hostPath, 'type', '')
  },
  validate: (volume) => [
    ...(listAt(volume, 'spec.accessModes').length === 0 ? [requiredError('spec.accessModes')] : []),
    ...(Object.keys(fieldsAt(volume, 'spec.capacity')).length === 0 ? [requiredError('spec.capacity')] : []),
    ...oneOf(volume, 'spec.persistentVolumeReclaimPolicy', ['Delete', 'Recycle', 'Retain']),
    ...oneOf(volume, 'spec.volumeMode', ['Block', 'Filesystem']),
  ],
}

export const storageClassStrategy: Strategy = {
  defaults(storageClass) {
    setDefault(storageClass, 'reclaimPolicy', 'Delete')
    setDefault(storageClass, 'volumeBindingMode', 'Immediate')
  },
  validateUpdate: (next, old) => [
    ...unchanged(next, old, ['provisioner', 'reclaimPolicy', 'volumeBindingMode']),
    ...(equalJson(next['parameters'], old['parameters'])
      ? []
      : [forbiddenError('parameters', 'updates to parameters are forbidden.')]),
  ],
}

export const csiDriverStrategy: Strategy = {
  defaults(driver) {
    const spec = ensureFields(driver, 'spec')
    setDefault(spec, 'attachRequired', true)
    setDefault(spec, 'podInfoOnMount', false)
    setDefault(spec, 'storageCapacity', false)
    setDefault(spec, 'fsGroupPolicy', 'ReadWriteOnceWithFSType')
    setDefault(spec, 'volumeLifecycleModes', ['Persistent'])
    setDefault(spec, 'requiresRepublish', false)
    setDefault(spec, 'seLinuxMount', false)
  },
}

export const priorityClassStrategy: Strategy = {
  defaults: (priorityClass) => setDefault(priorityClass, 'preemptionPolicy', 'PreemptLowerPriority'),
  validate: ({ metadata, ...priorityClass }) =>
    numberAt(priorityClass, 'value') > 1_000_000_000 && !metadata.name.startsWith('system-')
      ? [forbiddenError('value', 'maximum allowed value of a user defined priority is 1000000000')]
      : [],
  validateUpdate: (next, old) => [
    ...(next['value'] === old['value'] ? [] : [forbiddenError('value', 'may not be changed in an update.')]),
    ...unchanged(next, old, ['preemptionPolicy'], 'field is immutable'),
  ],
}

export const networkPolicyStrategy: Strategy = {
  defaults(policy) {
    const spec = ensureFields(policy, 'spec')
    setDefault(spec, 'podSelector', {})
    const isEgress = listAt(spec, 'egress').length > 0
    if (listAt(spec, 'policyTypes').length === 0) spec['policyTypes'] = isEgress ? ['Ingress', 'Egress'] : ['Ingress']
    for (const rule of [...listAt(spec, 'ingress'), ...listAt(spec, 'egress')]) {
      for (const port of listAt(rule, 'ports').filter(isFields)) setDefault(port, 'protocol', 'TCP')
    }
  },
  validate: (policy) => labelSelector(at(policy, 'spec.podSelector'), 'spec.podSelector'),
}

export const ingressStrategy: Strategy = {
  validate(ingress) {
    const isEmpty = listAt(ingress, 'spec.rules').length === 0 && at(ingress, 'spec.defaultBackend') === undefined
    return [
      ...(isEmpty ? [invalidError('spec', null, 'either `defaultBackend` or `rules` must be specified')] : []),
      ...listAt(ingress, 'spec.rules').flatMap((rule, index) =>
        listAt(rule, 'http.paths').flatMap((path, at) => validatePath(path, `spec.rules[${index}].http.paths[${at}]`)),
      ),
    ]
  },
}

function validatePath(path: unknown, field: string): FieldError[] {
  const type = textAt(path, 'pathType')
  const isAbsolute = textAt(path, 'path').startsWith('/')
  return [
    ...oneOf(path, 'pathType', ['Exact', 'ImplementationSpecific', 'Prefix'], `${field}.`),
    ...((type === 'Exact' || type === 'Prefix') && !isAbsolute
      ? [invalidError(`${field}.path`, textAt(path, 'path'), 'must be an absolute path')]
      : []),
  ]
}

export const ingressClassStrategy: Strategy = {
  defaults(ingressClass) {
    const parameters = at(ingressClass, 'spec.parameters')
    if (isFields(parameters)) setDefault(parameters, 'scope', 'Cluster')
  },
  validateUpdate: (next, old) => unchanged(next, old, ['spec.controller']),
}

export const endpointSliceStrategy: Strategy = {
  defaults(slice) {
    for (const port of listAt(slice, 'ports').filter(isFields)) {
      setDefault(port, 'name', '')
      setDefault(port, 'protocol', 'TCP')
    }
  },
  validate: (slice) => oneOf(slice, 'addressType', ['FQDN', 'IPv4', 'IPv6']),
  validateUpdate: (next, old) => unchanged(next, old, ['addressType']),
}

export const endpointsStrategy: Strategy = {
  defaults(endpoints) {
    for (const subset of listAt(endpoints, 'subsets')) {
      for (const port of listAt(subset, 'ports').filter(isFields)) setDefault(port, 'protocol', 'TCP')
    }
  },
}

export const limitRangeStrategy: Strategy = {
  defaults(range) {
    for (const item of listAt(range, 'spec.limits').filter(isFields)) {
      if (item['type'] === 'Container') defaultContainerLimits(item)
    }
  },
}

/** The limit falls back on the maximum, the request on the limit and then on the minimum. */
function defaultContainerLimits(item: Fields): void {
  const limits: Fields = { ...fieldsAt(item, 'max'), ...fieldsAt(item, 'default') }
  const requests: Fields = { ...fieldsAt(item, 'min'), ...limits, ...fieldsAt(item, 'defaultRequest') }
  if (Object.keys(limits).length > 0) item['default'] = limits
  if (Object.keys(requests).length > 0) item['defaultRequest'] = requests
}

export const revisionStrategy: Strategy = {
  validateUpdate: (next, old) => unchanged(next, old, ['data']),
}

export const podTemplateStrategy: Strategy = {
  defaults: (object) => defaultPodTemplate(object),
  validate: (object) => validatePodTemplate(object['template'], 'template'),
}

export const runtimeClassStrategy: Strategy = {
  validateUpdate: (next, old) => unchanged(next, old, ['handler']),
}

export const apiServiceStrategy: Strategy = {
  defaults(apiService) {
    const service = at(apiService, 'spec.service')
    if (isFields(service)) setDefault(service, 'port', 443)
  },
}

export const volumeAttributesClassStrategy: Strategy = {
  validateUpdate: (next, old) =>
    ['driverName', 'parameters']
      .filter((name) => !equalJson(next[name], old[name]))
      .map((name) => forbiddenError(name, `updates to ${name} are forbidden.`)),
}

export const resourceClaimStrategy: Strategy = {
  defaults: (claim) => defaultDeviceRequests(at(claim, 'spec')),
}

export const resourceClaimTemplateStrategy: Strategy = {
  defaults: (template) => defaultDeviceRequests(at(template, 'spec.spec')),
}

function defaultDeviceRequests(spec: unknown): void {
  for (const request of listAt(spec, 'devices.requests')) {
    for (const part of [at(request, 'exactly'), ...listAt(request, 'firstAvailable')].filter(isFields)) {
      setDefault(part, 'allocationMode', 'ExactCount')
      if (part['allocationMode'] === 'ExactCount') setDefault(part, 'count', 1)
    }
  }
}

/** What is wrong with a pod's spec beyond its schema: the mistakes that people make [k8s core validation]. */
import {
  duplicateError,
  forbiddenError,
  invalidError,
  notSupportedError,
  requiredError,
} from '../../schema/field-error.ts'
import type { FieldError } from '../../schema/schema.ts'
import { at, type Fields, isFields, listAt, numberAt, textAt } from '../fields.ts'
import { quantityAtMost } from '../quantity.ts'
import { dnsLabel, labels, notNegative, oneOf, portNumber, uniqueNames } from './checks.ts'

export function validatePodTemplate(template: unknown, field: string): FieldError[] {
  const ephemeral = listAt(template, 'spec.ephemeralContainers').length > 0
  return [
    ...labels(at(template, 'metadata.labels'), `${field}.labels`),
    ...validatePodSpec(at(template, 'spec'), `${field}.spec`),
    ...(ephemeral
      ? [forbiddenError(`${field}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template')]
      : []),
  ]
}

export function validatePodSpec(spec: unknown, field: string): FieldError[] {
  const volumes = new Set(listAt(spec, 'volumes').map((volume) => textAt(volume, 'name')))
  const prefix = `${field}.`
  return [
    ...validateVolumes(listAt(spec, 'volumes'), `${field}.volumes`),
    ...validateContainers(spec, field, volumes),
    ...oneOf(spec, 'restartPolicy', ['Always', 'OnFailure', 'Never'], prefix),
    ...oneOf(spec, 'dnsPolicy', ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'], prefix),
    ...dnsConfig(spec, `${field}.dnsConfig`),
    ...oneOf(spec, 'preemptionPolicy', ['Never', 'PreemptLowerPriority'], prefix),
    ...labels(at(spec, 'nodeSelector'), `${field}.nodeSelector`),
    ...notNegative(spec, ['terminationGracePeriodSeconds'], prefix),
    ...activeDeadline(at(spec, 'activeDeadlineSeconds'), `${field}.activeDeadlineSeconds`),
    ...['hostname', 'subdomain'].flatMap((name) =>
      textAt(spec, name) === '' ? [] : dnsLabel(textAt(spec, name), `${field}.${name}`),
    ),
    ...listAt(spec, 'tolerations').flatMap((toleration, index) =>
      validateToleration(toleration, `${field}.tolerations[${index}]`),
    ),
    ...listAt(spec, 'topologySpreadConstraints').flatMap((constraint, index) =>
      validateSpread(constraint, `${field}.topologySpreadConstraints[${index}]`),
    ),
  ]
}

function dnsConfig(spec: unknown, field: string): FieldError[] {
  if (textAt(spec, 'dnsPolicy') !== 'None') return []
  if (at(spec, 'dnsConfig') === undefined) {
    return [requiredError(field, 'must provide `dnsConfig` when `dnsPolicy` is None')]
  }
  if (listAt(spec, 'dnsConfig.nameservers').length > 0) return []
  return [requiredError(`${field}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None')]
}

function activeDeadline(value: unknown, field: string): FieldError[] {
  if (typeof value !== 'number' || (value >= 1 && value <= 2_147_483_647)) return []
  return [invalidError(field, value, 'must be between 1 and 2147483647, inclusive')]
}

function validateVolumes(volumes: readonly unknown[], field: string): FieldError[] {
  const each = volumes.flatMap((volume, index) => {
    const name = textAt(volume, 'name')
    const sources = Object.keys(isFields(volume) ? volume : {}).filter((key) => key !== 'name')
    return [
      ...(name === '' ? [] : dnsLabel(name, `${field}[${index}].name`)),
      ...sources
        .slice(1)
        .map((source) => forbiddenError(`${field}[${index}].${source}`, 'may not specify more than 1 volume type')),
    ]
  })
  return [...each, ...uniqueNames(volumes, field)]
}

function validateContainers(spec: unknown, field: string, volumes: ReadonlySet<string>): FieldError[] {
  const [main, init] = [listAt(spec, 'containers'), listAt(spec, 'initContainers')]
  const missing =
    main.length === 0 && Array.isArray(at(spec, 'containers')) ? [requiredError(`${field}.containers`)] : []
  const names = new Set(main.map((container) => textAt(container, 'name')))
  return [
    ...missing,
    ...main.flatMap((container, index) => validateContainer(container, `${field}.containers[${index}]`, volumes)),
    ...uniqueNames(main, `${field}.containers`),
    ...init.flatMap((container, index) => [
      ...validateContainer(container, `${field}.initContainers[${index}]`, volumes),
      ...(names.has(textAt(container, 'name'))
        ? [duplicateError(`${field}.initContainers[${index}].name`, textAt(container, 'name'))]
        : []),
      ...initOnly(container, `${field}.initContainers[${index}]`),
    ]),
    ...uniqueNames(init, `${field}.initContainers`),
  ]
}

/** An init container that ends cannot be probed; one that keeps running can. */
function initOnly(container: unknown, field: string): FieldError[] {
  if (textAt(container, 'restartPolicy') === 'Always') return []
  return ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']
    .filter((name) => at(container, name) !== undefined)
    .map((name) =>
      forbiddenError(`${field}.${name}`, 'may not be set for init containers without restartPolicy=Always'),
    )
}

function validateContainer(container: unknown, field: string, volumes: ReadonlySet<string>): FieldError[] {
  const name = textAt(container, 'name')
  const prefix = `${field}.`
  return [
    ...(name === '' ? [] : dnsLabel(name, `${field}.name`)),
    ...(textAt(container, 'image') === '' ? [requiredError(`${field}.image`)] : []),
    ...oneOf(container, 'terminationMessagePolicy', ['File', 'FallbackToLogsOnError'], prefix),
    ...validatePorts(listAt(container, 'ports'), `${field}.ports`),
    ...validateEnvironment(listAt(container, 'env'), `${field}.env`),
    ...validateMounts(listAt(container, 'volumeMounts'), `${field}.volumeMounts`, volumes),
    ...oneOf(container, 'imagePullPolicy', ['Always', 'IfNotPresent', 'Never'], prefix),
    ...validateResources(at(container, 'resources'), `${field}.resources`),
    ...['livenessProbe', 'readinessProbe', 'startupProbe'].flatMap((probe) =>
      validateProbe(at(container, probe), `${field}.${probe}`, probe),
    ),
  ]
}

function validatePorts(ports: readonly unknown[], field: string): FieldError[] {
  const each = ports.flatMap((port, index) => {
    const here = `${field}[${index}]`
    const number = numberAt(port, 'containerPort')
    return [
      ...(number === 0 ? [requiredError(`${here}.containerPort`)] : portNumber(number, `${here}.containerPort`)),
      ...(numberAt(port, 'hostPort') === 0 ? [] : portNumber(at(port, 'hostPort'), `${here}.hostPort`)),
      ...oneOf(port, 'protocol', ['SCTP', 'TCP', 'UDP'], `${here}.`),
    ]
  })
  return [...each, ...uniqueNames(ports, field)]
}

function validateEnvironment(variables: readonly unknown[], field: string): FieldError[] {
  return variables.flatMap((variable, index) => {
    const source = at(variable, 'valueFrom')
    if (!isFields(source)) return []
    const here = `${field}[${index}].valueFrom`
    const count = Object.keys(source).length
    if (textAt(variable, 'value') !== '' && count > 0) {
      return [invalidError(here, '', 'may not be specified when `value` is not empty')]
    }
    if (count === 1) return []
    return [
      invalidError(
        here,
        '',
        count === 0
          ? 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`'
          : 'may not have more than one field specified at a time',
      ),
    ]
  })
}

function validateMounts(mounts: readonly unknown[], field: string, volumes: ReadonlySet<string>): FieldError[] {
  const paths = new Set<string>()
  return mounts.flatMap((mount, index) => {
    const name = textAt(mount, 'name')
    const path = textAt(mount, 'mountPath')
    const errors: FieldError[] = []
    if (name !== '' && !volumes.has(name)) errors.push(notFound(`${field}[${index}].name`, name))
    if (paths.has(path)) errors.push(invalidError(`${field}[${index}].mountPath`, path, 'must be unique'))
    paths.add(path)
    return errors
  })
}

function notFound(field: string, name: string): FieldError {
  return { reason: 'FieldValueNotFound', field, message: `Not found: ${JSON.stringify(name)}` }
}

function validateResources(resources: unknown, field: string): FieldError[] {
  const limits = at(resources, 'limits')
  const requests = at(resources, 'requests')
  if (!isFields(limits) || !isFields(requests)) return []
  return Object.entries(requests).flatMap(([name, request]) => {
    const limit = limits[name]
    if (limit === undefined || quantityAtMost(String(request), String(limit))) return []
    return [
      invalidError(`${field}.requests`, request, `must be less than or equal to ${name} limit of ${String(limit)}`),
    ]
  })
}

const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep']

function validateProbe(probe: unknown, field: string, kind: string): FieldError[] {
  if (!isFields(probe)) return []
  const handlers = HANDLERS.filter((handler) => probe[handler] !== undefined)
  return [
    ...(handlers.length === 0 ? [requiredError(field, 'must specify a handler type')] : []),
    ...handlers
      .slice(1)
      .map((handler) => forbiddenError(`${field}.${handler}`, 'may not specify more than 1 handler type')),
    ...notNegative(
      probe,
      ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'],
      `${field}.`,
    ),
    ...(kind !== 'readinessProbe' && numberAt(probe, 'successThreshold', 1) !== 1
      ? [invalidError(`${field}.successThreshold`, at(probe, 'successThreshold'), 'must be 1')]
      : []),
  ]
}

function validateToleration(toleration: unknown, field: string): FieldError[] {
  const operator = textAt(toleration, 'operator', 'Equal')
  if (textAt(toleration, 'key') === '' && operator !== 'Exists') {
    return [
      invalidError(
        `${field}.operator`,
        textAt(toleration, 'operator'),
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ),
    ]
  }
  if (operator === 'Exists' && textAt(toleration, 'value') !== '') {
    return [
      invalidError(`${field}.operator`, textAt(toleration, 'value'), "value must be empty when `operator` is 'Exists'"),
    ]
  }
  return [
    ...(['Equal', 'Exists'].includes(operator)
      ? []
      : [notSupportedError(`${field}.operator`, operator, ['Equal', 'Exists'])]),
    ...oneOf(toleration, 'effect', ['NoExecute', 'NoSchedule', 'PreferNoSchedule'], `${field}.`),
  ]
}

function validateSpread(constraint: unknown, field: string): FieldError[] {
  return [
    ...(numberAt(constraint, 'maxSkew') <= 0
      ? [invalidError(`${field}.maxSkew`, numberAt(constraint, 'maxSkew'), 'must be greater than zero')]
      : []),
    ...oneOf(constraint as Fields, 'whenUnsatisfiable', ['DoNotSchedule', 'ScheduleAnyway'], `${field}.`),
  ]
}

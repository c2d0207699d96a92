/** Services: defaults, addresses and node ports, and what may change [k8s core/v1 Service]. */

import type { StoredObject, Strategy } from '../../registry/resource-definition.ts'
import { forbiddenError, invalidError, requiredError } from '../../schema/field-error.ts'
import { equalJson } from '../../schema/json.ts'
import type { FieldError } from '../../schema/schema.ts'
import { at, ensureFields, type Fields, fieldsAt, isFields, listAt, numberAt, setDefault, textAt } from '../fields.ts'
import {
  FIRST_NODE_PORT,
  LAST_NODE_PORT,
  pickClusterIp,
  pickNodePort,
  type ServiceAddresses,
} from '../service-addresses.ts'
import { dnsLabel, labels, oneOf, portNumber, uniqueNames } from './checks.ts'

const EXTERNAL = ['NodePort', 'LoadBalancer']

export function createServiceStrategy(addresses: ServiceAddresses): Strategy {
  return {
    prepareForCreate(service) {
      defaultService(service)
      allocate(service, addresses)
    },
    prepareForUpdate(service, old) {
      defaultService(service)
      keepAllocated(service, old)
      allocate(service, addresses)
    },
    defaults: defaultService,
    validate: validateService,
    validateUpdate: validateServiceUpdate,
  }
}

function defaultService(service: StoredObject): void {
  const spec = ensureFields(service, 'spec')
  setDefault(spec, 'type', 'ClusterIP')
  setDefault(spec, 'sessionAffinity', 'None')
  defaultAffinity(spec)
  for (const port of listAt(spec, 'ports').filter(isFields)) defaultPort(port)
  const isExternal =
    EXTERNAL.includes(textAt(spec, 'type')) || (isClusterIp(spec) && listAt(spec, 'externalIPs').length > 0)
  if (isExternal) setDefault(spec, 'externalTrafficPolicy', 'Cluster')
  if (textAt(spec, 'type') !== 'ExternalName') setDefault(spec, 'internalTrafficPolicy', 'Cluster')
  if (spec['type'] === 'LoadBalancer') setDefault(spec, 'allocateLoadBalancerNodePorts', true)
  for (const ingress of listAt(service, 'status.loadBalancer.ingress').filter(isFields)) {
    if (textAt(ingress, 'ip') !== '') setDefault(ingress, 'ipMode', 'VIP')
  }
  setDefault(ensureFields(service, 'status'), 'loadBalancer', {})
}

const isClusterIp = (spec: Fields): boolean => textAt(spec, 'type') === 'ClusterIP'

function defaultAffinity(spec: Fields): void {
  if (spec['sessionAffinity'] === 'None') delete spec['sessionAffinityConfig']
  if (spec['sessionAffinity'] !== 'ClientIP') return
  if (at(spec, 'sessionAffinityConfig.clientIP.timeoutSeconds') === undefined) {
    spec['sessionAffinityConfig'] = { clientIP: { timeoutSeconds: 10_800 } }
  }
}

function defaultPort(port: Fields): void {
  setDefault(port, 'protocol', 'TCP')
  if (port['targetPort'] === undefined || port['targetPort'] === 0 || port['targetPort'] === '') {
    port['targetPort'] = port['port']
  }
}

const isHeadless = (spec: unknown): boolean => textAt(spec, 'clusterIP') === 'None'

function allocate(service: StoredObject, addresses: ServiceAddresses): void {
  const spec = ensureFields(service, 'spec')
  if (textAt(spec, 'type') === 'ExternalName') return
  const given = textAt(spec, 'clusterIP', String(listAt(spec, 'clusterIPs')[0] ?? ''))
  const primary = given === '' ? pickClusterIp(service.metadata.uid, addresses) : given
  spec['clusterIP'] = primary
  if (listAt(spec, 'clusterIPs').length === 0) spec['clusterIPs'] = [primary]
  allocateFamilies(spec)
  if (textAt(spec, 'type') === 'NodePort' || at(spec, 'allocateLoadBalancerNodePorts') === true) {
    allocateNodePorts(service, addresses)
  }
}

/** One family here; a headless service without a selector may have endpoints of both. */
function allocateFamilies(spec: Fields): void {
  const both = isHeadless(spec) && Object.keys(fieldsAt(spec, 'selector')).length === 0
  setDefault(spec, 'ipFamilies', both ? ['IPv4', 'IPv6'] : ['IPv4'])
  setDefault(spec, 'ipFamilyPolicy', both ? 'RequireDualStack' : 'SingleStack')
}

function allocateNodePorts({ metadata, spec }: StoredObject, addresses: ServiceAddresses): void {
  const ports = listAt(spec, 'ports').filter(isFields)
  const own = new Set(ports.map((port) => numberAt(port, 'nodePort')))
  for (const [index, port] of ports.entries()) {
    if (numberAt(port, 'nodePort') !== 0) continue
    const isTaken = (candidate: number): boolean => own.has(candidate) || addresses.isNodePortTaken(candidate)
    const picked = pickNodePort(`${metadata.uid}/${index}`, isTaken)
    own.add(picked)
    port['nodePort'] = picked
  }
}

/** A client that sends a Service without what was allocated keeps it. */
function keepAllocated(service: StoredObject, old: StoredObject): void {
  const [spec, before] = [ensureFields(service, 'spec'), fieldsAt(old, 'spec')]
  if (spec['type'] === 'ExternalName') {
    dropClusterFields(spec, before)
    return
  }
  if (before['type'] === 'ExternalName') return
  if (textAt(spec, 'clusterIP') === '' && listAt(spec, 'clusterIPs').length === 0) {
    setDefault(spec, 'clusterIP', before['clusterIP'])
    spec['clusterIPs'] = before['clusterIPs']
  }
  followClusterIp(spec, before)
  for (const name of ['ipFamilies', 'ipFamilyPolicy'])
    if (before[name] !== undefined) setDefault(spec, name, before[name])
  if (isClusterIp(spec)) dropNodePorts(spec, before)
  else keepNodePorts(spec, before)
}

/** Who changes only the older of the two fields means both. */
function followClusterIp(spec: Fields, before: Fields): void {
  const changed = spec['clusterIP'] !== before['clusterIP'] && equalJson(spec['clusterIPs'], before['clusterIPs'])
  if (changed) spec['clusterIPs'] = [spec['clusterIP']]
}

/** What the old type had is dropped silently when the client did not change it. */
function dropClusterFields(spec: Fields, before: Fields): void {
  for (const name of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) {
    if (equalJson(spec[name], before[name])) delete spec[name]
  }
}

function dropNodePorts(spec: Fields, before: Fields): void {
  if (isClusterIp(before)) return
  const old = new Set(listAt(before, 'ports').map((port) => at(port, 'nodePort')))
  for (const port of listAt(spec, 'ports').filter(isFields)) if (old.has(port['nodePort'])) delete port['nodePort']
  delete spec['allocateLoadBalancerNodePorts']
  if (listAt(spec, 'externalIPs').length === 0) delete spec['externalTrafficPolicy']
}

function keepNodePorts(spec: Fields, before: Fields): void {
  const key = (port: unknown): string => `${textAt(port, 'protocol')}/${numberAt(port, 'port')}`
  const old = new Map(listAt(before, 'ports').map((port) => [key(port), numberAt(port, 'nodePort')]))
  for (const port of listAt(spec, 'ports').filter(isFields)) {
    const known = old.get(key(port)) ?? 0
    if (numberAt(port, 'nodePort') === 0 && known !== 0) port['nodePort'] = known
  }
}

function validateService(service: StoredObject): FieldError[] {
  const spec = at(service, 'spec')
  const ports = listAt(spec, 'ports')
  const needsPorts = !isHeadless(spec) && textAt(spec, 'type') !== 'ExternalName'
  return [
    ...(ports.length === 0 && needsPorts ? [requiredError('spec.ports')] : []),
    ...validateType(spec),
    ...ports.flatMap((port, index) => validatePort(port, `spec.ports[${index}]`, ports.length > 1)),
    ...uniqueNames(ports, 'spec.ports'),
    ...labels(at(spec, 'selector'), 'spec.selector'),
    ...oneOf(spec, 'sessionAffinity', ['ClientIP', 'None'], 'spec.'),
    ...oneOf(spec, 'type', ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'], 'spec.'),
    ...oneOf(spec, 'externalTrafficPolicy', ['Cluster', 'Local'], 'spec.'),
    ...oneOf(spec, 'internalTrafficPolicy', ['Cluster', 'Local'], 'spec.'),
    ...oneOf(spec, 'ipFamilyPolicy', ['PreferDualStack', 'RequireDualStack', 'SingleStack'], 'spec.'),
    ...validateAddresses(spec),
  ]
}

function validateType(spec: unknown): FieldError[] {
  const type = textAt(spec, 'type')
  if (EXTERNAL.includes(type) && isHeadless(spec)) {
    return [invalidError('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`)]
  }
  if (type !== 'ExternalName') return []
  return [
    ...(listAt(spec, 'clusterIPs').length > 0 || textAt(spec, 'clusterIP') !== ''
      ? [forbiddenError('spec.clusterIPs', 'may not be set for ExternalName services')]
      : []),
    ...(textAt(spec, 'externalName') === '' ? [requiredError('spec.externalName')] : []),
  ]
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/
const IPV6 = /^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*$/

function validateAddresses(spec: unknown): FieldError[] {
  const addresses = listAt(spec, 'clusterIPs').map(String)
  if (addresses.length > 0 && textAt(spec, 'clusterIP') !== addresses[0]) {
    return [invalidError('spec.clusterIPs', addresses, 'first value must match `clusterIP`')]
  }
  return addresses.flatMap((address, index) =>
    address === 'None' || IPV4.test(address) || IPV6.test(address)
      ? []
      : [
          invalidError(
            `spec.clusterIPs[${index}]`,
            address,
            'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
          ),
        ],
  )
}

function validatePort(port: unknown, field: string, needsName: boolean): FieldError[] {
  const name = textAt(port, 'name')
  const target = at(port, 'targetPort')
  return [
    ...(name === '' && needsName ? [requiredError(`${field}.name`)] : []),
    ...(name === '' ? [] : dnsLabel(name, `${field}.name`)),
    ...portNumber(at(port, 'port'), `${field}.port`),
    ...nodePort(numberAt(port, 'nodePort'), `${field}.nodePort`),
    ...oneOf(port, 'protocol', ['SCTP', 'TCP', 'UDP'], `${field}.`),
    ...(typeof target === 'number' ? portNumber(target, `${field}.targetPort`) : []),
  ]
}

/** The range that node ports are picked from is all that may be asked for. */
function nodePort(port: number, field: string): FieldError[] {
  if (port === 0 || (port >= FIRST_NODE_PORT && port <= LAST_NODE_PORT)) return []
  const range = `${FIRST_NODE_PORT}-${LAST_NODE_PORT}`
  const detail = `provided port is not in the valid range. The range of valid ports is ${range}`
  return [invalidError(field, port, detail)]
}

function validateServiceUpdate(service: StoredObject, old: StoredObject): FieldError[] {
  const [after, before] = [at(service, 'spec'), at(old, 'spec')]
  if ([after, before].some((spec) => textAt(spec, 'type') === 'ExternalName')) return []
  const [next, previous] = [listAt(after, 'clusterIPs'), listAt(before, 'clusterIPs')]
  if (previous.length === 0 || next[0] === previous[0]) return []
  const detail = next.length === 0 ? 'primary clusterIP can not be unset' : 'may not change once set'
  return [invalidError('spec.clusterIPs[0]', next, detail)]
}

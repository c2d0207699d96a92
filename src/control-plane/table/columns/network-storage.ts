/** Columns of services and what routes to them, of storage, and of admission. */
import { at, isFields, listAt, numberAt, textAt } from '../../builtin/fields.ts'
import type { PrinterColumn, StoredObject } from '../../registry/resource-definition.ts'
import {
  AGE,
  column,
  formatLabelSelector,
  formatLabels,
  integer,
  listWithMore,
  NAME,
  NONE,
  selector,
  text,
  UNSET,
  wide,
} from '../column.ts'

const SHOWN = 3

const flag = (name: string, path: string, fallback: boolean): PrinterColumn =>
  column(name, (object) => (typeof at(object, path) === 'boolean' ? at(object, path) === true : fallback), 'boolean')

const defaultName = (annotation: string): PrinterColumn => ({
  ...NAME,
  value: ({ metadata }) =>
    metadata.annotations?.[annotation] === 'true' ? `${metadata.name} (default)` : metadata.name,
})

const size = (name: string, path: string): PrinterColumn =>
  column(name, (object) => (Array.isArray(at(object, path)) ? listAt(object, path).length : 0), 'integer')

export const networkColumns: Readonly<Record<string, readonly PrinterColumn[]>> = {
  '/Service': [
    NAME,
    text('Type', 'spec.type'),
    column('Cluster-IP', (service) => textList(service, 'spec.clusterIPs')[0] ?? NONE),
    column('External-IP', externalAddress),
    column('Port(s)', (service) => listAt(service, 'spec.ports').map(formatServicePort).join(',') || NONE),
    AGE,
    ...wide(column('Selector', (service) => formatLabels(at(service, 'spec.selector')))),
  ],
  '/Endpoints': [NAME, column('Endpoints', formatEndpoints), AGE],
  'discovery.k8s.io/EndpointSlice': [
    NAME,
    text('AddressType', 'addressType'),
    column('Ports', (slice) => listWithMore(listAt(slice, 'ports').map(formatSlicePort), SHOWN) || UNSET),
    column('Endpoints', (slice) => {
      const addresses = listAt(slice, 'endpoints').flatMap((endpoint) => textList(endpoint, 'addresses'))
      return listWithMore(addresses, SHOWN) || UNSET
    }),
    AGE,
  ],
  'networking.k8s.io/Ingress': [
    NAME,
    text('Class', 'spec.ingressClassName', NONE),
    column('Hosts', ingressHosts),
    column('Address', (ingress) => balancerAddresses(ingress).join(',')),
    column('Ports', (ingress) => (listAt(ingress, 'spec.tls').length > 0 ? '80, 443' : '80')),
    AGE,
  ],
  'networking.k8s.io/IngressClass': [
    defaultName('ingressclass.kubernetes.io/is-default-class'),
    text('Controller', 'spec.controller'),
    column('Parameters', ingressParameters),
    AGE,
  ],
  'networking.k8s.io/NetworkPolicy': [NAME, selector('spec.podSelector', 'Pod-Selector'), AGE],
  'networking.k8s.io/ServiceCIDR': [NAME, column('CIDRs', (object) => textList(object, 'spec.cidrs').join(',')), AGE],
  'networking.k8s.io/IPAddress': [NAME, column('ParentRef', parentReference)],
}

export const storageColumns: Readonly<Record<string, readonly PrinterColumn[]>> = {
  '/PersistentVolume': [
    NAME,
    text('Capacity', 'spec.capacity.storage', '0'),
    column('Access Modes', (volume) => accessModes(volume, 'spec.accessModes')),
    text('Reclaim Policy', 'spec.persistentVolumeReclaimPolicy'),
    column('Status', phase),
    column('Claim', (volume) => {
      const claim = at(volume, 'spec.claimRef')
      return isFields(claim) ? `${textAt(claim, 'namespace')}/${textAt(claim, 'name')}` : ''
    }),
    text('StorageClass', 'spec.storageClassName'),
    text('VolumeAttributesClass', 'spec.volumeAttributesClassName', UNSET),
    text('Reason', 'status.reason'),
    AGE,
    ...wide(text('VolumeMode', 'spec.volumeMode', UNSET)),
  ],
  '/PersistentVolumeClaim': [
    NAME,
    column('Status', phase),
    text('Volume', 'spec.volumeName'),
    column('Capacity', (claim) => (isBound(claim) ? textAt(claim, 'status.capacity.storage', '0') : '')),
    column('Access Modes', (claim) => (isBound(claim) ? accessModes(claim, 'status.accessModes') : '')),
    text('StorageClass', 'spec.storageClassName'),
    text('VolumeAttributesClass', 'spec.volumeAttributesClassName', UNSET),
    AGE,
    ...wide(text('VolumeMode', 'spec.volumeMode', UNSET)),
  ],
  'storage.k8s.io/StorageClass': [
    defaultName('storageclass.kubernetes.io/is-default-class'),
    text('Provisioner', 'provisioner'),
    text('ReclaimPolicy', 'reclaimPolicy', 'Delete'),
    text('VolumeBindingMode', 'volumeBindingMode', 'Immediate'),
    column('AllowVolumeExpansion', (object) => at(object, 'allowVolumeExpansion') === true),
    AGE,
  ],
  'storage.k8s.io/VolumeAttributesClass': [NAME, text('DriverName', 'driverName'), AGE],
  'storage.k8s.io/VolumeAttachment': [
    NAME,
    { ...text('Attacher', 'spec.attacher'), format: 'name' },
    text('PV', 'spec.source.persistentVolumeName'),
    text('Node', 'spec.nodeName'),
    flag('Attached', 'status.attached', false),
    AGE,
  ],
  'storage.k8s.io/CSINode': [NAME, size('Drivers', 'spec.drivers'), AGE],
  'storage.k8s.io/CSIDriver': [
    NAME,
    flag('AttachRequired', 'spec.attachRequired', true),
    flag('PodInfoOnMount', 'spec.podInfoOnMount', false),
    flag('StorageCapacity', 'spec.storageCapacity', false),
    column('TokenRequests', (driver) => {
      const requests = at(driver, 'spec.tokenRequests')
      return Array.isArray(requests) ? requests.map((request) => textAt(request, 'audience')).join(',') : UNSET
    }),
    flag('RequiresRepublish', 'spec.requiresRepublish', false),
    column('Modes', (driver) => textList(driver, 'spec.volumeLifecycleModes').join(',') || NONE),
    AGE,
  ],
  'resource.k8s.io/ResourceClaim': [NAME, column('State', claimState), AGE],
  'resource.k8s.io/ResourceClaimTemplate': [NAME, AGE],
  'resource.k8s.io/DeviceClass': [NAME, AGE],
  'resource.k8s.io/ResourceSlice': [
    NAME,
    text('Node', 'spec.nodeName'),
    text('Driver', 'spec.driver'),
    text('Pool', 'spec.pool.name'),
    AGE,
  ],
}

const policyBinding = [NAME, text('PolicyName', 'spec.policyName'), column('ParamRef', parameterReference), AGE]

const paramKind = column('ParamKind', (policy) => {
  const kind = at(policy, 'spec.paramKind')
  return isFields(kind) ? `${textAt(kind, 'apiVersion')}/${textAt(kind, 'kind')}` : UNSET
})

export const admissionColumns: Readonly<Record<string, readonly PrinterColumn[]>> = {
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': [NAME, size('Webhooks', 'webhooks'), AGE],
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': [NAME, size('Webhooks', 'webhooks'), AGE],
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': [
    NAME,
    size('Validations', 'spec.validations'),
    paramKind,
    AGE,
  ],
  'admissionregistration.k8s.io/MutatingAdmissionPolicy': [NAME, size('Mutations', 'spec.mutations'), paramKind, AGE],
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': policyBinding,
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding': policyBinding,
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration': [
    NAME,
    text('Type', 'spec.type'),
    numberOrNone('NominalConcurrencyShares', 'spec.limited.nominalConcurrencyShares'),
    numberOrNone('Queues', 'spec.limited.limitResponse.queuing.queues'),
    numberOrNone('HandSize', 'spec.limited.limitResponse.queuing.handSize'),
    numberOrNone('QueueLengthLimit', 'spec.limited.limitResponse.queuing.queueLengthLimit'),
    AGE,
  ],
  'autoscaling/Scale': [NAME, integer('Desired', 'spec.replicas'), integer('Available', 'status.replicas'), AGE],
}

function numberOrNone(name: string, path: string): PrinterColumn {
  return column(name, (object) => (typeof at(object, path) === 'number' ? numberAt(object, path) : NONE))
}

function textList(value: unknown, path: string): string[] {
  return listAt(value, path).map(String)
}

function externalAddress(service: StoredObject): string {
  const external = textList(service, 'spec.externalIPs')
  const type = textAt(service, 'spec.type')
  if (type === 'ExternalName') return textAt(service, 'spec.externalName')
  if (type !== 'LoadBalancer') return external.join(',') || NONE
  return [...balancerAddresses(service), ...external].join(',') || '<pending>'
}

function balancerAddresses(object: StoredObject): string[] {
  const entries = listAt(object, 'status.loadBalancer.ingress')
  return [...new Set(entries.map((entry) => textAt(entry, 'ip', textAt(entry, 'hostname'))))].filter(Boolean).sort()
}

function formatServicePort(port: unknown): string {
  const node = numberAt(port, 'nodePort')
  return `${numberAt(port, 'port')}${node > 0 ? `:${node}` : ''}/${textAt(port, 'protocol')}`
}

function formatSlicePort(port: unknown): string {
  const number = at(port, 'port')
  return typeof number === 'number' ? String(number) : textAt(port, 'name', '*')
}

function formatEndpoints(endpoints: StoredObject): string {
  const subsets = listAt(endpoints, 'subsets')
  return subsets.length === 0 ? NONE : listWithMore(subsets.flatMap(subsetAddresses), SHOWN)
}

function subsetAddresses(subset: unknown): string[] {
  const addresses = listAt(subset, 'addresses').map((address) => textAt(address, 'ip'))
  const ports = listAt(subset, 'ports').map((port) => numberAt(port, 'port'))
  if (ports.length === 0) return addresses
  return ports.flatMap((port) => addresses.map((ip) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)))
}

function ingressHosts(ingress: StoredObject): string {
  const hosts = listAt(ingress, 'spec.rules').map((rule) => textAt(rule, 'host'))
  const named = hosts.filter(Boolean)
  return named.length === 0 ? '*' : listWithMore(named, SHOWN)
}

function ingressParameters(ingressClass: StoredObject): string {
  const parameters = at(ingressClass, 'spec.parameters')
  if (!isFields(parameters)) return NONE
  const group = textAt(parameters, 'apiGroup')
  return `${textAt(parameters, 'kind')}${group === '' ? '' : `.${group}`}/${textAt(parameters, 'name')}`
}

function parentReference(address: StoredObject): string {
  const parent = at(address, 'spec.parentRef')
  if (!isFields(parent)) return NONE
  const group = textAt(parent, 'group')
  const resource = `${textAt(parent, 'resource')}${group === '' ? '' : `.${group}`}`.toLowerCase()
  return [resource, textAt(parent, 'namespace'), textAt(parent, 'name')].filter(Boolean).join('/')
}

function parameterReference(binding: StoredObject): string {
  const reference = at(binding, 'spec.paramRef')
  if (!isFields(reference)) return UNSET
  const name = textAt(reference, 'name')
  if (name !== '') return `${textAt(reference, 'namespace', '*')}/${name}`
  return isFields(reference['selector']) ? formatLabelSelector(reference['selector']) : UNSET
}

const ACCESS_MODES = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
] as const

function accessModes(object: StoredObject, path: string): string {
  const modes = textList(object, path)
  return ACCESS_MODES.filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',')
}

function phase(object: StoredObject): string {
  return object.metadata.deletionTimestamp === undefined ? textAt(object, 'status.phase') : 'Terminating'
}

const isBound = (claim: StoredObject): boolean => textAt(claim, 'spec.volumeName') !== ''

function claimState(claim: StoredObject): string {
  const deleted = claim.metadata.deletionTimestamp !== undefined
  const allocated = isFields(at(claim, 'status.allocation'))
  const reserved = allocated && listAt(claim, 'status.reservedFor').length > 0
  return [deleted && 'deleted', !allocated && !deleted && 'pending', allocated && 'allocated', reserved && 'reserved']
    .filter(Boolean)
    .join(',')
}

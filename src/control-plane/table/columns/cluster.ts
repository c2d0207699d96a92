/** Columns of nodes, namespaces, configuration, access, events and leases. */
import { at, fieldsAt, listAt, numberAt, textAt } from '../../builtin/fields.ts'
import type { PrinterColumn, StoredObject } from '../../registry/resource-definition.ts'
import { AGE, column, count, hasCondition, integer, NAME, NONE, text, wide } from '../column.ts'
import { age, humanDuration } from '../human-duration.ts'

const keyCount = (...paths: string[]): PrinterColumn =>
  column('Data', (object) => paths.reduce((sum, path) => sum + Object.keys(fieldsAt(object, path)).length, 0))

const bindingColumns: readonly PrinterColumn[] = [
  NAME,
  column('Role', (binding) => `${textAt(binding, 'roleRef.kind')}/${textAt(binding, 'roleRef.name')}`),
  AGE,
  ...wide(subjects('Users', 'User'), subjects('Groups', 'Group'), subjects('ServiceAccounts', 'ServiceAccount')),
]

function subjects(name: string, kind: string): PrinterColumn {
  const nameOf = (subject: unknown): string =>
    kind === 'ServiceAccount' ? `${textAt(subject, 'namespace')}/${textAt(subject, 'name')}` : textAt(subject, 'name')
  return column(name, (binding) =>
    listAt(binding, 'subjects')
      .filter((subject) => textAt(subject, 'kind') === kind)
      .map(nameOf)
      .join(', '),
  )
}

/** Roles are listed by name and creation time, not by age [k8s printers: kinds without handlers]. */
const createdAt = column('Created At', ({ metadata }) => metadata.creationTimestamp, 'date')

export const clusterColumns: Readonly<Record<string, readonly PrinterColumn[]>> = {
  '/Namespace': [NAME, text('Status', 'status.phase'), AGE],
  '/Node': [
    NAME,
    column('Status', nodeStatus),
    column('Roles', nodeRoles),
    AGE,
    text('Version', 'status.nodeInfo.kubeletVersion'),
    ...wide(
      column('Internal-IP', (node) => nodeAddress(node, 'InternalIP')),
      column('External-IP', (node) => nodeAddress(node, 'ExternalIP')),
      text('OS-Image', 'status.nodeInfo.osImage', '<unknown>'),
      column('Kernel-Version', kernelVersion),
      text('Container-Runtime', 'status.nodeInfo.containerRuntimeVersion', '<unknown>'),
    ),
  ],
  '/ConfigMap': [NAME, keyCount('data', 'binaryData'), AGE],
  '/Secret': [NAME, text('Type', 'type'), keyCount('data'), AGE],
  '/ServiceAccount': [NAME, AGE],
  '/Event': eventColumns('involvedObject'),
  'events.k8s.io/Event': eventColumns('regarding'),
  '/ComponentStatus': [NAME, text('Status', ''), text('Message', ''), text('Error', '')],
  '/ResourceQuota': [
    NAME,
    column('Request', (quota) => quotaText(quota, false)),
    column('Limit', (quota) => quotaText(quota, true)),
    AGE,
  ],
  '/LimitRange': [NAME, createdAt],
  'coordination.k8s.io/Lease': [NAME, text('Holder', 'spec.holderIdentity'), AGE],
  'rbac.authorization.k8s.io/Role': [NAME, createdAt],
  'rbac.authorization.k8s.io/ClusterRole': [NAME, createdAt],
  'rbac.authorization.k8s.io/RoleBinding': bindingColumns,
  'rbac.authorization.k8s.io/ClusterRoleBinding': bindingColumns,
  'apiextensions.k8s.io/CustomResourceDefinition': [NAME, createdAt],
  'apiregistration.k8s.io/APIService': [
    NAME,
    column('Service', apiService),
    column('Available', apiServiceAvailable),
    AGE,
  ],
  'certificates.k8s.io/CertificateSigningRequest': [
    NAME,
    AGE,
    text('SignerName', 'spec.signerName', NONE),
    text('Requestor', 'spec.username'),
    column('RequestedDuration', (csr) => {
      const seconds = at(csr, 'spec.expirationSeconds')
      return typeof seconds === 'number' ? humanDuration(seconds * 1000) : NONE
    }),
    column('Condition', csrCondition),
  ],
  'scheduling.k8s.io/PriorityClass': [
    NAME,
    integer('Value', 'value'),
    column('Global-Default', (object) => at(object, 'globalDefault') === true, 'boolean'),
    AGE,
    text('PreemptionPolicy', 'preemptionPolicy'),
  ],
  'node.k8s.io/RuntimeClass': [NAME, text('Handler', 'handler'), AGE],
  'flowcontrol.apiserver.k8s.io/FlowSchema': [
    NAME,
    text('PriorityLevel', 'spec.priorityLevelConfiguration.name'),
    count('MatchingPrecedence', 'spec.matchingPrecedence'),
    text('DistinguisherMethod', 'spec.distinguisherMethod.type', NONE),
    AGE,
    column('MissingPL', danglingStatus),
  ],
}

function nodeStatus(node: StoredObject): string {
  const ready = listAt(node, 'status.conditions').find((condition) => textAt(condition, 'type') === 'Ready')
  const readiness = textAt(ready, 'status') === 'True' ? 'Ready' : 'NotReady'
  const status = ready === undefined ? 'Unknown' : readiness
  return at(node, 'spec.unschedulable') === true ? `${status},SchedulingDisabled` : status
}

const ROLE_PREFIX = 'node-role.kubernetes.io/'

function nodeRoles({ metadata }: StoredObject): string {
  const labels = Object.entries(metadata.labels ?? {})
  const roles = labels.filter(([key]) => key.startsWith(ROLE_PREFIX)).map(([key]) => key.slice(ROLE_PREFIX.length))
  const named = labels.filter(([key]) => key === 'kubernetes.io/role').map(([, value]) => value)
  return [...new Set([...roles, ...named])].filter(Boolean).sort().join(',') || NONE
}

function nodeAddress(node: StoredObject, type: string): string {
  const address = listAt(node, 'status.addresses').find((candidate) => textAt(candidate, 'type') === type)
  return textAt(address, 'address', NONE)
}

function kernelVersion(node: StoredObject): string {
  const architecture = textAt(node, 'status.nodeInfo.architecture')
  const version = textAt(node, 'status.nodeInfo.kernelVersion', '<unknown>')
  return architecture === '' ? version : `${version} (${architecture})`
}

/** `regarding` is the name that events.k8s.io gives to `involvedObject`; the other old fields have a `deprecated` prefix there. */
function eventColumns(subject: 'involvedObject' | 'regarding'): readonly PrinterColumn[] {
  const old = (name: string): string =>
    subject === 'involvedObject' ? name : `deprecated${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
  const first = (event: StoredObject, now: number): string =>
    age(textAt(event, old('firstTimestamp'), textAt(event, 'eventTime')), now)
  const last = (event: StoredObject, now: number): string => {
    const seen = textAt(event, 'series.lastObservedTime', textAt(event, old('lastTimestamp')))
    return seen === '' ? first(event, now) : age(seen, now)
  }
  return [
    column('Last Seen', last),
    text('Type', 'type'),
    text('Reason', 'reason'),
    column('Object', (event) => objectName(at(event, subject))),
    ...wide(
      text('Subobject', `${subject}.fieldPath`),
      column('Source', (event) => eventSource(event, old('source'))),
    ),
    column('Message', (event) => textAt(event, subject === 'involvedObject' ? 'message' : 'note').trim()),
    ...wide(
      column('First Seen', first),
      column('Count', (event) => numberAt(event, 'series.count') || numberAt(event, old('count')) || 1),
      NAME,
    ),
  ]
}

function objectName(reference: unknown): string {
  const kind = textAt(reference, 'kind').toLowerCase()
  const name = textAt(reference, 'name')
  return name === '' ? kind : `${kind}/${name}`
}

function eventSource(event: StoredObject, source: string): string {
  const component = textAt(
    event,
    `${source}.component`,
    textAt(event, 'reportingComponent', textAt(event, 'reportingController')),
  )
  const instance = textAt(event, `${source}.host`, textAt(event, 'reportingInstance'))
  return instance === '' ? component : `${component}, ${instance}`
}

function quotaText(quota: StoredObject, limits: boolean): string {
  const hard = fieldsAt(quota, 'status.hard')
  const used = fieldsAt(quota, 'status.used')
  return Object.keys(hard)
    .filter((name) => name.startsWith('limits.') === limits)
    .sort()
    .map((name) => `${name}: ${String(used[name] ?? '0')}/${String(hard[name])}`)
    .join(', ')
}

function apiService(service: StoredObject): string {
  const name = textAt(service, 'spec.service.name')
  return name === '' ? 'Local' : `${textAt(service, 'spec.service.namespace')}/${name}`
}

function apiServiceAvailable(service: StoredObject): string {
  if (hasCondition(service, 'Available')) return 'True'
  const condition = listAt(service, 'status.conditions').find((candidate) => textAt(candidate, 'type') === 'Available')
  return condition === undefined ? 'Unknown' : `${textAt(condition, 'status')} (${textAt(condition, 'reason')})`
}

function csrCondition(csr: StoredObject): string {
  const types = new Set(listAt(csr, 'status.conditions').map((condition) => textAt(condition, 'type')))
  const approved = types.has('Approved') ? 'Approved' : 'Pending'
  const decision = types.has('Denied') ? 'Denied' : approved
  const failed = types.has('Failed') ? ',Failed' : ''
  return `${decision}${failed}${textAt(csr, 'status.certificate') === '' ? '' : ',Issued'}`
}

function danglingStatus(flowSchema: StoredObject): string {
  const conditions = listAt(flowSchema, 'status.conditions')
  return textAt(
    conditions.find((condition) => textAt(condition, 'type') === 'Dangling'),
    'status',
    '?',
  )
}

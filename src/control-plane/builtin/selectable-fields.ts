/** Fields that built-in kinds may be selected on, besides name and namespace [k8s registry strategies]. */

import { at, fieldsAt, listAt, numberAt, textAt } from './fields.ts'

const EVENT_FIELDS = [
  'involvedObject.kind',
  'involvedObject.namespace',
  'involvedObject.name',
  'involvedObject.uid',
  'involvedObject.apiVersion',
  'involvedObject.resourceVersion',
  'involvedObject.fieldPath',
  'reason',
  'reportingComponent',
  'source',
  'type',
]

/** events.k8s.io calls the object differently. */
const REGARDING_FIELDS = EVENT_FIELDS.filter((path) => path.startsWith('involvedObject.')).map((path) =>
  path.replace('involvedObject.', 'regarding.'),
)

const SELECTABLE: Readonly<Record<string, readonly string[]>> = {
  '/Pod': [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.podIPs',
    'status.nominatedNodeName',
  ],
  '/Event': EVENT_FIELDS,
  'events.k8s.io/Event': [...REGARDING_FIELDS, 'reason', 'reportingController', 'type'],
  '/Node': ['spec.unschedulable'],
  '/Namespace': ['status.phase'],
  '/Secret': ['type'],
  '/Service': ['spec.clusterIP', 'spec.type'],
  '/ReplicationController': ['status.replicas'],
  'apps/ReplicaSet': ['status.replicas'],
  'batch/Job': ['status.successful'],
  'certificates.k8s.io/CertificateSigningRequest': ['spec.signerName'],
  'resource.k8s.io/ResourceSlice': ['spec.nodeName', 'spec.driver'],
}

export function selectableFields(group: string, kind: string): readonly string[] {
  return SELECTABLE[`${group}/${kind}`] ?? []
}

type Value = (object: unknown) => string

const zero =
  (path: string): Value =>
  (object) =>
    String(numberAt(object, path))
const falsy =
  (path: string): Value =>
  (object) =>
    String(at(object, path) === true)

/** Fields whose value as selectors see it is not simply the text at their path. */
const VALUES: Readonly<Record<string, Value>> = {
  '/Node spec.unschedulable': falsy('spec.unschedulable'),
  '/Pod spec.hostNetwork': falsy('spec.hostNetwork'),
  '/Pod status.podIP': (pod) => textAt(listAt(pod, 'status.podIPs')[0], 'ip'),
  '/Pod status.podIPs': (pod) => textAt(listAt(pod, 'status.podIPs')[0], 'ip'),
  '/Event source': (event) => textAt(fieldsAt(event, 'source'), 'component', textAt(event, 'reportingComponent')),
  '/ReplicationController status.replicas': zero('status.replicas'),
  'apps/ReplicaSet status.replicas': zero('status.replicas'),
  'batch/Job status.successful': zero('status.succeeded'),
}

/** The value of a selectable field where it is computed; undefined where it is what stands at the path. */
export function selectableValue(group: string, kind: string, path: string): Value | undefined {
  return VALUES[`${group}/${kind} ${path}`]
}

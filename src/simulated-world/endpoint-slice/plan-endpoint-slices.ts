/** One EndpointSlice for each Service with a selector: where its pods are and which take traffic [k8s endpointslice]. */
import { isDeepStrictEqual } from 'node:util'
import type { Action, Plan } from '../engine/plan.ts'
import {
  ENDPOINT_SLICES,
  type Endpoint,
  type EndpointPort,
  type EndpointSlice,
  type Pod,
  SERVICES,
  type Service,
  type ServicePort,
} from '../kinds.ts'
import { isFinished, isReady, isTerminating, ownerReferenceTo } from '../objects/pods.ts'

export interface ObservedService {
  readonly service: Service
  /** Those that its selector matches. */
  readonly pods: readonly Pod[]
  /** The slices that it controls. */
  readonly slices: readonly EndpointSlice[]
}

export const SERVICE_LABEL = 'kubernetes.io/service-name'
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by'
const MANAGER = 'endpointslice-controller.k8s.io'
/** What one slice may hold [k8s EndpointSlice]. */
const LARGEST = 1000

export function planEndpointSlices({ service, pods, slices }: ObservedService): Plan {
  if (isTerminating(service) || service.spec?.selector === undefined) return { actions: [], notes: [] }
  const placed = pods.filter(({ status }) => status?.podIP !== undefined && status.podIP !== '')
  const endpoints = placed
    .filter((pod) => !isFinished(pod))
    .toSorted(byName)
    .slice(0, LARGEST)
  const wanted = {
    endpoints: endpoints.map((pod) => endpointOf(service, pod)),
    ports: portsOf(service, endpoints[0]),
  }
  const [slice, ...surplus] = slices.filter((one) => !isTerminating(one))
  const removals = surplus.map((object): Action => ({ kind: 'Delete', type: ENDPOINT_SLICES, object }))
  if (slice === undefined) return { actions: [createSlice(service, wanted)], notes: [] }
  const isSame = isDeepStrictEqual(plain(slice), plain(wanted))
  const update: Action = { kind: 'Replace', type: ENDPOINT_SLICES, object: { ...slice, ...wanted } as EndpointSlice }
  return { actions: [...removals, ...(isSame ? [] : [update])], notes: [] }
}

interface Content {
  readonly endpoints: readonly Endpoint[]
  readonly ports: readonly EndpointPort[]
}

/** An empty list may come back from the server as null. */
function plain({ endpoints, ports }: Content): object {
  return JSON.parse(JSON.stringify({ endpoints: endpoints ?? [], ports: ports ?? [] }))
}

function byName(a: Pod, b: Pod): number {
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1
}

function endpointOf({ spec }: Service, pod: Pod): Endpoint {
  const { name = '', namespace = '', uid = '' } = pod.metadata
  const serving = isReady(pod)
  const terminating = isTerminating(pod)
  const ready = spec?.publishNotReadyAddresses === true || (serving && !terminating)
  return {
    addresses: [pod.status?.podIP ?? ''],
    conditions: { ready, serving, terminating },
    ...(pod.spec.nodeName === undefined ? {} : { nodeName: pod.spec.nodeName }),
    ...(pod.spec.hostname === undefined ? {} : { hostname: pod.spec.hostname }),
    targetRef: { kind: 'Pod', namespace, name, uid },
  }
}

/** A named target port is looked up in the first pod: pods of one Service rarely differ in it. */
function portsOf({ spec }: Service, pod: Pod | undefined): EndpointPort[] {
  return (spec?.ports ?? []).flatMap((port) => {
    const number = targetPort(port, pod)
    if (number === undefined) return []
    const { name = '', protocol = 'TCP', appProtocol } = port
    return [{ name, port: number, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }]
  })
}

function targetPort({ port, targetPort: target }: ServicePort, pod: Pod | undefined): number | undefined {
  if (typeof target === 'number') return target === 0 ? port : target
  if (target === undefined || target === '') return port
  const ports = (pod?.spec.containers ?? []).flatMap((container) => container.ports ?? [])
  return ports.find(({ name }) => name === target)?.containerPort
}

function createSlice(service: Service, content: Content): Action {
  const { name = '', namespace, labels } = service.metadata
  const object: EndpointSlice = {
    metadata: {
      generateName: `${name}-`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...labels, [SERVICE_LABEL]: name, [MANAGED_BY]: MANAGER },
      ownerReferences: [ownerReferenceTo(SERVICES, service)],
    },
    addressType: 'IPv4',
    ...content,
  }
  return { kind: 'Create', type: ENDPOINT_SLICES, object }
}

/** Built-in kinds that the operator reads or writes, with the fields it uses. */
import type { KubeObject, ResourceType } from './resource.ts'

export interface Secret extends KubeObject {
  type?: string
  immutable?: boolean
  /** Values in base64. */
  data?: Record<string, string>
  /** Write only: values as plain text. */
  stringData?: Record<string, string>
}

export interface ConfigMap extends KubeObject {
  immutable?: boolean
  data?: Record<string, string>
  /** Values in base64. */
  binaryData?: Record<string, string>
}

export interface InvolvedObject {
  apiVersion?: string
  kind?: string
  namespace?: string
  name?: string
  uid?: string
  resourceVersion?: string
  fieldPath?: string
}

/** `v1` Event. */
export interface KubeEvent extends KubeObject {
  involvedObject: InvolvedObject
  related?: InvolvedObject
  reason?: string
  message?: string
  type?: string
  action?: string
  count?: number
  firstTimestamp?: string | null
  lastTimestamp?: string | null
  eventTime?: string | null
  series?: { count: number; lastObservedTime: string }
  source?: { component?: string; host?: string }
  reportingComponent?: string
  reportingInstance?: string
}

/** `coordination.k8s.io/v1` Lease: who leads. Nothing to do with a ClusterLease. */
export interface CoordinationLease extends KubeObject {
  spec?: {
    holderIdentity?: string | null
    leaseDurationSeconds?: number
    /** RFC 3339 with microseconds. */
    acquireTime?: string | null
    /** RFC 3339 with microseconds. */
    renewTime?: string | null
    leaseTransitions?: number
  }
}

export interface Namespace extends KubeObject {
  spec?: { finalizers?: string[] }
  status?: { phase?: string }
}

export interface ContainerStatus {
  name: string
  ready: boolean
  restartCount: number
  state?: ContainerState
  lastState?: ContainerState
}

export interface ContainerState {
  waiting?: { reason?: string; message?: string }
  running?: { startedAt?: string }
  terminated?: { exitCode: number; reason?: string; message?: string }
}

/** The operator's view of a condition of a built-in kind. */
export interface CoreCondition {
  type: string
  status: string
  reason?: string
  message?: string
  lastTransitionTime?: string
}

export interface Pod extends KubeObject {
  spec?: Record<string, unknown> & { nodeName?: string }
  status?: {
    phase?: string
    reason?: string
    message?: string
    podIP?: string
    conditions?: CoreCondition[]
    containerStatuses?: ContainerStatus[]
    initContainerStatuses?: ContainerStatus[]
  }
}

export interface Node extends KubeObject {
  spec?: {
    unschedulable?: boolean
    providerID?: string
    podCIDR?: string
    taints?: Array<{ key: string; value?: string; effect: string; timeAdded?: string }>
  }
  status?: {
    conditions?: CoreCondition[]
    addresses?: Array<{ type: string; address: string }>
    capacity?: Record<string, string>
    allocatable?: Record<string, string>
    nodeInfo?: { bootID?: string; kubeletVersion?: string; machineID?: string; systemUUID?: string }
  }
}

export interface Service extends KubeObject {
  spec?: {
    type?: string
    clusterIP?: string
    selector?: Record<string, string>
    ports?: Array<{ name?: string; port: number; targetPort?: number | string; protocol?: string; nodePort?: number }>
  }
  status?: Record<string, unknown>
}

export interface Deployment extends KubeObject {
  spec?: Record<string, unknown> & { replicas?: number }
  status?: {
    observedGeneration?: number
    replicas?: number
    readyReplicas?: number
    updatedReplicas?: number
    availableReplicas?: number
    conditions?: CoreCondition[]
  }
}

export interface Job extends KubeObject {
  spec?: Record<string, unknown> & { backoffLimit?: number }
  status?: { active?: number; succeeded?: number; failed?: number; conditions?: CoreCondition[] }
}

export interface CustomResourceDefinition extends KubeObject {
  spec: {
    group: string
    scope: 'Namespaced' | 'Cluster'
    names: {
      plural: string
      singular: string
      kind: string
      listKind: string
      shortNames?: string[]
      categories?: string[]
    }
    versions: CustomResourceVersion[]
  }
  status?: { conditions?: CoreCondition[]; storedVersions?: string[] }
}

export interface CustomResourceVersion {
  name: string
  served: boolean
  storage: boolean
  schema: { openAPIV3Schema: Record<string, unknown> }
  subresources?: {
    status?: Record<string, never>
    scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string }
  }
  additionalPrinterColumns?: Array<{
    name: string
    type: string
    jsonPath: string
    description?: string
    format?: string
    priority?: number
  }>
  selectableFields?: Array<{ jsonPath: string }>
}

const core = <T extends KubeObject>(kind: string, plural: string, namespaced = true): ResourceType<T> => ({
  group: '',
  version: 'v1',
  plural,
  kind,
  namespaced,
})

export const SECRETS = core<Secret>('Secret', 'secrets')
export const CONFIG_MAPS = core<ConfigMap>('ConfigMap', 'configmaps')
export const EVENTS = core<KubeEvent>('Event', 'events')
export const NAMESPACES = core<Namespace>('Namespace', 'namespaces', false)
export const PODS = core<Pod>('Pod', 'pods')
export const NODES = core<Node>('Node', 'nodes', false)
export const SERVICES = core<Service>('Service', 'services')

export const LEASES: ResourceType<CoordinationLease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
}

export const DEPLOYMENTS: ResourceType<Deployment> = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  namespaced: true,
}

export const JOBS: ResourceType<Job> = { group: 'batch', version: 'v1', plural: 'jobs', kind: 'Job', namespaced: true }

export const CUSTOM_RESOURCE_DEFINITIONS: ResourceType<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
}

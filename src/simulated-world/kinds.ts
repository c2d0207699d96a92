/** The built-in kinds of a running cluster, with the fields that the simulated world reads or writes. */
import type { KubeObject, ResourceType } from '../api/resource.ts'
import type { Condition, LabelSelector, Node, Pod, PodTemplate } from './pod-kinds.ts'

export type { CoordinationLease } from '../api/core-resources.ts'
export { LEASES } from '../api/core-resources.ts'
export type * from './pod-kinds.ts'

/** A whole number or a percentage such as `25%`. */
export type IntOrPercent = number | string

export interface WorkloadStatus {
  readonly observedGeneration?: number
  readonly replicas?: number
  readonly readyReplicas?: number
  readonly availableReplicas?: number
  readonly conditions?: readonly Condition[]
}

export interface RollingUpdate {
  readonly maxSurge?: IntOrPercent
  readonly maxUnavailable?: IntOrPercent
  readonly partition?: number
}

export interface DeploymentStatus extends WorkloadStatus {
  readonly updatedReplicas?: number
  readonly unavailableReplicas?: number
}

export interface Deployment extends KubeObject {
  spec: {
    readonly replicas?: number
    readonly selector: LabelSelector
    readonly template: PodTemplate
    readonly strategy?: { readonly type?: string; readonly rollingUpdate?: RollingUpdate }
    readonly minReadySeconds?: number
    readonly revisionHistoryLimit?: number
    readonly progressDeadlineSeconds?: number
    readonly paused?: boolean
  }
  status?: DeploymentStatus
}

export interface ReplicaSetStatus extends WorkloadStatus {
  readonly fullyLabeledReplicas?: number
}

export interface ReplicaSet extends KubeObject {
  spec: {
    readonly replicas?: number
    readonly selector: LabelSelector
    readonly template: PodTemplate
    readonly minReadySeconds?: number
  }
  status?: ReplicaSetStatus
}

export interface StatefulSetStatus extends WorkloadStatus {
  readonly currentReplicas?: number
  readonly updatedReplicas?: number
  readonly currentRevision?: string
  readonly updateRevision?: string
  readonly collisionCount?: number
}

export interface StatefulSet extends KubeObject {
  spec: {
    readonly replicas?: number
    readonly selector: LabelSelector
    readonly template: PodTemplate
    readonly serviceName?: string
    readonly podManagementPolicy?: string
    readonly updateStrategy?: { readonly type?: string; readonly rollingUpdate?: RollingUpdate }
    readonly minReadySeconds?: number
    readonly revisionHistoryLimit?: number
    readonly ordinals?: { readonly start?: number }
    readonly volumeClaimTemplates?: ReadonlyArray<{
      readonly metadata?: { readonly name?: string; readonly labels?: Record<string, string> }
      readonly spec?: object
    }>
  }
  status?: StatefulSetStatus
}

export interface DaemonSetStatus {
  readonly observedGeneration?: number
  readonly currentNumberScheduled?: number
  readonly desiredNumberScheduled?: number
  readonly numberMisscheduled?: number
  readonly numberReady?: number
  readonly numberAvailable?: number
  readonly numberUnavailable?: number
  readonly updatedNumberScheduled?: number
}

export interface DaemonSet extends KubeObject {
  spec: {
    readonly selector: LabelSelector
    readonly template: PodTemplate
    readonly updateStrategy?: { readonly type?: string; readonly rollingUpdate?: RollingUpdate }
    readonly minReadySeconds?: number
    readonly revisionHistoryLimit?: number
  }
  status?: DaemonSetStatus
}

/** A former template of a StatefulSet or DaemonSet. */
export interface ControllerRevision extends KubeObject {
  data?: { readonly spec?: { readonly template?: PodTemplate } }
  revision: number
}

export interface JobStatus {
  readonly active?: number
  readonly ready?: number
  readonly succeeded?: number
  readonly failed?: number
  readonly startTime?: string
  readonly completionTime?: string
  readonly uncountedTerminatedPods?: object
  readonly conditions?: readonly Condition[]
}

export interface Job extends KubeObject {
  spec: {
    readonly parallelism?: number
    readonly completions?: number
    readonly backoffLimit?: number
    readonly activeDeadlineSeconds?: number
    readonly ttlSecondsAfterFinished?: number
    readonly suspend?: boolean
    readonly template: PodTemplate
  }
  status?: JobStatus
}

export interface DisruptionBudgetStatus {
  readonly observedGeneration?: number
  readonly currentHealthy?: number
  readonly desiredHealthy?: number
  readonly disruptionsAllowed?: number
  readonly expectedPods?: number
  readonly disruptedPods?: Readonly<Record<string, string>>
  readonly conditions?: readonly Condition[]
}

export interface PodDisruptionBudget extends KubeObject {
  spec: {
    readonly selector?: LabelSelector
    readonly minAvailable?: IntOrPercent
    readonly maxUnavailable?: IntOrPercent
  }
  status?: DisruptionBudgetStatus
}

export interface ServicePort {
  readonly name?: string
  readonly port: number
  readonly targetPort?: number | string
  readonly protocol?: string
  readonly appProtocol?: string
}

export interface Service extends KubeObject {
  spec?: {
    readonly type?: string
    readonly clusterIP?: string
    readonly selector?: Readonly<Record<string, string>>
    readonly ports?: readonly ServicePort[]
    readonly publishNotReadyAddresses?: boolean
  }
}

export interface Endpoint {
  readonly addresses: readonly string[]
  readonly conditions: { readonly ready: boolean; readonly serving: boolean; readonly terminating: boolean }
  readonly nodeName?: string
  readonly hostname?: string
  readonly targetRef: { readonly kind: 'Pod'; readonly namespace: string; readonly name: string; readonly uid: string }
}

export interface EndpointPort {
  readonly name: string
  readonly port: number
  readonly protocol: string
  readonly appProtocol?: string
}

export interface EndpointSlice extends KubeObject {
  addressType: string
  endpoints: readonly Endpoint[]
  ports: readonly EndpointPort[]
}

export interface PersistentVolumeClaim extends KubeObject {
  spec?: object
}

const type =
  (group: string, version: string) =>
  <T extends KubeObject>(kind: string, plural: string, namespaced = true): ResourceType<T> => ({
    group,
    version,
    plural,
    kind,
    namespaced,
  })
const core = type('', 'v1')
const apps = type('apps', 'v1')

export const PODS = core<Pod>('Pod', 'pods')
export const NODES = core<Node>('Node', 'nodes', false)
export const SERVICES = core<Service>('Service', 'services')
export const CLAIMS = core<PersistentVolumeClaim>('PersistentVolumeClaim', 'persistentvolumeclaims')
export const DEPLOYMENTS = apps<Deployment>('Deployment', 'deployments')
export const REPLICA_SETS = apps<ReplicaSet>('ReplicaSet', 'replicasets')
export const STATEFUL_SETS = apps<StatefulSet>('StatefulSet', 'statefulsets')
export const DAEMON_SETS = apps<DaemonSet>('DaemonSet', 'daemonsets')
export const CONTROLLER_REVISIONS = apps<ControllerRevision>('ControllerRevision', 'controllerrevisions')
export const JOBS = type('batch', 'v1')<Job>('Job', 'jobs')
export const DISRUPTION_BUDGETS = type('policy', 'v1')<PodDisruptionBudget>(
  'PodDisruptionBudget',
  'poddisruptionbudgets',
)
export const ENDPOINT_SLICES = type('discovery.k8s.io', 'v1')<EndpointSlice>('EndpointSlice', 'endpointslices')

/** Workloads as the API shows them, with the fields that health checks look at. */
import type { ContainerStatus } from '../../api/core-resources.ts'
import type { KubeObject, ResourceType } from '../../api/resource.ts'
import type { RoomPod } from '../../core/drain/room.ts'

/** Of any kind; a kind has the counts that it has. */
export interface Workload extends KubeObject {
  readonly status?: {
    readonly observedGeneration?: number
    readonly availableReplicas?: number
    readonly desiredNumberScheduled?: number
    readonly numberAvailable?: number
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  }
}

export interface StatefulSet extends Workload {
  readonly spec?: { readonly replicas?: number }
}

export interface WorkloadPod extends RoomPod {
  readonly status?: RoomPod['status'] & {
    readonly containerStatuses?: readonly ContainerStatus[]
    readonly initContainerStatuses?: readonly ContainerStatus[]
  }
}

const apps = <T extends KubeObject>(kind: string, plural: string): ResourceType<T> => ({
  group: 'apps',
  version: 'v1',
  plural,
  kind,
  namespaced: true,
})

export const DEPLOYMENTS = apps<Workload>('Deployment', 'deployments')
export const STATEFUL_SETS = apps<StatefulSet>('StatefulSet', 'statefulsets')

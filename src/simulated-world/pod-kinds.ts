/** Pods and nodes, with the fields that the simulated world reads or writes. */
import type { CoreCondition } from '../api/core-resources.ts'
import type { KubeObject } from '../api/resource.ts'

export interface LabelSelectorRequirement {
  readonly key: string
  /** In, NotIn, Exists, DoesNotExist; for nodes also Gt and Lt. */
  readonly operator: string
  readonly values?: readonly string[]
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly LabelSelectorRequirement[]
}

export interface Toleration {
  readonly key?: string
  readonly operator?: string
  readonly value?: string
  readonly effect?: string
  readonly tolerationSeconds?: number
}

export interface Taint {
  readonly key: string
  readonly value?: string
  readonly effect: string
  readonly timeAdded?: string
}

export interface Container {
  readonly name: string
  readonly image?: string
  readonly restartPolicy?: string
  readonly resources?: { readonly requests?: Readonly<Record<string, string>> }
  readonly ports?: ReadonlyArray<{ readonly name?: string; readonly containerPort: number; readonly protocol?: string }>
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly LabelSelectorRequirement[]
  readonly matchFields?: readonly LabelSelectorRequirement[]
}

export interface PodAffinityTerm {
  readonly labelSelector?: LabelSelector
  readonly topologyKey: string
  readonly namespaces?: readonly string[]
}

export interface Affinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: {
      readonly nodeSelectorTerms: readonly NodeSelectorTerm[]
    }
  }
  readonly podAffinity?: { readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[] }
  readonly podAntiAffinity?: { readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[] }
}

export interface TopologySpreadConstraint {
  readonly maxSkew: number
  readonly topologyKey: string
  readonly whenUnsatisfiable: string
  readonly labelSelector?: LabelSelector
}

export interface Volume {
  readonly name: string
  readonly persistentVolumeClaim?: { readonly claimName: string }
}

export interface PodSpec {
  readonly nodeName?: string
  readonly schedulerName?: string
  readonly hostname?: string
  readonly subdomain?: string
  readonly restartPolicy?: string
  readonly hostNetwork?: boolean
  readonly terminationGracePeriodSeconds?: number
  readonly schedulingGates?: ReadonlyArray<{ readonly name: string }>
  readonly containers: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly nodeSelector?: Readonly<Record<string, string>>
  readonly affinity?: Affinity
  readonly tolerations?: readonly Toleration[]
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[]
  readonly volumes?: readonly Volume[]
}

export interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec: PodSpec
}

export interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string }
  readonly running?: { readonly startedAt?: string }
  readonly terminated?: {
    readonly exitCode: number
    readonly reason?: string
    readonly startedAt?: string
    readonly finishedAt?: string
  }
}

export interface ContainerStatus {
  readonly name: string
  readonly ready: boolean
  readonly started?: boolean
  readonly restartCount: number
  readonly image: string
  readonly imageID: string
  readonly containerID?: string
  readonly state?: ContainerState
  readonly lastState?: ContainerState
}

/** Absent and null mean the same in merge patches. */
export interface Condition extends CoreCondition {
  observedGeneration?: number
  lastProbeTime?: string | null
  lastHeartbeatTime?: string
  lastUpdateTime?: string
}

export interface PodStatus {
  readonly phase?: string
  readonly reason?: string
  readonly message?: string
  readonly hostIP?: string
  readonly podIP?: string
  readonly podIPs?: ReadonlyArray<{ readonly ip: string }>
  readonly startTime?: string
  readonly observedGeneration?: number
  readonly conditions?: readonly Condition[]
  readonly containerStatuses?: readonly ContainerStatus[]
  readonly initContainerStatuses?: readonly ContainerStatus[]
}

export interface Pod extends KubeObject {
  spec: PodSpec
  status?: PodStatus
}

export interface NodeStatus {
  readonly conditions?: readonly Condition[]
  readonly addresses?: ReadonlyArray<{ readonly type: string; readonly address: string }>
  readonly capacity?: Readonly<Record<string, string>>
  readonly allocatable?: Readonly<Record<string, string>>
  readonly nodeInfo?: Readonly<Record<string, string>>
}

export interface Node extends KubeObject {
  spec?: {
    readonly unschedulable?: boolean
    readonly providerID?: string
    readonly podCIDR?: string
    readonly podCIDRs?: readonly string[]
    readonly taints?: readonly Taint[]
  }
  status?: NodeStatus
}

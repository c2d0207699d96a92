/**
 * Draining one node: what is observed, what is remembered, what is decided.
 *
 *   every pod of the node -> skip | wait | evict (in order) | block
 *   nothing left to evict or wait for                     -> Drained
 *   a pod that must not go, with nothing to allow it      -> Failed at once, nothing is evicted
 *   the deadline passed                                   -> as `onTimeout` says: Failed, Skipped, or the rest is deleted
 *
 * The memory is a convenience: a drain whose memory was lost goes on from the pods, only its attempts count anew.
 */
import type { LabelSelector } from '../../api/label-selector.ts'
import type { KubeObject } from '../../api/resource.ts'

export interface DrainPod extends KubeObject {
  readonly spec?: {
    readonly nodeName?: string
    readonly priorityClassName?: string
    readonly terminationGracePeriodSeconds?: number
    readonly volumes?: readonly DrainVolume[]
  }
  readonly status?: {
    readonly phase?: string
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  }
}

export interface DrainVolume {
  readonly name?: string
  readonly emptyDir?: object
  readonly persistentVolumeClaim?: { readonly claimName: string }
  readonly ephemeral?: object
}

export interface DisruptionBudget extends KubeObject {
  readonly spec?: {
    readonly selector?: LabelSelector
    readonly minAvailable?: number | string
    readonly maxUnavailable?: number | string
    readonly unhealthyPodEvictionPolicy?: string
  }
  readonly status?: {
    readonly disruptionsAllowed?: number
    readonly currentHealthy?: number
    readonly desiredHealthy?: number
    readonly expectedPods?: number
    readonly observedGeneration?: number
  }
}

export const ON_TIMEOUT = {
  /** The drain fails; the caller gives back its cordon. */
  Fail: 'Fail',
  /** The node is left out and reported. */
  Skip: 'Skip',
  /** What is left is deleted, budgets or not. */
  Force: 'Force',
} as const
export type OnTimeout = keyof typeof ON_TIMEOUT

export interface DrainPolicy {
  /** Default 300 s [C]. Milliseconds. */
  readonly timeoutMs: number
  /** Wait between two attempts for one pod. Default 5 s. Milliseconds. */
  readonly retryIntervalMs: number
  /** Below 0, the default: each pod's own. */
  readonly gracePeriodSeconds: number
  /** Default true. */
  readonly deleteEmptyDirData: boolean
  /** Pods without a controller may go for good. Default false. */
  readonly force: boolean
  readonly onTimeout: OnTimeout
}

export const DEFAULT_DRAIN_POLICY: DrainPolicy = {
  timeoutMs: 300_000,
  retryIntervalMs: 5_000,
  gracePeriodSeconds: -1,
  deleteEmptyDirData: true,
  force: false,
  onTimeout: 'Fail',
}

export interface DrainObserved {
  readonly node: {
    readonly name: string
    /** False: its kubelet has gone silent, so no pod on it will ever be seen to end. */
    readonly reachable: boolean
    /** True: the machine is known to be off, nothing runs on it any more. */
    readonly machineOff: boolean
  }
  /** All pods bound to it, of all namespaces. */
  readonly pods: readonly DrainPod[]
  /** `namespace/name` of every DaemonSet; undefined when they could not be read. */
  readonly daemonSets: ReadonlySet<string> | undefined
  /** `namespace/claim` of claims whose volume is still attached to this node. */
  readonly attachedClaims: ReadonlySet<string>
  /** All budgets of the cluster, or of the namespaces of these pods. */
  readonly budgets: readonly DisruptionBudget[]
  readonly policy: DrainPolicy
  /** When the drain of this node began, epoch milliseconds: from an object, so that a restart does not begin it anew. */
  readonly startedAt: number
  /** The operation's own deadline: the drain's is never later. Epoch milliseconds. */
  readonly operationDeadline: number
  readonly memory: DrainMemory
}

/** One request for one pod's end, and what came back. */
export const ANSWERS = {
  /** 200 or 201: it will end. */
  Accepted: 'Accepted',
  /** 404: it is gone. */
  Gone: 'Gone',
  /** 409 of the UID: a namesake has taken its place, ours is gone. */
  OtherPod: 'OtherPod',
  /** 409 otherwise: somebody wrote in between. */
  Conflict: 'Conflict',
  /** 429 of a budget: it allows nothing now, or its status is behind its spec. */
  Budget: 'Budget',
  /** 429 without a budget: the API server protects itself. */
  Throttled: 'Throttled',
  /** 403 of a namespace that is going: the pod goes with it. */
  NamespaceTerminating: 'NamespaceTerminating',
  /** 403 of a missing permission. */
  Forbidden: 'Forbidden',
  /** An admission webhook said no: it may move the pod by itself. */
  Denied: 'Denied',
  /** No answer in time; the request may have been carried out. */
  NoAnswer: 'NoAnswer',
  /** 5xx: may pass; never when more than one budget covers the pod, which the server answers with 500. */
  ServerError: 'ServerError',
} as const
export type Answer = keyof typeof ANSWERS

export interface EvictionAnswer {
  readonly answer: Answer
  /** As the server said it, for people. */
  readonly message: string
  /** `Retry-After`. Milliseconds. */
  readonly retryAfterMs?: number
}

export interface PodMemory {
  /** Requests sent for this pod: the one counter there is. */
  readonly attempts: number
  readonly last: EvictionAnswer
  /** No request before. Epoch milliseconds. */
  readonly notBefore: number
}

/** By pod UID. */
export type DrainMemory = ReadonlyMap<string, PodMemory>

export const BLOCK_CAUSES = {
  Unmanaged: 'Unmanaged',
  EmptyDir: 'EmptyDir',
  DaemonSetUnknown: 'DaemonSetUnknown',
  BudgetExhausted: 'BudgetExhausted',
  SeveralBudgets: 'SeveralBudgets',
  Forbidden: 'Forbidden',
  WebhookDenied: 'WebhookDenied',
  Throttled: 'Throttled',
  ServerError: 'ServerError',
  NoAnswer: 'NoAnswer',
  Conflict: 'Conflict',
  Terminating: 'Terminating',
  LongJob: 'LongJob',
  VolumeAttached: 'VolumeAttached',
  NotTried: 'NotTried',
} as const
export type BlockCause = keyof typeof BLOCK_CAUSES

/** What keeps pods on the node, one entry per cause. */
export interface Blocker {
  readonly cause: BlockCause
  /** `namespace/name`, sorted. */
  readonly pods: readonly string[]
  /** Names of budgets, as `namespace/name`, sorted. */
  readonly budgets: readonly string[]
  /** What the server last said about one of them. */
  readonly lastAnswer?: string
  readonly attempts: number
}

export interface PodRef {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

export type DrainAction =
  /** POST eviction with the UID as precondition, after a look that the pod is still on this node. */
  | { readonly kind: 'Evict'; readonly pod: PodRef; readonly gracePeriodSeconds?: number }
  /** DELETE with the UID as precondition: past the deadline with Force, or on a machine that is off. */
  | { readonly kind: 'Delete'; readonly pod: PodRef; readonly gracePeriodSeconds: number }

export type DrainOutcome = 'InProgress' | 'Drained' | 'Skipped' | 'Failed'

export interface DrainPlan {
  readonly outcome: DrainOutcome
  readonly actions: readonly DrainAction[]
  /** What is in the way now, or was at the end. */
  readonly blockers: readonly Blocker[]
  /** A sentence with the numbers: node, pods, budgets, last answers. */
  readonly message: string
  /** Look again after so long. Milliseconds; present while InProgress. */
  readonly requeueAfterMs?: number
  readonly deadline: number
}

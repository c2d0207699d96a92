/**
 * Everything `planInstance` may know.
 *
 * How a controller drives it: side effects on a cluster (ensure, probe, gates, destroy) are *actions*; the executor keeps what
 * each of them answered as `Evidence`, in memory, by instance UID, and runs the plan again at once. So a pass is short, a call
 * is made only when the plan asks for it, and after a restart the evidence is simply gathered anew: no decision depends on
 * having been there before. When the backend says that a member may have changed, the controller drops `evidence.member`.
 */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import type { ReadinessGate } from '../../api/v1alpha1/pool-policy.ts'

/** What `Backend.ensure` answered. */
export interface MemberEvidence {
  readonly state: 'Provisioning' | 'Running' | 'Unschedulable' | 'Failed'
  readonly message: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** The last probe, and how many failed in a row up to it. Made by `foldProbe`. */
export interface ProbeEvidence {
  readonly healthy: boolean
  readonly message?: string
  readonly failuresInARow: number
  /** Epoch milliseconds. */
  readonly at: number
}

/** What has to be done inside a running member before it is Ready: addons, readiness gates, bootstraps, in this order. */
export interface GateEvidence {
  readonly passed: boolean
  /** What does not pass yet, for a person. */
  readonly message?: string
  /** The bootstrap that runs right now. */
  readonly activeBootstrap?: string
  /** It can never pass: the member is given up. */
  readonly failed?: boolean
  /** Epoch milliseconds. */
  readonly at: number
}

/** What `Backend.destroy` answered since the member went to Recycling. Never reused for another UID. */
export interface DestroyEvidence {
  readonly gone: boolean
  readonly remaining: readonly string[]
  /** The call failed; the message is for a person. */
  readonly error?: string
  /** Epoch milliseconds. */
  readonly at: number
}

export interface Evidence {
  readonly member?: MemberEvidence
  readonly probe?: ProbeEvidence
  readonly gates?: GateEvidence
  readonly destroy?: DestroyEvidence
  /** Whether the kubeconfig Secret of this instance exists, as the cache or a read showed it. */
  readonly kubeconfigPublished?: boolean
}

/**
 * The lease that the instance names, by exact UID. What ends the use of a member must come from a read of the API, as a cache
 * may lag behind the write that bound it: a cached lease is good when `leaseHolds` is true of it; otherwise the lease is read,
 * and it is that answer (the lease as it is, or `absent`) that goes in here.
 */
export type LeaseOfInstance =
  | { readonly state: 'none' }
  | { readonly state: 'found'; readonly lease: ClusterLease }
  | { readonly state: 'absent' }

/** The pool that the instance names, by UID. `absent` must come from a read of the API, as above. */
export type PoolOfInstance =
  | { readonly state: 'none' }
  | { readonly state: 'found'; readonly pool: ClusterPool }
  | { readonly state: 'absent' }

export interface InstanceObserved {
  readonly instance: ClusterInstance
  readonly pool: PoolOfInstance
  readonly lease: LeaseOfInstance
  readonly evidence: Evidence
  /** Gates of the backend, for a member whose pool names none. Left out: none. */
  readonly defaultGates?: readonly ReadinessGate[]
  /** Since when this process has known the instance, epoch milliseconds: first probes are spread from here on. */
  readonly watchingSince: number
}

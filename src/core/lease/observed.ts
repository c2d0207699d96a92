/** Everything `planLease` may know. */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import type { DiagnosticsSeen } from './diagnostics.ts'
import type { QueueView } from './queue-view.ts'

/** What the AccessPolicy of the requester grants; absent for a lease nobody's policy covers (made with kubectl). */
export interface LeasePolicy {
  /** Longest life of a lease, extensions included, milliseconds; absent: no limit. */
  readonly maxTtlMs?: number
  /** How many times a lease may be extended. Default 2. */
  readonly maxExtensions: number
}

/** The last probe of a member, whoever made it. */
export interface ProbeSeen {
  readonly healthy: boolean
  /** Epoch milliseconds. */
  readonly at: number
}

/**
 * The instance that `status.binding` names, by UID. A cached one is good when `instanceCarries` or `isFree` is true of it;
 * otherwise the cache may lag behind our own write, so it is read from the API, and `absent` only ever comes from such a read.
 */
export type BoundInstance =
  | { readonly state: 'none' }
  | { readonly state: 'found'; readonly instance: ClusterInstance }
  | { readonly state: 'absent' }

export interface LeaseObserved {
  readonly lease: ClusterLease
  /** The pool that `spec.poolRef` names now; undefined when there is none. */
  readonly pool: ClusterPool | undefined
  /** Every Pending lease of the pool, this one included. The queue is a view of them; nothing is remembered. */
  readonly pending: readonly ClusterLease[]
  /** Every instance of the pool. */
  readonly instances: readonly ClusterInstance[]
  /** View of `pending` and `instances` that the leases of the pool share. Absent: the plan makes its own. */
  readonly queue?: QueueView
  readonly bound: BoundInstance
  /** Last probes by instance UID. */
  readonly probes: ReadonlyMap<string, ProbeSeen>
  /**
   * When a requester (`requesterKey`) was last given a member of this pool, epoch milliseconds. A hint for the order of the
   * queue only: what is not known counts as never.
   */
  readonly lastServed: ReadonlyMap<string, number>
  /** Whether the backend of the pool can prove a cleanup. */
  readonly supportsVerifiedDestroy: boolean
  readonly policy?: LeasePolicy
  /** Active leases of the requester, this one not counted, and how many it may have. */
  readonly quota?: { readonly held: number; readonly cap: number }
  readonly connectTokenExists: boolean
  /** Absent: `none`. */
  readonly diagnostics?: DiagnosticsSeen
  /** A new UUID, used when this pass begins a binding. */
  readonly bindingId: string
}

/** Everything `planPool` may know. Gathered by the pool controller before each pass; nothing is read while planning. */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import type { ClusterPool, SpecHashSources } from '../../api/v1alpha1/cluster-pool.ts'
import type { InputChange } from './spec-hash.ts'

/** The hash of the present template, or why it cannot be told right now (which holds drift decisions and changes nothing). */
export type SpecHashState =
  | {
      readonly state: 'known'
      readonly hash: string
      readonly version: number
      /** A digest of each source. Left out: which source changed is not told. */
      readonly sources?: SpecHashSources
      /** What differs from the template of `status.currentSpecHash`, when this process has seen that one. */
      readonly changes?: readonly InputChange[]
    }
  | { readonly state: 'unreadable'; readonly reason: string; readonly message: string }

/** What the backend of the pool can do; a part of the capabilities every backend declares. */
export interface PoolCapabilities {
  /** Readiness gate types that can ever pass. */
  readonly gates: ReadonlySet<string>
  readonly runsBootstrapJobs: boolean
  /** Whether addons are installed into members. Default true. */
  readonly installsAddons?: boolean
  /** Most members that should be Creating at once, when the pool does not say; 0: the operator does not have this backend. */
  readonly maxConcurrentCreates: number
}

export interface PoolObserved {
  readonly pool: ClusterPool
  /** Every instance of the pool, deleting ones included. */
  readonly instances: readonly ClusterInstance[]
  /** Leases of the pool in every phase: Pending ones are the queue, the others tell which members are spoken for. */
  readonly leases: readonly ClusterLease[]
  readonly specHash: SpecHashState
  /** Names of the BootstrapConfigs of the pool that have a job. Left out: not known, so each is taken to have one. */
  readonly bootstrapJobs?: ReadonlySet<string>
  readonly capabilities: PoolCapabilities
  /**
   * False while a create or delete of an earlier pass has not been seen in the caches. Then nothing is planned that counts
   * members (creates, drift recycles, scale-down); otherwise a lagging cache would make the same member twice.
   */
  readonly expectationsMet: boolean
}

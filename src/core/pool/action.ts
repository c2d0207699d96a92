/**
 * What a pool pass may do. IMPORTANT: the executor writes the status of the plan *before* it runs the actions, and runs none
 * when that write is lost: the status holds the failure records and the highest index, which must never lag behind the act.
 */

import type { Reason } from '../../api/v1alpha1/reasons.ts'

/** Why a member is recycled: also the `reason` label of `kobe_instance_recycles_total`. */
export type PoolRecycleReason = 'spec_drift' | 'unhealthy' | 'stuck_creating' | 'scale_down' | 'pool_deleted'

export type PoolAction =
  /** Puts our finalizer on the pool, before anything else is done for it. */
  | { readonly kind: 'AddFinalizer' }
  /** Takes our finalizer off: the pool is being deleted and nothing of it is left. */
  | { readonly kind: 'RemoveFinalizer' }
  /**
   * Creates the member rendered by `renderInstance`, then writes the status of `createdStatus`. An existing object of that
   * name is fine when it is this pool's: the next pass stamps it.
   */
  | {
      readonly kind: 'CreateInstance'
      readonly name: string
      readonly index: number
      readonly specHash: string
      readonly specHashVersion: number
    }
  /** Writes phase Recycling, fenced: a member that changed since it was observed (was just leased) is left alone. */
  | {
      readonly kind: 'RecycleInstance'
      readonly name: string
      readonly uid: string
      readonly resourceVersion: string
      /** Label of the metric. */
      readonly reason: PoolRecycleReason
      /** Reason of the Ready condition while it is being recycled; later passes tell by it what goes on. */
      readonly cause: Reason
      readonly message: string
    }
  /**
   * Writes the present hash (and `createdWith` when it is missing) onto a member that was not stamped yet, or was stamped by
   * an older algorithm; fenced in the same way.
   */
  | {
      readonly kind: 'StampInstance'
      readonly name: string
      readonly uid: string
      readonly resourceVersion: string
      readonly specHash: string
      readonly specHashVersion: number
    }

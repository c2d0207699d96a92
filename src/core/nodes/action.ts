/**
 * What a pass may do, in this order, before the status of the operation is written. Each action is idempotent.
 *
 * Fences: `SetCluster` by the resourceVersion of the ManagedCluster; what writes to a Node by its UID and resourceVersion. All
 * but the finalizers are *guarded*: just before the effect the executor observes afresh, plans again with the same function,
 * and goes on only when the new plan asks for the same action. So a stale cache, or an operator that stood still, does nothing
 * that is not right now.
 */
import type { ManagedClusterStatus } from '../../api/v1alpha1/managed-cluster.ts'
import type { Settings } from './model.ts'

interface OfNode {
  readonly node: string
  readonly uid: string
  readonly resourceVersion: string
}

interface OfMachine {
  /** Name of the member. */
  readonly node: string
  readonly machineId: string
}

export type NodeAction =
  /** Puts our finalizer on the operation. Always alone, and before the cluster is taken. */
  | { readonly kind: 'AddFinalizer' }
  /** Takes it off: nothing is held any more. */
  | { readonly kind: 'RemoveFinalizer' }
  /** Writes the status of the ManagedCluster if nobody wrote to it since. Always alone: the pass is planned again after it. */
  | { readonly kind: 'SetCluster'; readonly resourceVersion: string; readonly status: ManagedClusterStatus }
  /** Writes the mark with this boot ID. */
  | ({ readonly kind: 'MarkNode'; readonly bootId: string } & OfNode)
  /** Sets `spec.unschedulable` and, in the same write, whose cordon it is. */
  | ({ readonly kind: 'CordonNode' } & OfNode)
  /** One pass of `core/drain`; what it answers becomes `Member.drain`. Both moments are epoch milliseconds. */
  | { readonly kind: 'DrainNode'; readonly node: string; readonly startedAt: number; readonly deadline: number }
  | ({ readonly kind: 'StopMachine' } & OfMachine)
  | ({ readonly kind: 'ApplySettings'; readonly settings: Settings } & OfMachine)
  | ({ readonly kind: 'StartMachine' } & OfMachine)
  /** For good. */
  | ({ readonly kind: 'TerminateMachine' } & OfMachine)
  /** Deletes the ManagedCluster, if nobody wrote to it since, and what its operations have left behind. Always alone, and last. */
  | { readonly kind: 'DeleteCluster'; readonly resourceVersion: string }
  /** Takes the mark off and, when `uncordon` is set, our cordon, in one write. */
  | ({ readonly kind: 'ReleaseNode'; readonly uncordon: boolean } & OfNode)

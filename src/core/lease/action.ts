/**
 * What a lease pass may do. The executor runs the actions in order, then writes the status of the plan (fenced by
 * resourceVersion, only when it differs). IMPORTANT: it stops at the first action that is lost to another writer, writes no
 * status, and plans again at once: a half-done binding is resumed or given up from what is observed then.
 */
import type { LeaseBinding } from '../../api/v1alpha1/lease-binding.ts'

export type LeaseAction =
  /** Puts our finalizer on the lease: its end has to be proven. Always alone. */
  | { readonly kind: 'AddFinalizer' }
  | { readonly kind: 'RemoveFinalizer' }
  /** Probes a member before it is handed out; the answer goes into `probes` and the plan runs again at once. */
  | { readonly kind: 'ProbeCandidate'; readonly name: string; readonly uid: string }
  /** Writes `status.binding` on the lease, fenced: from now on every pass, after any crash, finishes or undoes this pairing. */
  | { readonly kind: 'RecordIntent'; readonly binding: LeaseBinding }
  /** Compare-and-swap on the instance: writes `leasedStatus` when UID and resourceVersion are still these. */
  | {
      readonly kind: 'ReserveInstance'
      readonly name: string
      readonly uid: string
      readonly resourceVersion: string
      readonly binding: LeaseBinding
    }
  /** Creates the Secret with a new token, owned by the lease; one that exists stays. */
  | { readonly kind: 'CreateConnectToken' }
  /** Begins to make the diagnostics of the ended lease; they are made meanwhile, and how far they are goes into `diagnostics`. */
  | { readonly kind: 'CaptureDiagnostics' }
  /** Deletes that Secret: nobody gets in through `/connect` any more. */
  | { readonly kind: 'DeleteConnectToken' }
  | { readonly kind: 'DeleteLease'; readonly uid: string; readonly resourceVersion: string }

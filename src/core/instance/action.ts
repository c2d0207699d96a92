/**
 * What an instance pass may do, in this order, before the status is written (fenced by resourceVersion, only when it differs).
 * Each is idempotent; what it answers becomes evidence for the next pass.
 */

export type InstanceAction =
  /** Puts our finalizer on the instance. Always alone, and before anything is made. */
  | { readonly kind: 'AddFinalizer' }
  /** Takes our finalizer off: nothing of the cluster is left. Fenced by UID. */
  | { readonly kind: 'RemoveFinalizer' }
  /** Deletes the object, fenced by UID and resourceVersion. The finalizer keeps it until the next pass. */
  | { readonly kind: 'DeleteInstance'; readonly uid: string; readonly resourceVersion: string }
  /** `Backend.ensure`; the answer becomes `evidence.member`. */
  | { readonly kind: 'EnsureMember' }
  /** Writes the Secret with the admin kubeconfig of the running member, owned by the instance. */
  | { readonly kind: 'PublishKubeconfig' }
  /** Installs addons, checks readiness gates and runs bootstraps as far as possible now; the answer becomes `evidence.gates`. */
  | { readonly kind: 'CheckGates' }
  /** `Backend.probe`; the answer goes through `foldProbe` into `evidence.probe`. */
  | { readonly kind: 'ProbeMember' }
  /** `Backend.destroy`; the answer becomes `evidence.destroy`. */
  | { readonly kind: 'DestroyMember' }

/** What `MemberSetup.check` is asked. */
import type { BootstrapConfig } from '../../../api/v1alpha1/bootstrap-config.ts'
import type { Addon } from '../../../api/v1alpha1/cluster-template.ts'
import type { ReadinessGate } from '../../../api/v1alpha1/pool-policy.ts'
import type { BackendCapabilities } from '../../../backends/backend.ts'

export interface BootstrapRequest {
  readonly name: string
  readonly params: Readonly<Record<string, string>>
  /** `undefined`: there is no such BootstrapConfig (yet). */
  readonly config: BootstrapConfig | undefined
}

export interface SetupRequest {
  /** UID of the ClusterInstance: what was done already is remembered by it. */
  readonly uid: string
  /** Name of the ClusterInstance. */
  readonly name: string
  /** Admin kubeconfig of the member, YAML. */
  readonly kubeconfig: string
  readonly addons: readonly Addon[]
  /** Gates in order. An empty list checks none: the defaults of a backend are the caller's to put in. */
  readonly readinessGates: readonly ReadinessGate[]
  readonly bootstraps: readonly BootstrapRequest[]
  readonly capabilities: BackendCapabilities
}

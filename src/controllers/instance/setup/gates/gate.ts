/** What a readiness gate is given. Each type is a small function in a file of its own. */
import type { ReadinessGate } from '../../../../api/v1alpha1/pool-policy.ts'
import type { KubeClient } from '../../../../kube/client.ts'
import type { PublicFetch } from '../fetch/fetch-public.ts'
import type { StepResult } from '../step-result.ts'

export interface GateContext {
  readonly client: KubeClient
  readonly fetch: PublicFetch
  /** Name of the ClusterInstance. */
  readonly instance: string
}

/** Messages say what is there and what is wanted, without the name of the gate. */
export type Gate = (context: GateContext, gate: ReadinessGate) => Promise<StepResult>

/** Where the gates about the cluster's own services look when the gate names no namespace. */
export const DEFAULT_NAMESPACE = 'kube-system'

/**
 * A backend makes and destroys leasable clusters. Controllers know only this file.
 *
 * Every call answers what is *observed now* and returns quickly: provisioning goes on in the background and the call is
 * repeated. All calls are idempotent. `test/contract/backend-contract.ts` is the suite that every backend passes, the fake too.
 */
import type { Backend as BackendSpec, ClusterTemplate } from '../api/v1alpha1/cluster-pool.ts'
import type { ReadinessGate } from '../api/v1alpha1/pool-policy.ts'

/** Which member, and what it was created with; never the pool's present spec. */
export interface MemberTarget {
  readonly namespace: string
  /** Name of the ClusterInstance. */
  readonly name: string
  /** UID of the ClusterInstance: a member of the same name with another UID is somebody else. */
  readonly uid: string
  readonly backend: BackendSpec
  readonly cluster: ClusterTemplate
}

export type MemberState =
  /** On its way; call again (or wait for `subscribe`). */
  | { readonly state: 'Provisioning'; readonly message: string }
  /** The control plane answers. */
  | { readonly state: 'Running'; readonly message: string }
  /** The host has no room: held, not failed. */
  | { readonly state: 'Unschedulable'; readonly message: string }
  /** Cannot come up; destroy and make another. */
  | { readonly state: 'Failed'; readonly message: string }

export interface DestroyState {
  /** True only when it was observed that nothing is left. */
  readonly gone: boolean
  /** What is still there, for a person. */
  readonly remaining: readonly string[]
}

export type ProbeResult = { readonly healthy: true } | { readonly healthy: false; readonly message: string }

export interface BackendCapabilities {
  readonly supportsVerifiedDestroy: boolean
  /** Readiness gate types that this backend can ever satisfy. */
  readonly gates: ReadonlySet<string>
  readonly runsBootstrapJobs: boolean
  /** Hint for how many members may be Creating at once. */
  readonly maxConcurrentCreates: number
}

/** What a backend would make; also of backends whose clusters this version cannot run (docs/adr/0004-render-before-run.md). */
export interface BackendRenderer {
  readonly type: string
  /** Source 4 of the spec hash: what this backend would make now of a template, as plain JSON without names or secrets. */
  fingerprint(spec: BackendSpec, cluster: ClusterTemplate): unknown
  /** Gates of a pool that names none; empty when a member that answers is ready. [C] */
  defaultGates(cluster: ClusterTemplate): readonly ReadinessGate[]
}

export interface Backend extends BackendRenderer {
  capabilities(spec: BackendSpec): BackendCapabilities
  ensure(target: MemberTarget): Promise<MemberState>
  /** One health check. A refused connection, a timeout, a TLS failure and a 5xx are all unhealthy; never throws for them. */
  probe(target: MemberTarget): Promise<ProbeResult>
  /** Admin kubeconfig of a running member (YAML). Throws `BackendError` NotReady or NotFound. */
  kubeconfig(target: MemberTarget): Promise<string>
  destroy(target: MemberTarget): Promise<DestroyState>
  /** Calls `listener` with the instance name whenever a member may have changed state. Answers the unsubscribe function. */
  subscribe(listener: (instance: string) => void): () => void
  /** Lets go of members without stopping them (an operator restart finds them again). */
  close(): Promise<void>
}

export type BackendErrorCode = 'NotFound' | 'NotReady' | 'CreateFailed' | 'InsufficientCapacity' | 'Unsupported'

export class BackendError extends Error {
  override readonly name = 'BackendError'
  readonly code: BackendErrorCode
  constructor(code: BackendErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

export function isBackendError(error: unknown, ...codes: BackendErrorCode[]): error is BackendError {
  return error instanceof BackendError && (codes.length === 0 || codes.includes(error.code))
}

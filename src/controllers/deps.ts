/** What every controller is given. Made once, by `operator.ts`. */
import type { Secret } from '../api/core-resources.ts'
import type { AccessPolicy } from '../api/v1alpha1/access-policy.ts'
import type { BootstrapConfig } from '../api/v1alpha1/bootstrap-config.ts'
import type { ClusterInstance } from '../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../api/v1alpha1/cluster-lease.ts'
import type { ClusterPool } from '../api/v1alpha1/cluster-pool.ts'
import type { Backend, BackendRenderer } from '../backends/backend.ts'
import type { ProbeSeen } from '../core/lease/observed.ts'
import type { KubeClient } from '../kube/client.ts'
import type { Clock } from '../kube/clock.ts'
import type { EventRecorder } from '../kube/event-recorder.ts'
import type { Informer } from '../kube/informer.ts'
import type { Log } from '../kube/log.ts'
import type { OwnWrites } from '../kube/own-writes.ts'
import type { DiagnosticsStore } from './lease/diagnostics/captures.ts'
import type { OwnTokens } from './lease/own-tokens.ts'
import type { OperatorMetrics } from './metrics.ts'
import type { SpecInputs } from './pool/spec-inputs.ts'

/** Index of instances by their own name: a backend knows no namespace. */
export const BY_NAME = 'name'
/** Index of instances and leases by the name of their pool. */
export const BY_POOL = 'pool'
/** Index of leases by the name of the instance they are bound to, or about to be. */
export const BY_INSTANCE = 'instance'

export interface ControllerCaches {
  /** Indexed: none. */
  readonly pools: Informer<ClusterPool>
  /** Indexed: `BY_POOL`, `BY_NAME`. */
  readonly instances: Informer<ClusterInstance>
  /** Indexed: `BY_POOL`, `BY_INSTANCE`. */
  readonly leases: Informer<ClusterLease>
  readonly bootstraps: Informer<BootstrapConfig>
  readonly policies: Informer<AccessPolicy>
  readonly secrets: Informer<Secret>
}

/** What this process wrote and the caches may not show yet; shared, so that controllers see each other's writes at once. */
export interface OwnObjects {
  readonly pools: OwnWrites<ClusterPool>
  readonly instances: OwnWrites<ClusterInstance>
  readonly leases: OwnWrites<ClusterLease>
  readonly tokens: OwnTokens
}

/** Configuration of the operator that shapes members: source 2 of the spec hash, and what `createdWith` records. */
export interface OperatorFacts {
  readonly version: string
  /** `KOBE_SYNC_IMAGE`; vkobe pools only. */
  readonly syncImage?: string
}

export interface ControllerDeps {
  readonly client: KubeClient
  readonly caches: ControllerCaches
  readonly own: OwnObjects
  /** Last probes by instance UID, whoever made them. */
  readonly probes: Map<string, ProbeSeen>
  /** What makes clusters, by type. */
  readonly backends: ReadonlyMap<string, Backend>
  /** Tells what a backend would make, by type: every backend of `backends`, and more that this operator cannot run. */
  readonly renderers: ReadonlyMap<string, BackendRenderer>
  readonly specInputs: SpecInputs
  /** Where diagnostics of leases go. Absent: none are made. */
  readonly diagnostics?: DiagnosticsStore
  readonly clock: Clock
  readonly log: Log
  readonly recorder: EventRecorder
  readonly metrics: OperatorMetrics
  readonly operator: OperatorFacts
  /** Fresh UUIDs and secrets; tests give their own. */
  readonly random: { uuid(): string; hex(bytes: number): string }
}

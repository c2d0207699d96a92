/** What the HTTP side is given. It writes objects through `client` and reads `caches`; it never calls a controller. */
import type { Readable } from 'node:stream'
import type { Registry } from 'prom-client'
import type { Secret } from '../api/core-resources.ts'
import type { KubeObject } from '../api/resource.ts'
import type { AccessPolicy } from '../api/v1alpha1/access-policy.ts'
import type { ClusterInstance } from '../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../api/v1alpha1/cluster-lease.ts'
import type { ClusterPool } from '../api/v1alpha1/cluster-pool.ts'
import type { ManagedCluster } from '../api/v1alpha1/managed-cluster.ts'
import type { NodeOperation } from '../api/v1alpha1/node-operation.ts'
import type { LeaseObserved } from '../core/lease/observed.ts'
import type { ClusterInsight } from '../core/nodes/cluster-insight.ts'
import type { PoolObserved } from '../core/pool/observed.ts'
import type { KubeClient } from '../kube/client.ts'
import type { Clock } from '../kube/clock.ts'
import type { Log } from '../kube/log.ts'
import type { GuestKubeconfig } from './connect/guest.ts'

export interface CacheEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: Readonly<T>
}

/** The part of an informer that HTTP uses. Objects are shared with other readers: never change them. */
export interface ObjectCache<T extends KubeObject> {
  get(namespace: string, name: string): Readonly<T> | undefined
  list(): readonly Readonly<T>[]
  /** Every change up to this resourceVersion is in the cache. Empty before the first list. Absent: nothing is promised. */
  lastResourceVersion?(): string
  /** Called after the cache has taken over a change (and at once for what it holds). Answers the unsubscribe function. */
  on(listener: (event: CacheEvent<T>) => void): () => void
}

export interface Caches {
  readonly pools: ObjectCache<ClusterPool>
  readonly instances: ObjectCache<ClusterInstance>
  readonly leases: ObjectCache<ClusterLease>
  readonly policies: ObjectCache<AccessPolicy>
  readonly secrets: ObjectCache<Secret>
  readonly clusters: ObjectCache<ManagedCluster>
  readonly operations: ObjectCache<NodeOperation>
}

/** Where names, tokens and ids come from; tests give their own. */
export interface RandomIds {
  /** That many random bytes in hex. */
  hex(bytes: number): string
  uuid(): string
}

/** A bundle of diagnostics that is kept. */
export interface StoredDiagnostics {
  /** Epoch milliseconds. */
  readonly capturedAt: number
  /** When it is removed at the latest, epoch milliseconds. */
  readonly keptUntil: number
  readonly bytes: number
  /** False: a bound on size or time cut something off. */
  readonly complete: boolean
  /** Its JSON. */
  open(): Promise<Readable>
}

export interface DiagnosticsReader {
  /** Nothing for anybody but its owner (`principalKey`). */
  find(leaseName: string, owner: string): Promise<StoredDiagnostics | undefined>
}

export interface HttpLimits {
  /** Longest body under /v1, bytes. Default 1 MiB. */
  readonly bodyBytes: number
  /** Lease requests handled at a time; more are answered 429. Default 200. */
  readonly leaseRequestsInFlight: number
  /**
   * Requests per second that one principal may send in the long run; above it 429 `rate_limited`. Looking at one lease, waiting,
   * extending, heartbeats and releases are not counted. Default 100.
   */
  readonly requestsPerSecond: number
  /** Requests that one principal may send at once. Default 1000. */
  readonly requestBurst: number
  /** Time in which a body under /v1 must have arrived. Default 10 s. */
  readonly bodyTimeoutMs: number
  /** How long the answer to an operation that is asked for waits for it to take its cluster. Default 10 s. */
  readonly operationStartMs: number
  /** Longest `?wait=`; a longer one is cut to it. Default 60 s. */
  readonly longestWaitMs: number
  /** Tunnels (exec, attach, port-forward) open at a time. Default 64. */
  readonly tunnels: number
  /** Time to reach a leased cluster, and for the handshake of a tunnel. Default 10 s. */
  readonly dialTimeoutMs: number
}

export const DEFAULT_LIMITS: HttpLimits = {
  bodyBytes: 1 << 20,
  leaseRequestsInFlight: 200,
  requestsPerSecond: 100,
  requestBurst: 1000,
  bodyTimeoutMs: 10_000,
  operationStartMs: 10_000,
  longestWaitMs: 60_000,
  tunnels: 64,
  dialTimeoutMs: 10_000,
}

export interface HttpDeps {
  readonly client: KubeClient
  readonly caches: Caches
  readonly clock: Clock
  readonly log: Log
  /** Namespace of pools, leases, policies and their Secrets. */
  readonly namespace: string
  readonly version: string
  /** Base URL under which clients reach the HTTPS listener; no trailing slash. Asked for each kubeconfig. */
  publicUrl(): string
  /** PEM of the CA that signed the certificate of the HTTPS listener; absent: one that clients trust already. */
  readonly caPem?: string
  readonly random: RandomIds
  /** The admin kubeconfig text of an instance (from the Secret `<instance>-kubeconfig`). */
  readonly guestKubeconfig: GuestKubeconfig
  readonly registry: Registry
  /** What a pass over the pool would see now; undefined: the caches do not have it. */
  observePool(name: string): PoolObserved | undefined
  /** What a pass over the lease would see now; undefined: the caches do not have it. */
  observeLease(name: string): Promise<LeaseObserved | undefined>
  /** What can be said of standing clusters without changing them. */
  readonly insight: ClusterInsight
  /** Bundles made when leases ended. Absent: none are kept. */
  readonly diagnostics?: DiagnosticsReader
  /** Whether the backend of the pool can prove a cleanup. Absent: no backend can. */
  readonly supportsVerifiedDestroy?: (pool: ClusterPool) => boolean
  /** What keeps this replica from being ready, such as a cache that is not filled; checked beside the Kubernetes API. */
  readonly notReady?: () => string | undefined
  readonly limits?: Partial<HttpLimits>
}

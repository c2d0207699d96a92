/**
 * The world that is explored: the objects of one pool as an API server holds them, the clusters behind them, and what the
 * operator has in memory. A value: every change makes a new one that shares what did not change.
 *
 * Time is logical. One tick is longer than every delay but `creatingTimeout` and the TTL of a lease, which take two, so ages
 * matter only as 0, 1, 2 or more ticks.
 */
import { formatTimestamp } from '../../../src/api/timestamp.ts'
import type { ClusterInstance } from '../../../src/api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../../src/api/v1alpha1/cluster-lease.ts'
import type { ClusterPool } from '../../../src/api/v1alpha1/cluster-pool.ts'
import type { Evidence } from '../../../src/core/instance/observed.ts'
import type { ProbeSeen } from '../../../src/core/lease/observed.ts'
import { T0 } from '../../../src/core/testing/builders.ts'
import type { WorldConfig } from './config.ts'
import type { Pass } from './pass.ts'

export const TICK_MS = 400_000

export type ClusterState = 'booting' | 'hanging' | 'full' | 'failed' | 'running' | 'sick' | 'dying'

export interface Cluster {
  readonly version: string
  readonly state: ClusterState
}

export type KindName = 'pool' | 'instances' | 'leases'

/** The objects of the operator's caches. */
export interface Objects {
  readonly pool: ClusterPool | undefined
  readonly instances: readonly ClusterInstance[]
  readonly leases: readonly ClusterLease[]
}

/** A kind whose watch lags: its objects as the caches show them, own writes included, and the version they are at. */
export interface Lag {
  readonly kind: KindName
  readonly seen: Objects
  readonly at: number
}

export interface Expected {
  readonly name: string
  /** Absent: the answer was lost. */
  readonly uid?: string
  readonly version?: number
}

/** Lost in a crash. */
export interface Memory {
  readonly evidence: ReadonlyMap<string, Evidence>
  readonly probes: ReadonlyMap<string, ProbeSeen>
  readonly expected: readonly Expected[]
  /** Members and leases that are gone and that a lagging cache still shows, by UID. */
  readonly gone: readonly string[]
  /** A pass that stands still between two of its writes. */
  readonly suspended?: Pass
  readonly lag?: Lag
}

export interface Budget {
  readonly claims: number
  readonly releases: number
  readonly edits: number
  readonly crashes: number
  readonly lostAnswers: number
  readonly pauses: number
  readonly lags: number
  readonly failures: number
  readonly sickness: number
  readonly deletes: number
  /** Ticks while something is still under way. */
  readonly slow: number
}

export interface World extends Objects {
  readonly config: WorldConfig
  readonly now: number
  /** Last number given: resource versions, UIDs and binding IDs. */
  readonly serial: number
  readonly clusters: ReadonlyMap<string, Cluster>
  /** UIDs of members whose kubeconfig Secret exists. */
  readonly kubeconfigs: readonly string[]
  /** UIDs of leases whose connect token exists. */
  readonly tokens: readonly string[]
  readonly memory: Memory
  readonly budget: Budget
  /** UIDs of living members that were ever leased. */
  readonly used: readonly string[]
  readonly violations: readonly string[]
}

export const EMPTY_MEMORY: Memory = { evidence: new Map(), probes: new Map(), expected: [], gone: [] }

export const START = T0

export const blame = (world: World, holds: boolean, message: string): World =>
  holds ? world : { ...world, violations: [...world.violations, message] }

export interface Fence {
  readonly uid?: string | undefined
  readonly resourceVersion?: string | undefined
}

type Thing = ClusterPool | ClusterInstance | ClusterLease

export function fits({ metadata }: Thing, { uid, resourceVersion }: Fence): boolean {
  if (uid !== undefined && uid !== metadata.uid) return false
  return resourceVersion === undefined || resourceVersion === metadata.resourceVersion
}

/** What an API server does with a changed object: a new version, and gone when it is deleted and nothing holds it. */
export function stored<T extends Thing>(object: T, serial: number): T | undefined {
  const { deletionTimestamp, finalizers } = object.metadata
  if (deletionTimestamp !== undefined && (finalizers ?? []).length === 0) return undefined
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(serial) } }
}

export const inDeletion = <T extends Thing>(object: T, now: number): T => ({
  ...object,
  metadata: { ...object.metadata, deletionTimestamp: formatTimestamp(now) },
})

export function replaceIn<T extends Thing>(objects: readonly T[], name: string, by: T | undefined): readonly T[] {
  return objects.flatMap((object) => (object.metadata.name === name ? (by ?? []) : object))
}

export const named = <T extends Thing>(objects: readonly T[], name: string): T | undefined =>
  objects.find(({ metadata }) => metadata.name === name)

/** What the operator's caches show, own writes included: one kind may lag, the others are as they are. */
export function viewed(world: World): Objects {
  const { lag } = world.memory
  if (lag === undefined) return world
  const { pool, instances, leases } = world
  return { pool, instances, leases, [lag.kind]: lag.seen[lag.kind] }
}

export const remember = (world: World, change: Partial<Memory>): World => ({
  ...world,
  memory: { ...world.memory, ...change },
})

export function withEvidence(world: World, uid: string, change: (before: Evidence) => Evidence): World {
  const evidence = new Map(world.memory.evidence)
  evidence.set(uid, change(evidence.get(uid) ?? {}))
  return remember(world, { evidence })
}

/** The backend says that a member may have changed: what it said before is worth nothing. */
export function memberChanged(world: World, uid: string): World {
  if (!world.memory.evidence.has(uid)) return world
  return withEvidence(world, uid, ({ member: _member, destroy: _destroy, ...rest }) => rest)
}

export function setCluster(world: World, uid: string, cluster: Cluster | undefined): World {
  const clusters = new Map(world.clusters)
  if (cluster === undefined) clusters.delete(uid)
  else clusters.set(uid, cluster)
  return { ...world, clusters }
}

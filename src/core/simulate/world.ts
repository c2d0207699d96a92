/**
 * A world on a virtual clock in which the three planners run as their controllers would run them: observe, plan, execute, one
 * pass at a time, in any order the caller chooses. It is deterministic: no clock, no randomness. Invariants are checked after
 * every write; what is violated is collected in `violations`, and the caller decides.
 */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import type { Evidence } from '../instance/observed.ts'
import type { ProbeSeen } from '../lease/observed.ts'
import type { Note } from '../plan.ts'
import type { PoolCapabilities } from '../pool/observed.ts'
import { type ClusterBehaviour, type Clusters, createClusters } from './clusters.ts'
import { createInvariants, type Invariants } from './invariants.ts'
import { createStore, type Store } from './store.ts'

export interface WorldOptions {
  readonly start: number
  readonly behaviour: ClusterBehaviour
  readonly capabilities: PoolCapabilities
  /** Answers 16 hex digits for the template of a pool. */
  readonly hash: (pool: ClusterPool) => string
}

/** Thrown by a write when the operator was told to die at it. */
export class Crash extends Error {
  override readonly name = 'Crash'
}

/** What the caches of the operator show: a copy of the objects as they were at some moment. */
export interface View {
  readonly pools: ReadonlyMap<string, ClusterPool>
  readonly instances: ReadonlyMap<string, ClusterInstance>
  readonly leases: ReadonlyMap<string, ClusterLease>
}

/** What the passes share. */
export interface World {
  /** Set while the caches lag; absent: they show everything as it is. */
  lagging?: View
  /** Own creates and recycles of members, by name and phase, that the caches have to show before members are counted again. */
  readonly expected: Map<string, 'created' | 'Recycling'>
  now: number
  behaviour: ClusterBehaviour
  readonly options: WorldOptions
  readonly pools: Store<ClusterPool>
  readonly instances: Store<ClusterInstance>
  readonly leases: Store<ClusterLease>
  readonly clusters: Clusters
  readonly tokens: Set<string>
  /** What the operator remembers in memory; a crash empties it. */
  readonly evidence: Map<string, Evidence>
  readonly probes: Map<string, ProbeSeen>
  readonly lastServed: Map<string, number>
  readonly invariants: Invariants
  /** Writes so far, and to which kind. */
  writes: number
  readonly writesTo: { pools: number; instances: number; leases: number }
  /** Actions carried out so far, those that write nothing included. */
  acts: number
  /** The write at which the operator dies: never, unless it is set. */
  crashAt?: number
  readonly notes: Note[]
  readonly serial: () => number
}

export function createWorld(options: WorldOptions): World {
  let serials = 0
  const invariants = createInvariants()
  const serial = (): number => {
    serials += 1
    return serials
  }
  const hooks = (kind: keyof World['writesTo']) => ({
    now: () => world.now,
    serial,
    beforeWrite: () => countWrite(world, kind),
    onChange: () => invariants.check(world),
  })
  const world: World = {
    now: options.start,
    behaviour: options.behaviour,
    options,
    pools: createStore<ClusterPool>(hooks('pools')),
    instances: createStore<ClusterInstance>({
      ...hooks('instances'),
      onChange: (before, after) => {
        invariants.instanceChanged(world, before, after)
        invariants.check(world)
      },
    }),
    leases: createStore<ClusterLease>(hooks('leases')),
    clusters: createClusters(() => world.behaviour),
    tokens: new Set(),
    evidence: new Map(),
    probes: new Map(),
    lastServed: new Map(),
    expected: new Map(),
    invariants,
    writes: 0,
    writesTo: { pools: 0, instances: 0, leases: 0 },
    acts: 0,
    notes: [],
    serial,
  }
  return world
}

const byName = <T extends { metadata: { name?: string } }>(objects: readonly T[]): Map<string, T> =>
  new Map(objects.map((object) => [object.metadata.name ?? '', object]))

const live = ({ pools, instances, leases }: World): View => ({
  pools: byName(pools.list()),
  instances: byName(instances.list()),
  leases: byName(leases.list()),
})

/** What the operator sees in its caches. */
export const cached = (world: World): View => world.lagging ?? live(world)

/** From now on the caches stand still until `catchUp`. */
export function lag(world: World): void {
  world.lagging = live(world)
}

export function catchUp(world: World): void {
  delete world.lagging
}

function countWrite(world: World, kind: keyof World['writesTo']): void {
  if (world.crashAt !== undefined && world.writes >= world.crashAt)
    throw new Crash('the operator died before this write')
  world.writes += 1
  world.writesTo[kind] += 1
}

/** A new operator: everything in memory is gone, objects and clusters are not. */
export function restart(world: World): void {
  world.evidence.clear()
  world.probes.clear()
  world.lastServed.clear()
  world.expected.clear()
  delete world.crashAt
  // A new operator lists everything before it acts.
  catchUp(world)
}

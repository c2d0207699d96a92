/** A simulated world with one pool of embedded clusters, for tests: what it is asked for, and what it shows. */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import type { PoolSpec, PoolStatus } from '../../api/v1alpha1/cluster-pool.ts'
import { type Bucket, bucketOf } from '../pool/member.ts'
import { createWorld, type World, type WorldOptions } from '../simulate/world.ts'
import { aLease, aPool, CAPABILITIES, type LeaseOptions, POOL_NAME, SECOND, T0 } from './builders.ts'

/** Clusters boot in 20 s and are gone 5 s after the first destroy. */
export function aWorld(spec: Partial<PoolSpec> = {}, over: Partial<WorldOptions> = {}): World {
  const world = createWorld({
    start: T0,
    behaviour: { bootMs: 20 * SECOND, destroyMs: 5 * SECOND, bad: new Map() },
    capabilities: CAPABILITIES,
    // The version is all that varies here: `v1` becomes `1000000000000000`.
    hash: (pool) => pool.spec.cluster.version.replace(/\D/g, '').padEnd(16, '0').slice(0, 16),
    ...over,
  })
  world.pools.create(aPool({ cluster: cluster('v1'), ...spec }, { metadata: { name: POOL_NAME } }))
  return world
}

const cluster = (version: string) => ({ version, servers: 1, serverArgs: [] })

export const upgradeTo =
  (version: string) =>
  (spec: PoolSpec): PoolSpec => ({ ...spec, cluster: cluster(version) })

export function status(world: World): PoolStatus {
  const found = world.pools.get(POOL_NAME)?.status
  if (found === undefined) throw new Error('the pool has no status yet')
  return found
}

export const inBucket = (world: World, bucket: Bucket): ClusterInstance[] =>
  world.instances.list().filter((member) => bucketOf(member) === bucket)

/** Cluster versions of the members in a bucket, sorted. */
export const versions = (world: World, bucket: Bucket): string[] =>
  inBucket(world, bucket)
    .map((member) => member.status?.createdWith?.cluster?.version ?? 'unknown')
    .sort()

export function addLease(world: World, name: string, options: LeaseOptions = {}): void {
  const { status: _status, ...lease } = aLease({ name, createdAt: world.now, ...options })
  world.leases.create(lease)
}

export const lease = (world: World, name: string): ClusterLease | undefined => world.leases.get(name)

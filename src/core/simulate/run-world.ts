/** Runs the world: passes in the order of the controllers, time that goes on, and what people do to the objects. */

import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import type { Evidence } from '../instance/observed.ts'
import { leaseStatusOf, releasedStatus } from '../lease/lease-status.ts'
import { earliest } from '../requeue.ts'
import { instancePass } from './instance-pass.ts'
import { leasePass } from './lease-pass.ts'
import { poolPass } from './pool-pass.ts'
import type { World } from './world.ts'

/** One pass over every object: pools, leases, instances. Answers the next wake-up. */
export function passAll(world: World): number | undefined {
  const wakes = [
    ...world.pools.list().map(({ metadata }) => poolPass(world, metadata.name ?? '')),
    ...world.leases.list().map(({ metadata }) => leasePass(world, metadata.name ?? '')),
    ...world.instances.list().map(({ metadata }) => instancePass(world, metadata.name ?? '')),
  ]
  return earliest(...wakes)
}

/** Passes until a whole round writes nothing and asks for nothing now. Throws when that takes more than `limit` rounds. */
export function settle(world: World, limit = 200): number | undefined {
  for (let round = 0; round < limit; round += 1) {
    const before = world.acts + world.writes
    const wake = passAll(world)
    if (world.acts + world.writes === before) return wake
  }
  throw new Error(`the world did not come to rest within ${limit} rounds`)
}

/** Lets time pass up to `until`, stopping at every moment at which something may happen. */
export function advance(world: World, until: number): void {
  let wake = settle(world)
  while (world.now < until) {
    const next = [wake, world.clusters.nextChange(world.now), until]
    world.now = Math.min(...next.filter((moment): moment is number => moment !== undefined && moment > world.now))
    // The backend reports that members may have changed.
    for (const [uid, evidence] of world.evidence) world.evidence.set(uid, withoutMember(evidence))
    wake = settle(world)
  }
}

const withoutMember = ({ member, ...rest }: Evidence): Evidence =>
  member === undefined || member.state === 'Running' ? { ...rest, ...(member === undefined ? {} : { member }) } : rest

export function release(world: World, name: string): boolean {
  return world.leases.update(name, {}, (lease) => {
    const { phase } = leaseStatusOf(lease)
    return phase === 'Pending' || phase === 'Bound' ? { ...lease, status: releasedStatus(lease, world.now) } : lease
  })
}

/** An edit of the spec by a person. */
export function editPool(world: World, name: string, change: (spec: ClusterPool['spec']) => ClusterPool['spec']): void {
  world.pools.update(name, {}, (pool) => ({
    ...pool,
    metadata: { ...pool.metadata, generation: (pool.metadata.generation ?? 0) + 1 },
    spec: change(pool.spec),
  }))
}

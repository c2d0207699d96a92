/**
 * Stories of a pool over a real API server, for the question what a crash in the middle of them changes. Each waits for states,
 * never for a moment, so it can be told while the operator dies and comes back.
 */
import { CLUSTER_INSTANCES, CLUSTER_LEASES, CLUSTER_POOLS, type OperatorWorld } from '../../support/operator-world.ts'

export interface CrashScenario {
  readonly name: string
  /** Ends where the world has come to rest. */
  readonly tell: (world: OperatorWorld) => Promise<void>
}

const OLD = 'v1.35.0'
const NEW = 'v1.36.0'
const BAD = 'v1.99.0'

const scaling = { minReady: 0, maxClusters: 1, scaleUpThreshold: 0, scaleDownAfter: '5m', queueTimeout: '1000h' }

/** The pool and its status are at rest with so many Ready members of that version. */
const untilSettled = (world: OperatorWorld, ready: number, { leased = 0, version = OLD } = {}) =>
  world.until(`a has ${ready} Ready members of ${version}, ${leased} leased ones, and says so`, () => {
    const found = world.inPhase('a', 'Ready')
    const { status } = world.pool('a') ?? {}
    const counted = status?.ready === ready && status.leased === leased && status.recycling === 0
    return (
      found.length === ready &&
      found.every((member) => member.status?.createdWith?.cluster?.version === version) &&
      world.members('a').length === ready + leased &&
      counted &&
      status.creating === 0 &&
      status.upgrade === undefined &&
      status.phase === (ready + leased === 0 ? 'Idle' : 'Healthy')
    )
  })

async function warm(world: OperatorWorld, size: number, spec: object = {}): Promise<void> {
  await world.makePool('a', { size, ...spec })
  await untilSettled(world, size)
}

/** Its number depends on where the operator died: one that was never made is not given again. */
const aReadyMember = (world: OperatorWorld): string => world.inPhase('a', 'Ready')[0]?.metadata.name ?? ''

async function bind(world: OperatorWorld): Promise<{ lease: string; member: string }> {
  const lease = (await world.makeLease('a')).metadata.name ?? ''
  const bound = await world.untilBound(lease)
  return { lease, member: bound.status?.clusterName ?? '' }
}

async function release(world: OperatorWorld, { lease, member }: { lease: string; member: string }): Promise<void> {
  await world.release(lease)
  await world.until('lease and member are gone', () => !world.lease(lease) && !world.instance(member))
}

/** Lets time pass, a little at a time, until it is the case: a probe or a wait may have been lost in a crash. */
async function passTimeUntil(world: OperatorWorld, ms: number, holds: () => boolean): Promise<void> {
  while (!holds()) {
    world.clock.skip(ms)
    await world.quiet()
  }
}

const roll = (world: OperatorWorld, version: string) => world.patchPool('a', { cluster: { version } })

const isOfVersion = (world: OperatorWorld, version: string) => () =>
  world.inPhase('a', 'Ready').some(({ status }) => status?.createdWith?.cluster?.version === version)

/** Clusters of that version never come up. */
function breakVersion(world: OperatorWorld, broken: string): void {
  const ensure = world.backend.ensure.bind(world.backend)
  world.backend.ensure = (target) =>
    target.cluster.version === broken
      ? Promise.resolve({ state: 'Failed', message: 'no such version' })
      : ensure(target)
}

export const CRASH_SCENARIOS: readonly CrashScenario[] = [
  { name: 'a pool fills', tell: (world) => warm(world, 2) },
  {
    name: 'a lease is bound, released and its member replaced',
    async tell(world) {
      await warm(world, 1)
      await release(world, await bind(world))
      await untilSettled(world, 1)
    },
  },
  {
    name: 'an upgrade',
    async tell(world) {
      await warm(world, 2)
      await roll(world, NEW)
      await untilSettled(world, 2, { version: NEW })
    },
  },
  {
    name: 'an upgrade beside a lease that ends later',
    async tell(world) {
      await warm(world, 1)
      const held = await bind(world)
      await untilSettled(world, 1, { leased: 1 })
      await roll(world, NEW)
      await untilSettled(world, 1, { leased: 1, version: NEW })
      await release(world, held)
      await untilSettled(world, 1, { version: NEW })
    },
  },
  {
    name: 'an upgrade that is taken back in the middle',
    async tell(world) {
      await warm(world, 2)
      await roll(world, NEW)
      await world.until('one is new', isOfVersion(world, NEW))
      await roll(world, OLD)
      await untilSettled(world, 2)
    },
  },
  {
    name: 'a template that never works, and then one that does',
    async tell(world) {
      breakVersion(world, BAD)
      await warm(world, 1)
      await roll(world, BAD)
      await world.until('it backs off', () => world.pool('a')?.status?.phase === 'Backoff')
      await roll(world, NEW)
      await untilSettled(world, 1, { version: NEW })
      await world.until('the failures are over', () => world.pool('a')?.status?.consecutiveFailures === 0)
    },
  },
  {
    name: 'a size that is raised and lowered',
    async tell(world) {
      await warm(world, 1)
      await world.patchPool('a', { size: 3 })
      await untilSettled(world, 3)
      await world.patchPool('a', { size: 1 })
      await untilSettled(world, 1)
    },
  },
  {
    name: 'up from zero for a claim, and back to zero',
    async tell(world) {
      await warm(world, 0, { scaling })
      const held = await bind(world)
      await untilSettled(world, 0, { leased: 1 })
      await release(world, held)
      await untilSettled(world, 0)
    },
  },
  {
    name: 'two leases, one place',
    async tell(world) {
      await warm(world, 0, { scaling })
      const first = await bind(world)
      const second = (await world.makeLease('a')).metadata.name ?? ''
      await world.until('the second one waits', () => world.pool('a')?.status?.queueDepth === 1)
      await release(world, first)
      await world.untilBound(second)
      await untilSettled(world, 0, { leased: 1 })
    },
  },
  {
    name: 'a lease that expires',
    async tell(world) {
      await warm(world, 1)
      const { lease, member } = await bind(world)
      await untilSettled(world, 1, { leased: 1 })
      await passTimeUntil(world, 1_900_000, () => world.lease(lease)?.status?.phase !== 'Bound')
      await world.until('its member is gone', () => !world.instance(member))
      // It can still be read for a while.
      await passTimeUntil(world, 301_000, () => world.lease(lease) === undefined)
      await untilSettled(world, 1)
    },
  },
  {
    name: 'a member that falls sick',
    async tell(world) {
      await warm(world, 1)
      const sick = aReadyMember(world)
      world.backend.setHealth(sick, { healthy: false, message: 'no answer' })
      await passTimeUntil(world, 10_000, () => world.instance(sick)?.status?.phase !== 'Ready')
      await world.until('it is gone', () => !world.instance(sick))
      await untilSettled(world, 1)
    },
  },
  {
    name: 'a member, a leased member and a lease that are deleted by hand',
    async tell(world) {
      const { client, namespace } = world
      await warm(world, 2)
      const free = aReadyMember(world)
      await client.delete(CLUSTER_INSTANCES, { name: free, namespace })
      await world.until('the member is gone', () => !world.instance(free))
      await untilSettled(world, 2)
      const { lease, member } = await bind(world)
      await client.delete(CLUSTER_INSTANCES, { name: member, namespace })
      await world.until('it waits for its lease', () => world.instance(member)?.metadata.deletionTimestamp)
      await client.delete(CLUSTER_LEASES, { name: lease, namespace })
      await world.until('both are gone', () => !world.lease(lease) && !world.instance(member))
      await untilSettled(world, 2)
    },
  },
  {
    name: 'a pool that is deleted under a lease',
    async tell(world) {
      await warm(world, 1)
      const held = await bind(world)
      await world.client.delete(CLUSTER_POOLS, { name: 'a', namespace: world.namespace })
      await world.until('only the leased member is left', () => world.members('a').length === 1)
      await release(world, held)
      await world.until('nothing is left', () => !world.pool('a') && world.members('a').length === 0)
    },
  },
]

export function crashScenario(name: string): CrashScenario {
  const found = CRASH_SCENARIOS.find((scenario) => scenario.name === name)
  if (found === undefined) throw new RangeError(`there is no scenario "${name}"`)
  return found
}

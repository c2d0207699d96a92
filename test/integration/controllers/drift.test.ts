/** Drift: the three knobs, the floor at every resource version, and a template that does not work. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  CLUSTER_INSTANCES,
  createOperatorWorld,
  type OperatorWorld,
  startWorldHost,
  type WorldHost,
} from '../../support/operator-world.ts'

let host: WorldHost
beforeAll(async () => {
  host = await startWorldHost()
})
afterAll(() => host.stop())

const NEW = { cluster: { version: 'v1.36.0' } }

const versions = (world: OperatorWorld, pool: string) =>
  world.inPhase(pool, 'Ready').map(({ status }) => status?.createdWith?.cluster?.version)

const untilRolled = (world: OperatorWorld, pool: string, size: number, version = 'v1.36.0') =>
  world.until(`${pool} has ${size} Ready members of ${version} and no others`, () => {
    const found = versions(world, pool)
    return found.length === size && world.members(pool).length === size && found.every((one) => one === version)
  })

/** Most members of the pool that were in the phase at once, from now on. */
function peak(world: OperatorWorld, pool: string, phase: string): () => number {
  let most = 0
  world.caches.instances.on(() => {
    most = Math.max(most, world.inPhase(pool, phase).length)
  })
  return () => most
}

describe('a changed template', () => {
  const cases = [
    { title: 'one at a time with one surge member, by default', size: 3, policy: {}, floor: 3, recycling: 1, total: 4 },
    { title: 'two at a time', size: 4, policy: { maxRecycling: 2, maxSurge: 2 }, floor: 4, recycling: 2, total: 6 },
    {
      title: 'without surge, down to the floor',
      size: 3,
      policy: { maxSurge: 0, minReadyDuringUpgrade: 2 },
      floor: 2,
      recycling: 1,
      total: 3,
    },
    {
      title: 'of a single member with floor 0: the replacement comes first',
      size: 1,
      policy: { minReadyDuringUpgrade: 0 },
      floor: 1,
      recycling: 1,
      total: 2,
    },
  ]
  for (const { title, size, policy, floor, recycling, total } of cases) {
    it(`rolls ${title}; Ready is never below ${floor} at any resource version`, async () => {
      await using world = await createOperatorWorld(host)
      await world.makePool('a', { size, upgradePolicy: policy })
      await world.untilWarm('a', size)
      world.history.floor('a', floor)
      const mostRecycling = peak(world, 'a', 'Recycling')
      let most = 0
      world.caches.instances.on(() => {
        // Dying members are beside it: their replacement does not wait for them.
        most = Math.max(most, world.members('a').length - world.inPhase('a', 'Recycling').length)
      })
      await world.patchPool('a', NEW)
      await untilRolled(world, 'a', size)
      expect(world.history.lowestReady('a')).toBeGreaterThanOrEqual(floor)
      expect(mostRecycling()).toBeLessThanOrEqual(recycling)
      expect(most).toBeLessThanOrEqual(total)
      expect(world.history.violations).toEqual([])
      expect(world.logs.filter(({ level }) => level === 'error')).toEqual([])
    })
  }

  it('keeps the phase Healthy from beginning to end', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 2 })
    await world.untilWarm('a', 2)
    await world.until('it is healthy', () => world.pool('a')?.status?.phase === 'Healthy')
    const phases = new Set<string>()
    world.caches.pools.on(({ object }) => phases.add(object.status?.phase ?? ''))
    await world.patchPool('a', NEW)
    await untilRolled(world, 'a', 2)
    await world.until('the upgrade is over', () => world.pool('a')?.status?.upgrade === undefined)
    expect([...phases]).toEqual(['Healthy'])
  })

  it('never touches a leased member, and replaces it when its lease ends', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 2 })
    await world.untilWarm('a', 2)
    const made = await world.makeLease('a')
    const member = (await world.untilBound(made.metadata.name!)).status!.clusterName!
    await world.until('the pool is warm beside it', () => world.inPhase('a', 'Ready').length === 2)
    await world.patchPool('a', NEW)
    await world.until('the others are rolled', () => {
      const found = versions(world, 'a')
      return found.length === 2 && world.members('a').length === 3 && found.every((one) => one === 'v1.36.0')
    })
    expect(world.instance(member)!.status).toMatchObject({
      phase: 'Leased',
      createdWith: { cluster: { version: 'v1.35.0' } },
    })
    await world.release(made.metadata.name!)
    await untilRolled(world, 'a', 2)
    expect(world.history.violations).toEqual([])
  })

  it('waits while maxRecycling is 0, and rolls when it is raised', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 2, upgradePolicy: { maxRecycling: 0 } })
    await world.untilWarm('a', 2)
    await world.patchPool('a', NEW)
    await world.until('the drift is seen', () => world.pool('a')?.status?.drifted === 2)
    await world.quiet()
    expect(versions(world, 'a')).toEqual(['v1.35.0', 'v1.35.0'])
    await world.patchPool('a', { upgradePolicy: { maxRecycling: 1 } })
    await untilRolled(world, 'a', 2)
    expect(world.history.violations).toEqual([])
  })

  it('that is taken back in the middle ends with the members of the first template, Ready never below the floor', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 3 })
    await world.untilWarm('a', 3)
    world.history.floor('a', 3)
    await world.patchPool('a', NEW)
    await world.until('one is new', () => versions(world, 'a').includes('v1.36.0'))
    await world.patchPool('a', { cluster: { version: 'v1.35.0' } })
    await untilRolled(world, 'a', 3, 'v1.35.0')
    expect(world.history.lowestReady('a')).toBeGreaterThanOrEqual(3)
    expect(world.history.violations).toEqual([])
  })

  it('does not count on a member that was deleted by hand while the watch of the instances lags', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 2, upgradePolicy: { maxSurge: 0, minReadyDuringUpgrade: 1 } })
    await world.untilWarm('a', 2)
    await world.until('it is at rest', () => world.pool('a')?.status?.ready === 2)
    world.history.floor('a', 1)
    const release = world.operator().client.holdWatch('ClusterInstance')
    await host.client.delete(CLUSTER_INSTANCES, { name: 'pool-a-2', namespace: world.namespace })
    await world.patchPool('a', NEW)
    await world.until('the drift is seen', () => world.pool('a')?.status?.drifted === 2)
    await world.quiet()
    expect(world.instance('pool-a-1')!.status!.phase).toBe('Ready')
    release()
    await untilRolled(world, 'a', 2)
    expect(world.history.violations).toEqual([])
  })

  it('rolls under the floor rule while leases come and go', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 4, upgradePolicy: { maxRecycling: 2, minReadyDuringUpgrade: 2 } })
    await world.untilWarm('a', 4)
    world.history.floor('a', 2)
    await world.patchPool('a', NEW)
    const lives = Array.from({ length: 6 }, async () => {
      const made = await world.makeLease('a')
      await world.untilBound(made.metadata.name!)
      await world.release(made.metadata.name!)
    })
    await Promise.all(lives)
    await untilRolled(world, 'a', 4)
    expect(world.history.violations).toEqual([])
  })
})

describe('a template that does not work', () => {
  it('backs off, keeps the old members serving, and does not hold up a later good one', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 2 })
    await world.untilWarm('a', 2)
    world.history.floor('a', 2)
    const ensure = world.backend.ensure.bind(world.backend)
    world.backend.ensure = (target) =>
      target.cluster.version === 'v1.99.0'
        ? Promise.resolve({ state: 'Failed', message: 'no such version' })
        : ensure(target)
    await world.patchPool('a', { cluster: { version: 'v1.99.0' } })
    await world.until('it backs off', () => world.pool('a')?.status?.phase === 'Backoff')
    expect(world.pool('a')!.status).toMatchObject({ consecutiveFailures: 1, ready: 2 })
    expect(world.pool('a')!.status!.lastFailureReason).toContain('no such version')
    const made = world.history.everSeen.size
    await world.quiet()
    expect(world.history.everSeen.size).toBe(made)
    world.clock.skip(7_000)
    await world.until('it tries again, and fails again', () => world.pool('a')?.status?.consecutiveFailures === 2)
    await world.patchPool('a', NEW)
    await untilRolled(world, 'a', 2)
    await world.until('the failures are over', () => world.pool('a')?.status?.consecutiveFailures === 0)
    expect(world.history.lowestReady('a')).toBeGreaterThanOrEqual(2)
    expect(world.history.violations).toEqual([])
  })
})

import { describe, expect, test } from 'vitest'
import { advance, editPool, release, settle } from '../simulate/run-world.ts'
import type { World } from '../simulate/world.ts'
import { addLease, aWorld, inBucket, lease, status, upgradeTo, versions } from '../testing/a-world.ts'
import { MINUTE, POOL_NAME, SECOND, scaling, T0 } from '../testing/builders.ts'

/** The lowest number of Ready members, and every phase, seen while time passes. */
function watch(world: World, ms: number, step = SECOND): { leastReady: number; phases: Set<string>; most: number } {
  let leastReady = Number.POSITIVE_INFINITY
  let most = 0
  const phases = new Set<string>()
  for (const end = world.now + ms; world.now < end; ) {
    advance(world, world.now + step)
    leastReady = Math.min(leastReady, inBucket(world, 'ready').length)
    most = Math.max(most, world.instances.list().length)
    phases.add(status(world).phase!)
  }
  return { leastReady, phases, most }
}

const expectSound = (world: World) => expect(world.invariants.violations).toEqual([])

describe('a fixed pool', () => {
  test('is filled to its size and then writes nothing any more (I12)', () => {
    const world = aWorld({ size: 3 })
    advance(world, T0 + MINUTE)
    expect(status(world)).toMatchObject({ phase: 'Healthy', ready: 3, creating: 0, highestIndex: 3 })
    const { writes } = world
    advance(world, T0 + 60 * MINUTE)
    expect(world.writes).toBe(writes)
    expectSound(world)
  })

  test('replaces a leased member at once, and a released one is destroyed and never offered again', () => {
    const world = aWorld({ size: 2 })
    advance(world, T0 + MINUTE)
    addLease(world, 'lease-1')
    settle(world)
    expect(lease(world, 'lease-1')!.status).toMatchObject({ phase: 'Bound', clusterName: 'pool-ci-small-1' })
    expect(status(world)).toMatchObject({ ready: 1, leased: 1, creating: 1 })
    advance(world, world.now + MINUTE)
    expect(status(world)).toMatchObject({ ready: 2, leased: 1, phase: 'Healthy' })
    release(world, 'lease-1')
    advance(world, world.now + MINUTE)
    expect(status(world)).toMatchObject({ ready: 2, leased: 0, recycling: 0, phase: 'Healthy' })
    expect(lease(world, 'lease-1')).toBeUndefined()
    expect(world.instances.get('pool-ci-small-1')).toBeUndefined()
    expectSound(world)
  })

  test('the whole life of a lease takes nine writes on the lease and its instance', () => {
    const world = aWorld({ size: 1 })
    advance(world, T0 + MINUTE)
    const before = { ...world.writesTo }
    addLease(world, 'lease-1')
    settle(world)
    release(world, 'lease-1')
    advance(world, world.now + MINUTE)
    // Created, intent, Bound, Released, deleted.
    expect(world.writesTo.leases - before.leases).toBe(5)
    // Reserved, Recycling, deleted, finalizer off; and its replacement: created, stamped, booting, Ready.
    expect(world.writesTo.instances - before.instances).toBe(4 + 4)
  })

  test('an expired lease loses its member and its token without anybody asking', () => {
    const world = aWorld({ size: 1 })
    advance(world, T0 + MINUTE)
    addLease(world, 'lease-1', { spec: { ttl: '10m' } })
    settle(world)
    expect(world.tokens.has('lease-1')).toBe(true)
    advance(world, world.now + 11 * MINUTE)
    expect(lease(world, 'lease-1')!.status).toMatchObject({ phase: 'Expired' })
    expect(world.tokens.has('lease-1')).toBe(false)
    expect(world.instances.get('pool-ci-small-1')).toBeUndefined()
    advance(world, world.now + 6 * MINUTE)
    expect(lease(world, 'lease-1')).toBeUndefined()
    expectSound(world)
  })

  test('a sick member is recycled after three failed probes and replaced', () => {
    const world = aWorld({ size: 1 })
    advance(world, T0 + MINUTE)
    world.clusters.makeSick(world.instances.get('pool-ci-small-1')!.metadata.uid!)
    advance(world, world.now + 5 * MINUTE)
    expect(world.instances.get('pool-ci-small-1')).toBeUndefined()
    expect(status(world)).toMatchObject({ ready: 1, phase: 'Healthy', consecutiveFailures: 0 })
    expectSound(world)
  })

  test('sheds surplus members when its size is lowered', () => {
    const world = aWorld({ size: 5 })
    advance(world, T0 + MINUTE)
    editPool(world, POOL_NAME, (spec) => ({ ...spec, size: 2 }))
    advance(world, world.now + MINUTE)
    expect(status(world)).toMatchObject({ ready: 2, phase: 'Healthy' })
    expectSound(world)
  })

  test('goes away when it is deleted, but not under a lease', () => {
    const world = aWorld({ size: 2 })
    advance(world, T0 + MINUTE)
    addLease(world, 'lease-1')
    advance(world, world.now + MINUTE)
    world.pools.remove(POOL_NAME, {})
    advance(world, world.now + MINUTE)
    expect(world.instances.list().map((member) => member.status!.phase)).toEqual(['Leased'])
    addLease(world, 'lease-2')
    settle(world)
    expect(lease(world, 'lease-2')!.status).toMatchObject({ phase: 'Released' })
    release(world, 'lease-1')
    advance(world, world.now + MINUTE)
    expect(world.instances.list()).toEqual([])
    expect(world.pools.get(POOL_NAME)).toBeUndefined()
    expectSound(world)
  })
})

describe('the published upgrade examples', () => {
  test('size 1, surge 1, floor 0: the replacement is Ready before the old member goes', () => {
    const world = aWorld({ size: 1, upgradePolicy: { maxRecycling: 1, maxSurge: 1, minReadyDuringUpgrade: 0 } })
    advance(world, T0 + MINUTE)
    editPool(world, POOL_NAME, upgradeTo('v2'))
    const seen = watch(world, 3 * MINUTE)
    expect(seen).toEqual({ leastReady: 1, phases: new Set(['Healthy']), most: 2 })
    expect(versions(world, 'ready')).toEqual(['v2'])
    expectSound(world)
  })

  test('size 4, floor 3: three members keep serving, and the phase stays Healthy', () => {
    const world = aWorld({ size: 4, upgradePolicy: { maxRecycling: 1, maxSurge: 1, minReadyDuringUpgrade: 3 } })
    advance(world, T0 + MINUTE)
    editPool(world, POOL_NAME, upgradeTo('v2'))
    const seen = watch(world, 5 * MINUTE)
    expect(seen.leastReady).toBe(3)
    expect(seen.phases).toEqual(new Set(['Healthy']))
    expect(versions(world, 'ready')).toEqual(['v2', 'v2', 'v2', 'v2'])
    expect(status(world)).toMatchObject({ ready: 4, recycling: 0, drifted: 0 })
    expect(status(world).upgrade).toBeUndefined()
    expectSound(world)
  })

  test('size 8, recycling 2, surge 2, floor 6', () => {
    const world = aWorld({ size: 8, upgradePolicy: { maxRecycling: 2, maxSurge: 2, minReadyDuringUpgrade: 6 } })
    advance(world, T0 + MINUTE)
    editPool(world, POOL_NAME, upgradeTo('v2'))
    const seen = watch(world, 6 * MINUTE)
    expect(seen.leastReady).toBe(6)
    expect(seen.phases).toEqual(new Set(['Healthy']))
    expect(versions(world, 'ready')).toEqual(Array.from({ length: 8 }, () => 'v2'))
    expectSound(world)
  })

  test('without a policy one member at a time is replaced, and none is ever missing', () => {
    const world = aWorld({ size: 3 })
    advance(world, T0 + MINUTE)
    editPool(world, POOL_NAME, upgradeTo('v2'))
    const seen = watch(world, 5 * MINUTE)
    expect(seen).toMatchObject({ leastReady: 3, phases: new Set(['Healthy']) })
    expect(versions(world, 'ready')).toEqual(['v2', 'v2', 'v2'])
    expectSound(world)
  })

  test('maxSurge 0 with a floor at the size never progresses, and says so', () => {
    const world = aWorld({ size: 2, upgradePolicy: { maxRecycling: 1, maxSurge: 0 } })
    advance(world, T0 + MINUTE)
    editPool(world, POOL_NAME, upgradeTo('v2'))
    advance(world, world.now + 10 * MINUTE)
    expect(versions(world, 'ready')).toEqual(['v1', 'v1'])
    const stalled = status(world).conditions!.find(({ type }) => type === 'Stalled')
    expect(stalled).toMatchObject({ status: 'True', reason: 'FloorNeverSatisfied' })
    expect(stalled!.message).toContain('floor (2)')
    expect(status(world).conditions!.some(({ type }) => type === 'Reconciling')).toBe(false)
  })

  test('a ceiling that leaves no room for the surge is as good as maxSurge 0: the pool says that it cannot progress', () => {
    const world = aWorld({ scaling: scaling({ minReady: 2, maxClusters: 2 }) })
    advance(world, T0 + MINUTE)
    editPool(world, POOL_NAME, upgradeTo('v2'))
    advance(world, world.now + 10 * MINUTE)
    expect(versions(world, 'ready')).toEqual(['v1', 'v1'])
    const stalled = status(world).conditions!.find(({ type }) => type === 'Stalled')
    expect(stalled).toMatchObject({ status: 'True', reason: 'FloorNeverSatisfied' })
    expect(stalled!.message).toContain('of which 0 fit under the ceiling of 2')
    expect(stalled!.message).toContain('raise maxClusters')
  })

  test('a pause stops the deletes, lets the surge member finish, and a resume goes on', () => {
    const world = aWorld({ size: 2 })
    advance(world, T0 + MINUTE)
    editPool(world, POOL_NAME, upgradeTo('v2'))
    advance(world, world.now + SECOND)
    editPool(world, POOL_NAME, (spec) => ({ ...spec, upgradePolicy: { maxRecycling: 0, maxSurge: 1 } }))
    advance(world, world.now + 5 * MINUTE)
    expect(versions(world, 'ready')).toEqual(['v1', 'v1', 'v2'])
    expect(status(world)).toMatchObject({ phase: 'Healthy', drifted: 2 })
    editPool(world, POOL_NAME, (spec) => ({ ...spec, upgradePolicy: { maxRecycling: 1, maxSurge: 1 } }))
    advance(world, world.now + 5 * MINUTE)
    expect(versions(world, 'ready')).toEqual(['v2', 'v2'])
    expectSound(world)
  })

  test('a roll-back in mid-upgrade drops what is being created and keeps what is still good', () => {
    const world = aWorld({ size: 3 })
    advance(world, T0 + MINUTE)
    const before = world.instances.list().map(({ metadata }) => metadata.uid)
    editPool(world, POOL_NAME, upgradeTo('v2'))
    advance(world, world.now + SECOND)
    editPool(world, POOL_NAME, upgradeTo('v1'))
    settle(world)
    expect(versions(world, 'creating')).toEqual([])
    advance(world, world.now + 5 * MINUTE)
    expect(world.instances.list().map(({ metadata }) => metadata.uid)).toEqual(before)
    expect(status(world)).toMatchObject({ phase: 'Healthy', ready: 3 })
    expectSound(world)
  })

  test.each(['Failed', 'Hangs'] as const)(
    'a bad template (%s) takes no Ready member, and a good one gets through',
    (fault) => {
      const world = aWorld({ size: 2, scaling: scaling({ minReady: 2, creatingTimeout: '1m' }) })
      advance(world, T0 + MINUTE)
      world.behaviour = { ...world.behaviour, bad: new Map([['v2', fault]]) }
      editPool(world, POOL_NAME, upgradeTo('v2'))
      const seen = watch(world, 10 * MINUTE, 5 * SECOND)
      expect(seen.leastReady).toBe(2)
      expect(status(world).consecutiveFailures).toBeGreaterThanOrEqual(3)
      editPool(world, POOL_NAME, upgradeTo('v3'))
      settle(world)
      expect(status(world).consecutiveFailures).toBe(0)
      expect(status(world).nextAttemptAt).toBeUndefined()
      advance(world, world.now + 5 * MINUTE)
      expect(versions(world, 'ready')).toEqual(['v3', 'v3'])
      expectSound(world)
    },
  )

  test('a leased member is not touched by an upgrade, and is replaced when its lease ends', () => {
    const world = aWorld({ size: 1 })
    advance(world, T0 + MINUTE)
    addLease(world, 'lease-1')
    advance(world, world.now + MINUTE)
    editPool(world, POOL_NAME, upgradeTo('v2'))
    advance(world, world.now + 5 * MINUTE)
    expect(versions(world, 'leased')).toEqual(['v1'])
    expect(versions(world, 'ready')).toEqual(['v2'])
    release(world, 'lease-1')
    advance(world, world.now + MINUTE)
    expect(versions(world, 'ready')).toEqual(['v2'])
    expect(status(world).drifted).toBe(0)
    expectSound(world)
  })
})

describe('a scaling pool', () => {
  test('scales from zero for a lease, and back to zero when nobody comes', () => {
    const world = aWorld({ scaling: scaling({ minReady: 0 }) })
    advance(world, T0 + MINUTE)
    expect(status(world)).toMatchObject({ phase: 'Idle', ready: 0 })
    addLease(world, 'lease-1')
    advance(world, world.now + MINUTE)
    expect(lease(world, 'lease-1')!.status!.phase).toBe('Bound')
    release(world, 'lease-1')
    advance(world, world.now + 20 * MINUTE)
    expect(status(world)).toMatchObject({ phase: 'Idle' })
    expect(world.instances.list()).toEqual([])
    expectSound(world)
  })

  test('never has more members than its ceiling, and queued leases expire after queueTimeout', () => {
    const world = aWorld({ scaling: scaling({ minReady: 1, maxClusters: 3 }) })
    advance(world, T0 + MINUTE)
    for (let n = 1; n <= 5; n += 1) addLease(world, `lease-${n}`)
    const seen = watch(world, 4 * MINUTE)
    expect(seen.most).toBe(3)
    const bound = world.leases.list().filter(({ status: answer }) => answer!.phase === 'Bound')
    expect(bound).toHaveLength(3)
    const waiting = lease(world, 'lease-5')!.status!
    expect(waiting).toMatchObject({ phase: 'Pending', queuePosition: 2 })
    expect(waiting.conditions!.find(({ type }) => type === 'Satisfiable')).toMatchObject({ reason: 'AllLeased' })
    advance(world, world.now + 2 * MINUTE)
    expect(lease(world, 'lease-5')!.status!.phase).toBe('Expired')
    expectSound(world)
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { instancePass } from '../simulate/instance-pass.ts'
import { leasePass } from '../simulate/lease-pass.ts'
import { poolPass } from '../simulate/pool-pass.ts'
import { advance, editPool, passAll, release } from '../simulate/run-world.ts'
import { Crash, catchUp, lag, restart, type World } from '../simulate/world.ts'
import { addLease, aWorld, lease, status, upgradeTo, versions } from '../testing/a-world.ts'
import { MINUTE, POOL_NAME, SECOND, scaling, T0 } from '../testing/builders.ts'

/** Rare probes keep long stretches of virtual time cheap. */
const healthCheck = { intervalSeconds: 300, failureThreshold: 3 }

describe('whatever happens in whatever order', () => {
  const knobs = fc.record({
    size: fc.integer({ min: 1, max: 8 }),
    maxSurge: fc.integer({ min: 0, max: 2 }),
    maxRecycling: fc.integer({ min: 1, max: 3 }),
    floorShare: fc.double({ min: 0, max: 1, noNaN: true }),
    scales: fc.boolean(),
  })
  const step = fc.oneof(
    fc.record({ kind: fc.constant('claim' as const), requester: fc.constantFrom('alice', 'bob') }),
    fc.record({ kind: fc.constant('release' as const), n: fc.nat(10) }),
    fc.record({ kind: fc.constant('upgrade' as const), version: fc.constantFrom('v1', 'v2', 'v3', 'v9') }),
    fc.record({ kind: fc.constant('pause' as const) }),
    fc.record({ kind: fc.constant('sick' as const), n: fc.nat(10) }),
    fc.record({ kind: fc.constant('crash' as const), afterWrites: fc.nat(6) }),
    fc.record({
      kind: fc.constant('pass' as const),
      over: fc.constantFrom('pool', 'lease', 'instance'),
      n: fc.nat(10),
    }),
    fc.record({ kind: fc.constant('lag' as const) }),
    fc.record({ kind: fc.constant('time' as const), seconds: fc.integer({ min: 1, max: 90 }) }),
  )
  type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

  function play(world: World, action: Step): void {
    const pick = <T>(items: readonly T[], n: number): T | undefined => items[n % Math.max(1, items.length)]
    if (action.kind === 'claim') addLease(world, `lease-${world.serial()}`, { requester: action.requester })
    if (action.kind === 'release') release(world, pick(world.leases.list(), action.n)?.metadata.name ?? 'none')
    if (action.kind === 'upgrade') editPool(world, POOL_NAME, upgradeTo(action.version))
    if (action.kind === 'pause')
      editPool(world, POOL_NAME, (spec) => ({ ...spec, upgradePolicy: { ...spec.upgradePolicy, maxRecycling: 0 } }))
    if (action.kind === 'sick') world.clusters.makeSick(pick(world.instances.list(), action.n)?.metadata.uid ?? 'none')
    if (action.kind === 'lag') lag(world)
    if (action.kind === 'time') catchUp(world)
    if (action.kind === 'time') advance(world, world.now + action.seconds * SECOND)
    if (action.kind === 'crash') crashAfter(world, action.afterWrites)
    if (action.kind === 'pass') onePass(world, action.over, (names) => pick(names, action.n) ?? 'none')
  }

  function onePass(world: World, over: string, pick: (names: string[]) => string): void {
    const names = (objects: ReadonlyArray<{ metadata: { name?: string } }>) =>
      objects.map(({ metadata }) => metadata.name ?? '')
    if (over === 'pool') poolPass(world, POOL_NAME)
    if (over === 'lease') leasePass(world, pick(names(world.leases.list())))
    if (over === 'instance') instancePass(world, pick(names(world.instances.list())))
  }

  function crashAfter(world: World, writes: number): void {
    world.crashAt = world.writes + writes
    try {
      passAll(world)
    } catch (error) {
      if (!(error instanceof Crash)) throw error
    }
    restart(world)
  }

  test('I1 to I6 and I9 hold at every step, and the pool comes to rest at its size (seed 7)', () => {
    fc.assert(
      fc.property(knobs, fc.array(step, { maxLength: 40 }), ({ size, floorShare, scales, ...policy }, steps) => {
        const upgradePolicy = { ...policy, minReadyDuringUpgrade: Math.round(floorShare * size) }
        const sized = scales
          ? { scaling: scaling({ minReady: size, maxClusters: size + 3, creatingTimeout: '2m' }) }
          : { size }
        const world = aWorld({ ...sized, upgradePolicy, healthCheck })
        world.behaviour = { ...world.behaviour, bad: new Map([['v9', 'Failed']]) }
        for (const action of steps) play(world, action)
        catchUp(world)
        expect(world.invariants.violations).toEqual([])
        for (const { metadata } of world.leases.list()) release(world, metadata.name!)
        editPool(world, POOL_NAME, (spec) => ({
          ...upgradeTo('v4')(spec),
          upgradePolicy: { maxRecycling: 2, maxSurge: 1 },
        }))
        advance(world, world.now + 45 * MINUTE)
        expect(world.invariants.violations).toEqual([])
        expect(versions(world, 'ready')).toEqual(Array.from({ length: size }, () => 'v4'))
        expect(world.instances.list()).toHaveLength(size)
        expect(status(world)).toMatchObject({ phase: 'Healthy', drifted: 0 })
        const { writes } = world
        advance(world, world.now + 10 * MINUTE)
        expect(world.writes).toBe(writes)
      }),
      { seed: 7, numRuns: 25 },
    )
  }, 60_000)

  test('I13: an operator killed before any write reaches the same end', () => {
    const steps: ReadonlyArray<(world: World) => void> = [
      (world) => advance(world, T0 + MINUTE),
      (world) => {
        if (lease(world, 'lease-1') === undefined) addLease(world, 'lease-1')
      },
      (world) => advance(world, T0 + 2 * MINUTE),
      (world) => editPool(world, POOL_NAME, upgradeTo('v2')),
      (world) => advance(world, T0 + 5 * MINUTE),
      (world) => {
        release(world, 'lease-1')
      },
      (world) => advance(world, T0 + 10 * MINUTE),
    ]
    const play = (crashAt?: number): World => {
      const world = aWorld({ size: 2, healthCheck })
      if (crashAt !== undefined) world.crashAt = crashAt
      for (const act of steps) {
        try {
          act(world)
        } catch (error) {
          if (!(error instanceof Crash)) throw error
          restart(world)
          act(world)
        }
      }
      return world
    }
    const { writes } = play()
    expect(writes).toBeGreaterThan(30)
    for (let crashAt = 1; crashAt < writes; crashAt += 1) {
      const world = play(crashAt)
      expect(world.invariants.violations, `killed before write ${crashAt}`).toEqual([])
      expect(status(world), `killed before write ${crashAt}`).toMatchObject({
        phase: 'Healthy',
        ready: 2,
        recycling: 0,
      })
      expect(versions(world, 'ready')).toEqual(['v2', 'v2'])
      expect(world.leases.list()).toEqual([])
      expect(world.tokens.size).toBe(0)
    }
  }, 60_000)
})

/** Health, full hosts, and destroys that do not end. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConditionType, findCondition } from '../../../src/api/v1alpha1/conditions.ts'
import { BackendError } from '../../../src/backends/backend.ts'
import {
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

const SICK = { healthy: false, message: 'connection refused' } as const

/** One interval of probes, and everything they set going. */
async function interval(world: OperatorWorld): Promise<void> {
  world.clock.skip(30_000)
  await world.quiet()
}

const condition = (world: OperatorWorld, pool: string, type: ConditionType) =>
  findCondition(world.pool(pool)?.status?.conditions, type)

describe('an unhealthy member', () => {
  it('is recycled after three failed probes in a row, and not before', async () => {
    await using world = await createOperatorWorld(host, { stepped: true })
    await world.makePool('a', { size: 2 })
    await world.untilWarm('a', 2)
    world.backend.setHealth('pool-a-1', SICK)
    for (const failures of [1, 2]) {
      await interval(world)
      await world.until(
        `${failures} failures are recorded`,
        () => world.instance('pool-a-1')?.status?.healthFailures === failures,
      )
      expect(world.instance('pool-a-1')!.status!.phase).toBe('Ready')
    }
    await interval(world)
    await world.until('it is replaced', () => world.instance('pool-a-1') === undefined)
    await world.untilWarm('a', 2)
    expect(world.backend.world.has('pool-a-1')).toBe(false)
    expect(world.history.violations).toEqual([])
  })

  it('that recovers in between starts from zero', async () => {
    await using world = await createOperatorWorld(host, { stepped: true })
    await world.makePool('a', { size: 1 })
    await world.untilWarm('a', 1)
    for (const sick of [true, true, false, true, true, false]) {
      world.backend.setHealth('pool-a-1', sick ? SICK : undefined)
      await interval(world)
    }
    await world.until('it is well', () => world.instance('pool-a-1')?.status?.healthFailures === 0)
    expect([...world.history.everSeen.keys()]).toEqual(['pool-a-1'])
  })

  it('counts failures on across a restart of the operator', async () => {
    await using world = await createOperatorWorld(host, { stepped: true })
    await world.makePool('a', { size: 1 })
    await world.untilWarm('a', 1)
    world.backend.setHealth('pool-a-1', SICK)
    await interval(world)
    await interval(world)
    await world.until('two are recorded', () => world.instance('pool-a-1')?.status?.healthFailures === 2)
    await world.operator().crash()
    await world.start()
    await interval(world)
    await world.until('it is replaced', () => world.instance('pool-a-1') === undefined)
  })

  it('is never recycled while it is leased', async () => {
    await using world = await createOperatorWorld(host, { stepped: true })
    await world.makePool('a', { size: 1 })
    await world.untilWarm('a', 1)
    const made = await world.makeLease('a', { ttl: '10h' })
    const member = (await world.untilBound(made.metadata.name!)).status!.clusterName!
    await world.until('the pool is warm beside it', () => world.inPhase('a', 'Ready').length === 1)
    world.backend.setHealth(member, SICK)
    for (let count = 0; count < 5; count += 1) await interval(world)
    expect(world.instance(member)!.status!.phase).toBe('Leased')
    world.backend.lose(member)
    await interval(world)
    expect(world.instance(member)!.status!.phase).toBe('Leased')
    expect(world.history.violations).toEqual([])
  })

  it('is not handed out: the lease takes the next one', async () => {
    await using world = await createOperatorWorld(host, { stepped: true })
    await world.makePool('a', { size: 2 })
    await world.untilWarm('a', 2)
    // Nothing has been probed yet that would count as fresh.
    world.clock.skip(5_000)
    world.backend.setHealth('pool-a-1', SICK)
    const made = await world.makeLease('a')
    expect((await world.untilBound(made.metadata.name!)).status!.clusterName).toBe('pool-a-2')
  })

  it('that the backend gives up is recycled at once', async () => {
    await using world = await createOperatorWorld(host, { stepped: true })
    await world.makePool('a', { size: 1 })
    await world.untilWarm('a', 1)
    world.backend.setState('pool-a-1', { state: 'Failed', message: 'its process has died' })
    await world.until('it is replaced', () => world.instance('pool-a-1') === undefined)
    await world.untilWarm('a', 1)
    expect(world.pool('a')!.status!.consecutiveFailures).toBe(0)
  })
})

describe('a full host', () => {
  it('holds the member instead of failing it, says CapacityBlocked, and goes on when there is room', async () => {
    await using world = await createOperatorWorld(host, { stepped: true, backend: { maxMembers: 1 } })
    await world.makePool('a', { size: 2 })
    await world.until('the pool says so', () => condition(world, 'a', ConditionType.CapacityBlocked)?.status === 'True')
    await world.until('the other is Ready', () => world.inPhase('a', 'Ready').length === 1)
    // Longer than creatingTimeout.
    for (let minute = 0; minute < 12; minute += 1) {
      world.clock.skip(60_000)
      await world.quiet()
    }
    expect(world.members('a')).toHaveLength(2)
    expect(world.history.everSeen.size).toBe(2)
    expect(world.pool('a')!.status!.consecutiveFailures).toBe(0)
    world.backend.setMaxMembers(2)
    world.clock.skip(5_000)
    await world.untilWarm('a', 2)
    await world.until('it is over', () => condition(world, 'a', ConditionType.CapacityBlocked)?.status === 'False')
  })
})

describe('a member that stays Creating', () => {
  it('is recycled after creatingTimeout and counts as one failure', async () => {
    await using world = await createOperatorWorld(host, { stepped: true })
    const ensure = world.backend.ensure.bind(world.backend)
    world.backend.ensure = (target) =>
      target.name === 'pool-a-1' ? Promise.resolve({ state: 'Provisioning', message: 'hangs' }) : ensure(target)
    await world.makePool('a', { size: 1 })
    await world.until('it says what it waits for', () => world.instance('pool-a-1')?.status?.message === 'hangs')
    world.clock.skip(599_000)
    await world.quiet()
    expect(world.instance('pool-a-1')!.status!.phase).toBe('Creating')
    world.clock.skip(3_000)
    await world.until('it is gone', () => world.instance('pool-a-1') === undefined)
    await world.until('it counts', () => world.pool('a')?.status?.consecutiveFailures === 1)
    world.clock.skip(6_000)
    await world.untilWarm('a', 1)
    await world.until('it is forgiven', () => world.pool('a')?.status?.consecutiveFailures === 0)
  })
})

describe('a destroy that does not end', () => {
  it('is asked for again and again, holds up neither the replacement nor an upgrade, and the object goes last', async () => {
    await using world = await createOperatorWorld(host, { stepped: true })
    await world.makePool('a', { size: 2, scaling: undefined as never })
    await world.untilWarm('a', 2)
    world.backend.holdDestroy('pool-a-1', true)
    await world.patchPool('a', { cluster: { version: 'v1.36.0' } })
    await world.until('it is being recycled', () => world.instance('pool-a-1')?.status?.phase === 'Recycling')
    await world.until('the pool is whole', () => world.inPhase('a', 'Ready').length === 2)
    // It counts against maxRecycling until creatingTimeout is over.
    await world.quiet()
    expect(world.instance('pool-a-2')?.status?.phase).toBe('Ready')
    for (let minute = 0; minute < 11; minute += 1) {
      world.clock.skip(60_000)
      await world.quiet()
    }
    await world.until('the upgrade went on without it', () => world.instance('pool-a-2') === undefined)
    expect(world.instance('pool-a-1')!.status!.phase).toBe('Recycling')
    world.backend.holdDestroy('pool-a-1', false)
    world.clock.skip(2_000)
    await world.untilWarm('a', 2)
    expect(world.history.violations).toEqual([])
  })

  it('or that fails is said on the object, and tried again', async () => {
    await using world = await createOperatorWorld(host, { stepped: true })
    await world.makePool('a', { size: 1 })
    await world.untilWarm('a', 1)
    world.backend.failNext('destroy', new BackendError('CreateFailed', 'the disk is read only'), 2)
    const made = await world.makeLease('a')
    const member = (await world.untilBound(made.metadata.name!)).status!.clusterName!
    await world.release(made.metadata.name!)
    await world.until('it is being recycled', () => world.instance(member)?.status?.phase === 'Recycling')
    await world.quiet()
    expect(world.logs.some(({ message }) => message.includes('the disk is read only'))).toBe(true)
    for (let count = 0; count < 3; count += 1) {
      world.clock.skip(6_000)
      await world.quiet()
    }
    await world.until('it is gone', () => world.instance(member) === undefined)
    expect(world.logs.filter(({ level }) => level === 'error')).toEqual([])
  })
})

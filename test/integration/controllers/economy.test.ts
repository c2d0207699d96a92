/** What the operator writes and says: nothing when nothing changes, each thing once, and no more requests than needed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EVENTS } from '../../../src/api/core-resources.ts'
import { describeWrite, type Write } from '../../support/faulty-client.ts'
import {
  CLUSTER_POOLS,
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

function counted(writes: readonly Write[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const write of writes) counts[describeWrite(write)] = (counts[describeWrite(write)] ?? 0) + 1
  return counts
}

async function pass(world: OperatorWorld, seconds: number, step: number): Promise<void> {
  for (let second = 0; second < seconds; second += step) {
    world.clock.skip(step * 1000)
    await world.quiet()
  }
}

describe('a settled pool', () => {
  it('writes nothing over ten minutes, although its members are probed all the time', async () => {
    await using world = await createOperatorWorld(host, { stepped: true })
    await world.makePool('a', { size: 3 })
    await world.untilWarm('a', 3)
    const made = await world.makeLease('a', { ttl: '10h' })
    await world.untilBound(made.metadata.name!)
    await world.until('the pool is warm beside the lease', () => world.inPhase('a', 'Ready').length === 3)
    await world.until('its status says so', () => world.pool('a')?.status?.ready === 3)
    await pass(world, 60, 5)
    const { client } = world.operator()
    const before = { writes: client.writes.length, reads: client.reads.length, probes: probes(world) }
    await pass(world, 600, 5)
    expect(client.writes.slice(before.writes).map(describeWrite)).toEqual([])
    expect(client.reads.slice(before.reads)).toEqual([])
    // Three members, twice a minute.
    expect(probes(world) - before.probes).toBe(60)
  })
})

const probes = (world: OperatorWorld) => world.backend.calls.filter(({ method }) => method === 'probe').length

describe('the life of one lease', () => {
  it('takes few writes, each of which is needed', async () => {
    await using world = await createOperatorWorld(host, { stepped: true })
    await world.makePool('a', { size: 2 })
    await world.untilWarm('a', 2)
    await pass(world, 60, 5)
    const { client } = world.operator()
    const before = client.writes.length
    const reads = client.reads.length
    const made = await world.makeLease('a')
    await world.untilBound(made.metadata.name!)
    await world.until('the pool is warm beside it', () => world.inPhase('a', 'Ready').length === 2)
    await world.until('its status says so', () => world.pool('a')?.status?.ready === 2)
    const toWarm = client.writes.slice(before)
    await world.release(made.metadata.name!)
    await world.untilWarm('a', 2)
    await world.until('its status says so', () => world.pool('a')?.status?.recycling === 0)
    await world.quiet()
    const all = client.writes.slice(before)
    process.stdout.write(
      `    writes from request to release: ${all.length} (until bound and warm again: ${toWarm.length})\n${Object.entries(
        counted(all),
      )
        .map(([what, count]) => `      ${count} ${what}\n`)
        .join('')}    reads: ${client.reads.slice(reads).join(', ') || 'none'}\n`,
    )
    expect(all.filter(({ failed }) => failed !== undefined && failed !== 'Conflict').map(describeWrite)).toEqual([])
    expect(counted(all)['patch ClusterLease/status']).toBe(2)
    expect(counted(all)['create Secret']).toBe(2)
    expect(all.filter(({ failed }) => failed === undefined).length).toBeLessThanOrEqual(20)
  })
})

describe('what is said', () => {
  it('is said once, however many passes find it true', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 2, upgradePolicy: { maxSurge: 0 } })
    await world.untilWarm('a', 2)
    await world.patchPool('a', { cluster: { version: 'v1.36.0' } })
    const held = () =>
      world.logs.filter(({ message }) => message.startsWith('Holding drift recycle: floor would be violated'))
    await world.until('it is stalled', () =>
      world.pool('a')?.status?.conditions?.some(({ reason }) => reason === 'FloorNeverSatisfied'),
    )
    // Passes without end: leases come and go, probes are made.
    for (let count = 0; count < 3; count += 1) {
      const made = await world.makeLease('a')
      await world.untilBound(made.metadata.name!)
      await world.release(made.metadata.name!)
      await world.until('it is gone', () => world.lease(made.metadata.name!) === undefined)
    }
    await pass(world, 60, 5)
    const texts = held().map(({ message, fields }) => `${message} ${fields['cluster']}`)
    // Its numbers may come back; between two sayings of one thing another was true.
    expect(texts.filter((text, place) => text === texts[place - 1])).toEqual([])
    expect(texts.length).toBeLessThanOrEqual(7)
    await world.operator().deps.recorder.flush()
    // Once for each lease.
    const { items } = await host.client.list(EVENTS, { namespace: world.namespace })
    const often = items
      .filter(({ count = 1 }) => count > 3)
      .map(({ reason, message, count }) => `${reason} ${message} ${count}`)
    expect(often).toEqual([])
  })
})

describe('metrics', () => {
  it('count recycles by reason, ends of leases, and lose every series of a pool that is deleted', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 1 })
    await world.makePool('b', { size: 1 })
    await world.untilWarm('a', 1)
    await world.untilWarm('b', 1)
    const { registry } = world.operator()
    const released = await world.makeLease('a', { ttl: '1h' })
    const expired = await world.makeLease('a', { ttl: '5m' })
    await world.untilBound(released.metadata.name!)
    await world.untilBound(expired.metadata.name!)
    await world.release(released.metadata.name!)
    await world.until('it is gone', () => world.lease(released.metadata.name!) === undefined)
    world.clock.skip(301_000)
    await world.until('it has expired', () => world.lease(expired.metadata.name!)?.status?.phase === 'Expired')
    await world.untilWarm('a', 1)
    await world.patchPool('a', { cluster: { version: 'v1.36.0' } })
    await world.until(
      'it is rolled',
      () => world.inPhase('a', 'Ready')[0]?.status?.createdWith?.cluster?.version === 'v1.36.0',
    )
    await world.untilWarm('a', 1)
    const recycles = await series(world, 'kobe_instance_recycles_total')
    expect(recycles.filter((line) => line.includes('profile="a"')).sort()).toEqual([
      'kobe_instance_recycles_total{profile="a",reason="lease_expired"} 1',
      'kobe_instance_recycles_total{profile="a",reason="lease_released"} 1',
      'kobe_instance_recycles_total{profile="a",reason="spec_drift"} 1',
    ])
    expect(await series(world, 'kobe_claims_total')).toEqual(
      expect.arrayContaining([
        'kobe_claims_total{profile="a",event="bound"} 2',
        'kobe_claims_total{profile="a",event="released"} 1',
        'kobe_claims_total{profile="a",event="expired"} 1',
      ]),
    )
    await host.client.delete(CLUSTER_POOLS, { name: 'a', namespace: world.namespace })
    await world.until('it is gone', () => world.pool('a') === undefined)
    await world.quiet()
    const text = await registry.metrics()
    expect(text.split('\n').filter((line) => line.includes('profile="a"'))).toEqual([])
    expect(text).toContain('kobe_pool_size{profile="b",dimension="ready"} 1')
  })
})

async function series(world: OperatorWorld, name: string): Promise<string[]> {
  const text = await world.operator().registry.getSingleMetricAsString(name)
  return text.split('\n').filter((line) => line.startsWith(name))
}

import { describe, expect, it } from 'vitest'
import { createHealthWorld, type HealthWorld, HOLDER } from '../../../../test/support/health-world.ts'
import { startScriptedServer } from '../../../../test/support/scripted-server.ts'
import { aMember } from '../../../core/testing/node-builders.ts'

const NODES = { name: 'nodes', type: 'nodesReady' as const }

describe('a check of what is gathered', () => {
  it('counts passes that lie five seconds apart, and begins anew after a failure', async () => {
    const world = createHealthWorld()
    const passes: number[] = []
    for (const [seconds, ready] of [
      [0, true],
      [2, true],
      [5, true],
      [2, true],
      [3, true],
      [1, false],
      [1, true],
      [5, true],
    ] as const) {
      await world.clock.advance(seconds * 1000)
      world.members = [aMember('w1', { node: { ready } })]
      passes.push(world.look(NODES).passes)
    }
    expect(passes).toEqual([1, 1, 2, 2, 3, 0, 1, 2])
  })

  it.each<[string, (world: HealthWorld) => void]>([
    ['a run begins', (world) => Object.assign(world, { holder: { ...HOLDER, startedAt: '2026-01-01T01:00:00Z' } })],
    [
      'a batch is done',
      (world) => Object.assign(world, { holder: { ...HOLDER, lastBatchAt: '2026-01-01T00:30:00Z' } }),
    ],
  ])('begins anew when %s', async (_, happens) => {
    const world = createHealthWorld()
    world.holder = HOLDER
    world.look(NODES)
    await world.clock.advance(5_000)
    expect(world.look(NODES).passes).toBe(2)
    const before = world.sight(NODES)
    happens(world)
    expect(world.look(NODES).passes).toBe(1)
    // A pass that had read the cluster before that takes nothing back.
    expect(world.monitor.results(before)[0]?.passes).toBe(1)
  })
})

describe('a check that asks somebody', () => {
  const http = (url: string, timeout = '10s') => ({
    name: 'web',
    type: 'http' as const,
    timeout,
    http: { url, status: 200 },
  })

  it('never waits: nothing is known at first, which is no pass; each answer wakes the run', async () => {
    await using server = await startScriptedServer((_, response) => response.writeHead(200).end())
    const world = createHealthWorld()
    world.holder = HOLDER
    expect(world.look(http(server.url))).toEqual({ name: 'web', passes: 0, message: 'no result yet' })
    while (world.told.length === 0) await world.clock.settle()
    expect(world.told).toEqual(['kobe-system/prod'])
    expect(world.look(http(server.url))).toEqual({ name: 'web', passes: 1, message: 'well' })
    // Not due again yet.
    await world.clock.advance(4_000)
    world.look(http(server.url))
    await world.clock.settle()
    expect(server.requests).toHaveLength(1)
    await world.clock.advance(1_000)
    expect((await world.settled(http(server.url))).passes).toBe(2)
  })

  it('is unhealthy when its time is over, and when its last result is old', async () => {
    let isSilent = false
    await using server = await startScriptedServer((_, response) => (isSilent ? undefined : response.end()))
    const world = createHealthWorld()
    expect(await world.settled(http(server.url))).toMatchObject({ passes: 1 })
    isSilent = true
    await world.clock.advance(5_000)
    expect(world.look(http(server.url)).passes).toBe(1)
    while (server.requests.length < 2) await world.clock.settle()
    await world.clock.advance(10_000)
    expect(world.look(http(server.url))).toEqual({ name: 'web', passes: 0, message: 'no result within 10 s' })
    isSilent = false
    expect(await world.settled(http(server.url))).toMatchObject({ passes: 1 })
    await world.clock.advance(31_000)
    expect(world.look(http(server.url))).toMatchObject({ passes: 0, message: /^no result for 31 s/ })
  })

  it('says nothing of a batch that was done while it asked', async () => {
    const held = Promise.withResolvers<void>()
    await using server = await startScriptedServer(async ({ index }, response) => {
      if (index === 0) await held.promise
      response.writeHead(index === 0 ? 200 : 500).end()
    })
    const world = createHealthWorld()
    world.holder = HOLDER
    world.look(http(server.url))
    while (server.requests.length === 0) await world.clock.settle()
    world.holder = { ...HOLDER, lastBatchAt: '2026-01-01T00:30:00Z' }
    const after = await world.settled(http(server.url))
    held.resolve()
    expect(after).toMatchObject({ passes: 0, message: `${server.url} answers 500, not 200` })
  })

  it('is carried out by the operator that leads alone', async () => {
    await using server = await startScriptedServer(() => undefined)
    const world = createHealthWorld()
    world.look(http(server.url))
    while (server.requests.length === 0) await world.clock.settle()
    await world.monitor.stop()
    expect(world.look(http(server.url))).toMatchObject({ passes: 0, message: 'only the operator that leads knows' })
    await world.clock.advance(60_000)
    expect(world.checked).toEqual([])
    expect(server.requests).toHaveLength(1)
    world.monitor.start()
    expect(world.look(http(server.url)).message).toBe('no result yet')
    await world.monitor.stop()
  })
})

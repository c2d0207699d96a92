/** Two controllers write the status of one instance: neither may undo what the other has written. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOperatorWorld, startWorldHost, type WorldHost } from '../../support/operator-world.ts'

let host: WorldHost
beforeAll(async () => {
  host = await startWorldHost()
})
afterAll(() => host.stop())

describe('a member that is leased while it is being probed', () => {
  it('stays leased: a pass that began before the lease took it writes nothing over it', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 1 })
    const [member] = await world.untilWarm('a', 1)
    const name = member!.metadata.name!
    const { promise: held, resolve: answer } = Promise.withResolvers<void>()
    const { promise: asked, resolve: probing } = Promise.withResolvers<void>()
    const probe = world.backend.probe.bind(world.backend)
    let first = true
    world.backend.probe = async (target) => {
      if (!first) return await probe(target)
      first = false
      probing()
      await held
      return { healthy: true }
    }
    world.clock.skip(31_000)
    await asked
    const { client } = world.operator()
    const showIt = client.holdWatch('ClusterInstance')
    // The reservation is done when the token is written; its own cache does not show it yet.
    client.beforeWrite = ({ kind, name: secret }) => {
      if (kind === 'Secret' && secret.startsWith('lease-')) answer()
    }
    const lease = await world.makeLease('a')
    await world.untilBound(lease.metadata.name!)
    await world.quiet()
    showIt()
    await world.until('the replacement is Ready', () => world.inPhase('a', 'Ready').length === 1)
    await world.quiet()
    expect(world.instance(name)!.status!.phase).toBe('Leased')
    expect(world.history.violations).toEqual([])
  })
})

describe('a member that is leased while a drift recycle is on its way', () => {
  it('counts: the recycle of another member is given up when Ready would fall below the floor', async () => {
    await using world = await createOperatorWorld(host, { stepped: true })
    await world.makePool('a', { size: 3, upgradePolicy: { maxSurge: 0, minReadyDuringUpgrade: 2 } })
    await world.untilWarm('a', 3)
    await world.until('its status says so', () => world.pool('a')?.status?.ready === 3)
    await world.quiet()
    world.history.floor('a', 2)
    // The lease passes over the oldest, which is the one that the upgrade would take first.
    world.clock.skip(5_000)
    world.backend.setHealth('pool-a-1', { healthy: false, message: 'connection refused' })
    const { client } = world.operator()
    let leased = ''
    client.beforeWrite = async ({ kind }) => {
      if (kind !== 'ClusterPool' || leased !== '') return
      leased = 'soon'
      const made = await world.makeLease('a')
      leased = (await world.untilBound(made.metadata.name!)).status!.clusterName!
    }
    await world.patchPool('a', { cluster: { version: 'v1.36.0' } })
    await world.until('the upgrade is over', () => {
      const ready = world.inPhase('a', 'Ready')
      return ready.length === 3 && ready.every(({ status }) => status?.createdWith?.cluster?.version === 'v1.36.0')
    })
    expect(leased).toBe('pool-a-2')
    expect(world.history.violations).toEqual([])
  })
})

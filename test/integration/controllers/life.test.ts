/** What a person sees of the life of a member: an Event at every transition, and a quarantine that only a person ends. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { EVENTS } from '../../../src/api/core-resources.ts'
import { Annotation } from '../../../src/api/v1alpha1/labels.ts'
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

/** The Events of an instance, once there is one with that reason. */
const untilTold = (world: OperatorWorld, name: string, wanted: string) =>
  vi.waitFor(
    async () => {
      await world.operator().deps.recorder.flush()
      const { items } = await host.client.list(EVENTS, { namespace: world.namespace })
      const told = items
        .filter(({ involvedObject }) => involvedObject?.kind === 'ClusterInstance' && involvedObject.name === name)
        .map(({ reason = '', message = '' }) => ({ reason, message }))
      expect(told.map(({ reason }) => reason)).toContain(wanted)
      return told
    },
    { timeout: 20_000 },
  )

describe('an Event tells of', () => {
  it('every transition from Creating to gone', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 1 })
    await world.untilWarm('a', 1)
    const { metadata } = await world.makeLease('a')
    const name = (await world.untilBound(metadata.name!)).status!.clusterName!
    await untilTold(world, name, 'Leased')
    await world.release(metadata.name!)
    await world.until('it is gone', () => world.instance(name) === undefined)
    const reasons = (await untilTold(world, name, 'Destroyed')).map(({ reason }) => reason)
    expect(new Set(reasons)).toEqual(new Set(['Provisioning', 'Ready', 'Leased', 'Released', 'Destroyed']))
    expect(reasons).toHaveLength(5)
  })

  it('a provision failure and a creation that takes too long', async () => {
    await using world = await createOperatorWorld(host, { stepped: true, backend: { provisionMs: 3_600_000 } })
    await world.makePool('a', { size: 1 })
    await world.until('it is being made', () => world.instance('pool-a-1')?.status?.createdWith !== undefined)
    await world.quiet()
    world.clock.skip(601_000)
    await world.until('another one is made', () => world.pool('a')?.status?.consecutiveFailures === 1)
    await untilTold(world, 'pool-a-1', 'CreatingTimeout')
    world.backend.setState('pool-a-2', { state: 'Failed', message: 'port taken' })
    world.clock.skip(11_000)
    await world.until('the next one fails', () => world.pool('a')?.status?.consecutiveFailures === 2)
    expect(await untilTold(world, 'pool-a-2', 'ProvisioningFailed')).toContainEqual({
      reason: 'ProvisioningFailed',
      message: 'port taken',
    })
  })
})

describe('a quarantined member', () => {
  it('is never offered, holds its place, keeps the pool from being Healthy, and goes when a person gives it up', async () => {
    await using world = await createOperatorWorld(host)
    const scaling = { minReady: 1, maxClusters: 1, scaleUpThreshold: 0, scaleDownAfter: '5m', queueTimeout: '1000h' }
    await world.makePool('a', { scaling })
    await world.untilWarm('a', 1)
    const ref = { name: 'pool-a-1', namespace: world.namespace }
    const quarantine = { since: '2026-01-05T12:00:00Z', reason: 'VolumeLeft', subjects: ['serverDataPvcs'] }
    const body = { status: { phase: 'Quarantined', quarantine, message: 'a volume may be left' } }
    await host.client.patch(CLUSTER_INSTANCES, ref, { type: 'merge', body }, { subresource: 'status' })
    await world.until('the pool says so', () => world.pool('a')?.status?.phase === 'Quarantined')
    expect(world.pool('a')!.status).toMatchObject({ quarantined: 1, ready: 0, creating: 0 })
    const { metadata } = await world.makeLease('a')
    await world.until('the lease is told why it waits', () =>
      world.lease(metadata.name!)?.status?.conditions?.some(({ message }) => message?.includes('quarantined')),
    )
    await world.quiet()
    expect(world.members('a')).toHaveLength(1)
    const annotations = { [Annotation.quarantineRelease]: 'volume checked by hand' }
    await host.client.patch(CLUSTER_INSTANCES, ref, { type: 'merge', body: { metadata: { annotations } } })
    await world.until('it is gone', () => world.instance('pool-a-1') === undefined)
    expect((await world.untilBound(metadata.name!)).status!.clusterName).toBe('pool-a-2')
    await world.until('the pool is well', () => world.pool('a')?.status?.phase === 'Healthy')
    expect(await untilTold(world, 'pool-a-1', 'QuarantineReleased')).toContainEqual({
      reason: 'QuarantineReleased',
      message: 'quarantine given up: volume checked by hand; recycling without proof',
    })
    expect(world.history.violations).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { createHttpWorld, NAMESPACE } from '../../../test/support/http-world.ts'
import { formatTimestamp } from '../../api/timestamp.ts'
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { CLUSTER_INSTANCES, CLUSTER_LEASES } from '../../api/v1alpha1/resources.ts'
import { systemClock } from '../../kube/clock.ts'
import { estimateWait, outlookOf, retryAfterSeconds } from './estimate.ts'

const NOW = Date.UTC(2026, 0, 1, 12)
const at = (seconds: number): string => formatTimestamp(NOW + seconds * 1000)
const seconds = (...values: number[]): number[] => values.map((value) => value * 1000)
const creating = (created: number): ClusterInstance =>
  ({ metadata: { creationTimestamp: at(created) }, spec: {}, status: { phase: 'Creating' } }) as ClusterInstance
const held = (bound: number, expires: number): ClusterLease =>
  ({ metadata: {}, spec: {}, status: { phase: 'Bound', boundAt: at(bound), expiresAt: at(expires) } }) as ClusterLease

interface Situation {
  instances?: ClusterInstance[]
  leases?: ClusterLease[]
  creations?: number[]
  holds?: number[]
}
const estimate = (position: number, { instances = [], leases = [], creations = [], holds = [] }: Situation) =>
  estimateWait(outlookOf({ instances, leases, times: { creations, holds }, now: NOW }), position, NOW)

describe('estimateWait', () => {
  const creations = seconds(20, 10)

  it('counts the rest of a creation from the mean of the measured ones', () => {
    expect(estimate(1, { creations, instances: [creating(-5)] })?.seconds).toBe(10)
  })

  it('gives each place in the queue the cluster that comes next', () => {
    const instances = [creating(-5), creating(-12)]
    expect([1, 2].map((place) => estimate(place, { creations, instances })?.seconds)).toEqual([3, 10])
  })

  it('counts on the end of leases and on another creation after it: at their expiry while no hold was measured', () => {
    expect(estimate(1, { creations, leases: [held(-10, 60), held(-10, 30)] })?.seconds).toBe(45)
  })

  it('takes a lease to be held as long as those that lived as long as it has, and never past its expiry', () => {
    const holds = seconds(60, 100, 600)
    expect(estimate(1, { creations, holds, leases: [held(-10, 3600)] })?.seconds).toBe(259)
    expect(estimate(1, { creations, holds, leases: [held(-300, 3600)] })?.seconds).toBe(315)
    expect(estimate(1, { creations, holds, leases: [held(-10, 20)] })?.seconds).toBe(35)
  })

  it('adds a whole round of hold and creation for every turn of the places in front', () => {
    const situation = { creations, holds: seconds(85), instances: [creating(-5), creating(-12)] }
    expect([1, 2, 3, 4, 5].map((place) => estimate(place, situation)?.seconds)).toEqual([3, 10, 103, 110, 203])
  })

  it('says what it is based on', () => {
    const situation = { creations, holds: seconds(30), instances: [creating(-5)], leases: [held(-1, 9)] }
    expect(estimate(1, situation)?.basis).toEqual({
      creations: { seconds: 15, samples: 2 },
      holds: { seconds: 30, samples: 1 },
      coming: 1,
      leased: 1,
    })
  })

  it('is at least a second for a creation that takes longer than others did', () => {
    expect(estimate(1, { creations, instances: [creating(-100)] })?.seconds).toBe(1)
  })

  it('says nothing when nothing was measured or nothing is to come', () => {
    expect(estimate(1, { instances: [creating(-5)] })).toBeUndefined()
    expect(estimate(1, { creations })).toBeUndefined()
    expect(estimate(2, { creations, instances: [creating(-5)] })).toBeUndefined()
  })

  it.each([
    [undefined, 1],
    [1, 1],
    [7, 7],
    [600, 10],
  ])('of %s seconds asks to come back after %s', (of, pause) => {
    expect(retryAfterSeconds(of)).toBe(pause)
  })
})

describe('what a waiting lease says of it', () => {
  it('comes from creations and holds that this server has seen, each counted once', async () => {
    let ahead = 0
    await using world = await createHttpWorld({
      deps: { clock: { ...systemClock, now: () => systemClock.now() + ahead } },
    })
    await world.pool('p')
    const now = Date.now()
    const ago = (time: number): string => formatTimestamp(now - time * 1000)
    const made = await world.instance('p', 1)
    const write = (name: string, status: object) =>
      world.kube.patch(
        CLUSTER_INSTANCES,
        { name, namespace: NAMESPACE },
        { type: 'merge', body: { status } },
        { subresource: 'status' },
      )
    const readySince = formatTimestamp(Date.parse(made.metadata.creationTimestamp!) + 8000)
    await write(made.metadata.name!, { phase: 'Ready', readySince })
    await write(made.metadata.name!, { phase: 'Leased', readySince })
    await write((await world.instance('p', 2)).metadata.name!, { phase: 'Creating' })
    const { body: over } = await world.call('POST', '/v1/leases', { profile: 'p' })
    await world.setLeaseStatus(over.id, { phase: 'Released', boundAt: ago(40), endedAt: ago(10) })
    await world.synced()
    await world.kube.delete(CLUSTER_LEASES, { name: over.id, namespace: NAMESPACE })
    await world.synced()
    // A look at the pool serves a burst of requests.
    ahead = 1000
    const { body, headers } = await world.call('POST', '/v1/leases', { profile: 'p' })
    expect(body.estimate_basis).toEqual({
      creations: { seconds: 8, samples: 1 },
      holds: { seconds: 30, samples: 1 },
      coming: 1,
      leased: 0,
    })
    expect(body.estimate_seconds).toBeGreaterThanOrEqual(1)
    expect(headers['retry-after']).toBe(String(body.estimate_seconds))
  })
})

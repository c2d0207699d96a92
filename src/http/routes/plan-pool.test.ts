import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHttpWorld, type HttpWorld, NAMESPACE } from '../../../test/support/http-world.ts'
import { CLUSTER_INSTANCES, CLUSTER_POOLS } from '../../api/v1alpha1/resources.ts'

let world: HttpWorld
beforeEach(async () => {
  world = await createHttpWorld()
})
afterEach(() => world[Symbol.asyncDispose]())

const OLD = 'a'.repeat(16)
const NEW = 'b'.repeat(16)

/** A pool the operator has looked at, with one Ready member of another template. */
async function upgrading(): Promise<void> {
  await world.pool('ci', {
    spec: { size: 1, upgradePolicy: { maxRecycling: 1, maxSurge: 1 } },
    status: { currentSpecHash: NEW, ready: 1 },
  })
  const ref = { name: 'ci', namespace: NAMESPACE }
  const finalizers = ['kobe.kunobi.ninja/pool-cleanup']
  await world.kube.patch(CLUSTER_POOLS, ref, { type: 'merge', body: { metadata: { finalizers } } })
  const { metadata } = await world.instance('ci', 1)
  const status = { phase: 'Ready', specHash: OLD, specHashVersion: 1, readySince: '2026-01-05T12:00:00Z' }
  await world.kube.patch(
    CLUSTER_INSTANCES,
    { name: metadata.name!, namespace: NAMESPACE },
    { type: 'merge', body: { status } },
    { subresource: 'status' },
  )
  await world.synced()
}

describe('GET /v1/pools/:name/plan', () => {
  it('tells what the next pass does and why it does nothing else, and does none of it', async () => {
    await upgrading()
    const { status, body } = await world.call('GET', '/v1/pools/ci/plan')
    expect(status).toBe(200)
    expect(body.name).toBe('ci')
    expect(body.actions).toEqual([expect.objectContaining({ kind: 'CreateInstance', member: 'pool-ci-2' })])
    expect(body.upgrade).toEqual({ remaining: 1, floor: 1, maxRecycling: 1, maxSurge: 1 })
    const held = body.notes.find(({ about }: { about?: string }) => about === 'pool-ci-1')
    expect(held).toMatchObject({ reason: 'HoldingForFloor' })
    expect((await world.kube.list(CLUSTER_INSTANCES)).items).toHaveLength(1)
  })

  it('has the same notes as the explanation', async () => {
    await upgrading()
    const [plan, explanation] = await Promise.all([
      world.call('GET', '/v1/pools/ci/plan'),
      world.call('GET', '/v1/pools/ci/explain'),
    ])
    expect(plan.body.notes.length).toBeGreaterThan(0)
    expect(explanation.body.notes).toEqual(plan.body.notes)
  })

  it('answers 404 and 403 as the pool itself', async () => {
    await world.policy('narrow', 'narrow-token', { pools: ['web-*'] })
    await world.pool('fresh')
    await world.synced()
    expect((await world.call('GET', '/v1/pools/fresh/plan')).body).toMatchObject({ name: 'fresh', notes: [] })
    expect((await world.call('GET', '/v1/pools/missing/plan')).status).toBe(404)
    const headers = { authorization: 'Bearer narrow-token' }
    expect((await world.call('GET', '/v1/pools/fresh/plan', undefined, headers)).status).toBe(403)
    expect((await world.call('GET', '/v1/pools/missing/plan', undefined, headers)).status).toBe(403)
  })
})

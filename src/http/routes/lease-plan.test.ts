import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHttpWorld, type HttpWorld, NAMESPACE } from '../../../test/support/http-world.ts'
import { CLUSTER_LEASES } from '../../api/v1alpha1/resources.ts'

let world: HttpWorld
beforeEach(async () => {
  world = await createHttpWorld()
  await world.pool('ci', { spec: { size: 1 }, status: { currentSpecHash: 'b'.repeat(16), ready: 0 } })
  await world.synced()
})
afterEach(() => world[Symbol.asyncDispose]())

async function lease(body: object = {}): Promise<string> {
  const answer = await world.call('POST', '/v1/leases', { profile: 'ci', ...body })
  await world.synced()
  return answer.body.id
}
async function bound(body: object = {}): Promise<string> {
  const id = await lease(body)
  await world.bind(id)
  await world.synced()
  return id
}
const ask = (id: string, what: 'plan' | 'explain', headers = {}) =>
  world.call('GET', `/v1/leases/${id}/${what}`, undefined, headers)

describe('GET /v1/leases/:id/explain', () => {
  it('says why a lease waits as the planner would now, not as it was last recorded', async () => {
    const id = await lease()
    await world.setLeaseStatus(id, { phase: 'Pending', queuePosition: 1, message: 'something of long ago' })
    await world.synced()
    const { status, body } = await ask(id, 'explain')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id,
      phase: 'Pending',
      queue_position: 1,
      because: { reason: 'Warming', message: 'a member is about to be created' },
      upcoming: [],
    })
    expect(body.notes).toEqual([{ reason: 'Warming', message: 'a member is about to be created', level: 'Debug' }])
  })

  it('says of a bound lease what bound it and when it ends, and carries no credential', async () => {
    const { body } = await ask(await bound(), 'explain')
    expect(body).toMatchObject({ phase: 'Bound', cluster_name: expect.any(String), expires_at: expect.any(String) })
    expect(body.upcoming.map(({ kind }: { kind: string }) => kind)).toEqual(['Expires', 'LatestEnd'])
    expect(body.upcoming[0]).toMatchObject({
      at: expect.stringContaining(body.expires_at.slice(0, 19)),
      message: expect.stringContaining('2 more time(s)'),
    })
    expect(body).not.toHaveProperty('kubeconfig')
  })
})

describe('GET /v1/leases/:id/plan', () => {
  it('tells the steps of the next pass, and does none of them', async () => {
    const id = await lease()
    await world.setLeaseStatus(id, { phase: 'Expired', endedAt: '2026-01-05T12:00:00Z' })
    await world.synced()
    const { status, body } = await ask(id, 'plan')
    expect(status).toBe(200)
    expect(body.actions).toEqual([
      { kind: 'DeleteConnectToken', message: expect.any(String) },
      { kind: 'DeleteLease', message: expect.any(String) },
    ])
    expect((await world.kube.get(CLUSTER_LEASES, { name: id, namespace: NAMESPACE })).metadata.name).toBe(id)
  })

  it('says that nothing is to be done, and when that changes', async () => {
    const { body } = await ask(await bound({ ttl: '1h' }), 'plan')
    expect(body).toMatchObject({ phase: 'Bound', next_phase: 'Bound', actions: [] })
    expect(body.next_look_seconds).toBeGreaterThan(3500)
  })

  it.each(['plan', 'explain'] as const)('%s of a lease is for its requester alone', async (what) => {
    const id = await lease()
    await world.policy('other', 'other-token')
    await world.synced()
    const foreign = await ask(id, what, { authorization: 'Bearer other-token' })
    const missing = await ask('lease-000000000000', what)
    expect([foreign.status, foreign.body]).toEqual([404, missing.body])
  })
})

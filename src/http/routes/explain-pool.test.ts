import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHttpWorld, type HttpWorld } from '../../../test/support/http-world.ts'

let world: HttpWorld
beforeEach(async () => {
  world = await createHttpWorld()
})
afterEach(() => world[Symbol.asyncDispose]())

const A = 'a'.repeat(16)
const B = 'b'.repeat(16)
const sources = { version: 1, spec: B, operator: A, bootstraps: A, workload: A }

describe('GET /v1/pools/:name/explain', () => {
  it('tells the hash, its sources and why the pool is stalled', async () => {
    const stalled = { reason: 'Unsupported', message: 'this version cannot' }
    const condition = {
      type: 'Stalled',
      status: 'True' as const,
      lastTransitionTime: '2026-01-05T12:00:00Z',
      ...stalled,
    }
    const status = { currentSpecHash: B, specHashSources: sources, conditions: [condition] }
    await world.pool('ci', { status })
    await world.synced()
    const { status: code, body } = await world.call('GET', '/v1/pools/ci/explain')
    expect(code).toBe(200)
    expect(body).toEqual({ name: 'ci', specHash: B, sources, stalled, members: [], notes: [] })
    expect((await world.call('GET', '/v1/pools/ci')).body.stalled).toEqual(stalled)
  })

  it('answers of a pool that nobody has looked at yet, and 404 and 403 as the pool itself', async () => {
    await world.policy('narrow', 'narrow-token', { pools: ['web-*'] })
    await world.pool('fresh')
    await world.synced()
    expect((await world.call('GET', '/v1/pools/fresh/explain')).body).toEqual({ name: 'fresh', members: [], notes: [] })
    expect((await world.call('GET', '/v1/pools/missing/explain')).status).toBe(404)
    const headers = { authorization: 'Bearer narrow-token' }
    expect((await world.call('GET', '/v1/pools/fresh/explain', undefined, headers)).status).toBe(403)
  })
})

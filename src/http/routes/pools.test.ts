import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHttpWorld, type HttpWorld } from '../../../test/support/http-world.ts'

let world: HttpWorld
beforeEach(async () => {
  world = await createHttpWorld()
})
afterEach(() => world[Symbol.asyncDispose]())

describe('GET /v1/pools', () => {
  it('shows all seven counts, also of a pool that nobody has observed yet', async () => {
    await world.pool('fresh')
    await world.synced()
    const { body } = await world.call('GET', '/v1/pools')
    const counts = { ready: 0, leased: 0, creating: 0, recycling: 0, unhealthy: 0, quarantined: 0, queueDepth: 0 }
    expect(body).toEqual([{ name: 'fresh', ...counts, policy: { mode: 'fixed', ttl: '2h', warmTarget: 2 } }])
  })

  it('describes an autoscaled pool', async () => {
    const scaling = {
      minReady: 1,
      maxClusters: 8,
      scaleUpThreshold: 0,
      scaleDownAfter: '5m',
      queueTimeout: '5m',
      creatingTimeout: '10m',
      failureBackoff: { base: '5s', multiplier: 2, max: '2m' },
    }
    await world.pool('big', { spec: { scaling }, status: { phase: 'Healthy', ready: 2, quarantined: 1 } })
    await world.synced()
    const { body } = await world.call('GET', '/v1/pools/big')
    expect(body).toMatchObject({ phase: 'Healthy', ready: 2, quarantined: 1 })
    expect(body.policy).toEqual({
      mode: 'autoscaled',
      ttl: '2h',
      warmTarget: 1,
      maxClusters: 8,
      scaleUpThreshold: 0,
      scaleDownAfter: '5m',
      queueTimeout: '5m',
    })
  })

  it('shows only what the caller may use, and 403 before 404', async () => {
    await world.policy('narrow', 'narrow-token', { pools: ['web-*'] })
    await world.pool('web-1')
    await world.pool('secret')
    await world.synced()
    const as = (path: string) => world.call('GET', path, undefined, { authorization: 'Bearer narrow-token' })
    expect((await as('/v1/pools')).body.map((pool: { name: string }) => pool.name)).toEqual(['web-1'])
    expect(await as('/v1/pools/secret')).toMatchObject({ status: 403, body: { reason: 'pool_forbidden' } })
    expect((await as('/v1/pools/missing')).status).toBe(403)
    expect(await as('/v1/pools/web-2')).toMatchObject({ status: 404, body: { error: "Profile 'web-2' not found" } })
    expect((await as('/v1/pools/secret/leases')).status).toBe(403)
  })
})

describe('GET /v1/pools/:name/leases', () => {
  it('shows active leases of everybody, and who and what for only of the own', async () => {
    await world.policy('other', 'other-token')
    await world.pool('p')
    await world.synced()
    await world.call('POST', '/v1/leases', { profile: 'p', alias: 'mine' })
    await world.call(
      'POST',
      '/v1/leases',
      { profile: 'p', alias: 'theirs', metadata: { x: 1 } },
      { authorization: 'Bearer other-token' },
    )
    const over = await world.call('POST', '/v1/leases', { profile: 'p' })
    await world.call('DELETE', `/v1/leases/${over.body.id}`)
    const { body } = await world.call('GET', '/v1/pools/p/leases')
    expect(body).toHaveLength(2)
    const own = body.find((one: { alias?: string }) => one.alias === 'mine')
    const foreign = body.find((one: { alias?: string }) => one.alias === undefined)
    expect(own.requester).toBe('ci')
    expect(foreign).not.toHaveProperty('requester')
    expect(foreign).not.toHaveProperty('metadata')
  })
})

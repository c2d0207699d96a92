import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { createHttpWorld } from '../../test/support/http-world.ts'
import { ApiError } from './errors.ts'
import { createRateLimit } from './rate-limit.ts'

function world(requestsPerSecond: number, requestBurst: number) {
  const clock = new FakeClock()
  const limit = createRateLimit({ requestsPerSecond, requestBurst }, clock)
  /** Seconds to come back after; 0: it was let in. */
  const take = (principal = 'a'): number => {
    try {
      limit.take(principal)
      return 0
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      expect(error.reason).toBe('rate_limited')
      return error.details.retryAfterSeconds ?? -1
    }
  }
  return { clock, take }
}

describe('the rate of a principal', () => {
  it('lets a burst through, then as many as the rate allows, and refusals cost nothing', async () => {
    const { clock, take } = world(2, 3)
    expect([take(), take(), take(), take(), take()]).toEqual([0, 0, 0, 1, 1])
    await clock.advance(500)
    expect([take(), take()]).toEqual([0, 1])
    await clock.advance(60_000)
    expect([take(), take(), take(), take()]).toEqual([0, 0, 0, 1])
  })

  it('says how long a slow one has to wait, and whoever waits that long is let in', async () => {
    const { clock, take } = world(0.1, 1)
    take()
    expect(take()).toBe(10)
    await clock.advance(10_000)
    expect(take()).toBe(0)
  })

  it('is its own', () => {
    const { take } = world(1, 1)
    expect([take('a'), take('b'), take('a'), take('b')]).toEqual([0, 0, 1, 1])
  })

  it('turns requests for leases away with 429 and Retry-After; waits, heartbeats, extensions and releases never', async () => {
    await using http = await createHttpWorld({ deps: { limits: { requestsPerSecond: 1e-6, requestBurst: 2 } } })
    await http.pool('p')
    await http.policy('other', 'other-token')
    await http.synced()
    const post = (headers = {}) => http.call('POST', '/v1/leases', { profile: 'p' }, headers)
    const { id } = (await post()).body
    await post()
    const refused = await post()
    expect(refused).toMatchObject({
      status: 429,
      body: { reason: 'rate_limited' },
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    })
    expect((await http.call('GET', '/v1/pools/p/plan')).status).toBe(429)
    await http.bind(id)
    await http.synced()
    for (const [method, path, body] of [
      ['GET', `/v1/leases/${id}?wait=1s`],
      ['GET', '/v1/leases'],
      ['GET', '/v1/pools'],
      ['GET', '/v1/status'],
      ['POST', `/v1/leases/${id}/heartbeat`],
      ['PATCH', `/v1/leases/${id}`, { extend_ttl: '1m' }],
      ['DELETE', `/v1/leases/${id}`],
    ] as const) {
      expect((await http.call(method, path, body)).status, `${method} ${path}`).toBeLessThan(300)
    }
    expect((await post({ authorization: 'Bearer other-token' })).status).toBe(202)
  })
})

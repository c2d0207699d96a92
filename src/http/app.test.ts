import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createHttpWorld, type HttpWorld, TOKEN } from '../../test/support/http-world.ts'
import { KubeError } from '../kube/errors.ts'

let world: HttpWorld
beforeEach(async () => {
  world = await createHttpWorld()
})
afterEach(() => world[Symbol.asyncDispose]())

const inject = (url: string, headers: Record<string, string> = {}) => world.app.inject({ url, headers })

describe('every answer', () => {
  it.each([
    ['/v1/status', 200],
    ['/v1/pools', 401],
    ['/nowhere', 404],
    ['/livez', 200],
    ['/v1/leases/%zz', 400],
  ])('of %s carries x-request-id', async (url, status) => {
    const answer = await inject(url)
    expect(answer.statusCode).toBe(status)
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('repeats the request id of the caller, unless it is no harmless line', async () => {
    expect((await inject('/livez', { 'x-request-id': 'run-7.a:b' })).headers['x-request-id']).toBe('run-7.a:b')
    expect((await inject('/livez', { 'x-request-id': 'a b{}' })).headers['x-request-id']).not.toBe('a b{}')
  })

  it('is not compressed', async () => {
    expect((await inject('/v1/status', { 'accept-encoding': 'gzip' })).headers).not.toHaveProperty('content-encoding')
  })

  it('names the path that is not there', async () => {
    expect((await inject('/v2/leases')).json()).toMatchObject({
      reason: 'route_not_found',
      detail: expect.stringContaining('GET /v2/leases'),
    })
  })

  it('keeps the cause of a defect out of the answer and puts it in the log', async () => {
    world.kube.beforeCall = () => {
      throw new Error('the password is hunter2')
    }
    const answer = await world.call('GET', '/v1/leases/lease-000000000000')
    expect(answer).toMatchObject({ status: 500, body: { error: 'Internal error', reason: 'internal' } })
    expect(world.logs.some((line) => line.level === 'error' && line.message === 'Internal error')).toBe(true)
  })
})

describe('paths', () => {
  it.each(['//v1/status', '/v1//status', '///v1///status?x=//y', '/v1/status/'])('%s is /v1/status', async (url) => {
    expect((await inject(url)).statusCode).toBe(200)
  })

  it('has no /connect on the plain listener', async () => {
    expect((await inject('/connect/lease-000000000000/api')).statusCode).toBe(404)
  })
})

describe('GET /v1/status', () => {
  it('tells a stranger, and a caller with a wrong token, how to authenticate and nothing else', async () => {
    await world.pool('p')
    await world.synced()
    const expected = {
      version: '0.1.0-test',
      auth: { methods: [{ type: 'token', description: 'ci' }], sessions: [] },
      pools: [],
    }
    expect((await inject('/v1/status')).json()).toEqual(expected)
    expect((await inject('/v1/status', { authorization: 'Bearer wrong' })).json()).toEqual(expected)
  })

  it('tells a caller who it is and what it may use', async () => {
    await world.pool('p', { status: { ready: 2, leased: 1, creating: 1 } })
    await world.synced()
    const { body } = await world.call('GET', '/v1/status')
    expect(body.auth.sessions).toEqual([{ method: 'token', identity: 'ci', pools: ['*'] }])
    expect(body.pools).toEqual([{ name: 'p', ready: 2, leased: 1, creating: 1, total: 4 }])
  })
})

describe('health', () => {
  it('lives whatever else is broken, and is ready only with the Kubernetes API', async () => {
    expect((await inject('/readyz')).body).toBe('ok')
    world.kube.beforeCall = () => {
      throw new KubeError('Unreachable', 'connection refused')
    }
    expect([(await inject('/livez')).statusCode, (await inject('/healthz')).statusCode]).toEqual([200, 200])
    const ready = await inject('/readyz')
    expect([ready.statusCode, ready.body]).toEqual([503, 'kubernetes: connection refused'])
  })

  it('is not ready while a cache is not filled', async () => {
    const waiting = await createHttpWorld({ deps: { notReady: () => 'leases are not listed yet' } })
    onTestFinished(() => waiting[Symbol.asyncDispose]())
    expect((await waiting.app.inject('/readyz')).body).toBe('cache: leases are not listed yet')
    const early = await waiting.call('GET', '/v1/leases')
    expect(early).toMatchObject({ status: 503, body: { reason: 'starting' }, headers: { 'retry-after': '1' } })
  })

  it('answers metrics with the route pattern as label, never the path', async () => {
    await inject('/v1/leases/lease-123456789012', { authorization: `Bearer ${TOKEN}` })
    const { body, headers } = await inject('/metrics')
    expect(headers['content-type']).toContain('text/plain; version=0.0.4')
    expect(body).toContain('kobe_http_requests_total{method="GET",route="/v1/leases/:id",status="404"} 1')
    expect(body).not.toContain('lease-123456789012')
  })
})

describe('/.well-known/kunobi-auth', () => {
  it('is 404 without OIDC', async () => {
    expect((await inject('/.well-known/kunobi-auth')).json()).toMatchObject({ reason: 'auth_discovery_not_found' })
  })
})

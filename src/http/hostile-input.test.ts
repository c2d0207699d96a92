/** Input that is broken, too large, or means to do harm: each a clean 4xx that names the part at fault, on every route. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttpWorld, type HttpWorld } from '../../test/support/http-world.ts'

let world: HttpWorld
beforeAll(async () => {
  world = await createHttpWorld({ deps: { limits: { requestBurst: 100_000 } } })
  await world.policy('many', 'many-token', { maxConcurrentLeases: 1000 })
  await world.pool('p')
  await world.synced()
})
afterAll(() => world[Symbol.asyncDispose]())

const MANY = { authorization: 'Bearer many-token' }
const json = { ...MANY, 'content-type': 'application/json' }
async function post(payload: string, url = '/v1/leases') {
  const { statusCode, body, headers } = await world.app.inject({ method: 'POST', url, headers: json, payload })
  return { status: statusCode, headers, ...(body === '' ? {} : JSON.parse(body)) }
}

describe('a body', () => {
  it.each([
    ['that ends too early', '{"profile":"p"', 400, 'invalid_json', 'body'],
    ['with a key that stands twice', '{"profile":"p","ttl":"1h","ttl":"2h"}', 400, 'invalid_json', 'ttl'],
    [
      'with a key twice, deeper down',
      '{"profile":"p","metadata":{"a":{"b":1,"b":2}}}',
      400,
      'invalid_json',
      'metadata.a.b',
    ],
    [
      'with a number that is too exact',
      '{"profile":"p","metadata":{"n":12345678901234567890}}',
      400,
      'invalid_json',
      'metadata.n',
    ],
    ['with a number that is too large', '{"profile":"p","metadata":{"n":1e400}}', 400, 'invalid_json', 'metadata.n'],
    [
      'that is nested too deep',
      `{"profile":"p","metadata":{"a":${'['.repeat(5000)}${']'.repeat(5000)}}}`,
      400,
      'invalid_json',
      'metadata.a.0.0.0.0.0.0',
    ],
    ['that is a list', '[]', 422, 'invalid_request', 'body'],
    ['that is null', 'null', 422, 'invalid_request', 'body'],
    ['with a number for a name', '{"profile":1}', 422, 'invalid_request', 'profile'],
    ['with an object for a duration', '{"profile":"p","ttl":{}}', 422, 'invalid_request', 'ttl'],
    ['with a list for metadata', '{"profile":"p","metadata":[]}', 422, 'invalid_request', 'metadata'],
    [
      'with metadata that is too large',
      JSON.stringify({ profile: 'p', metadata: { a: 'x'.repeat(300_000) } }),
      422,
      'invalid_request',
      'metadata',
    ],
    ['with a duration beyond all bounds', '{"profile":"p","ttl":"99999999999999999999h"}', 400, 'invalid_ttl', 'ttl'],
    ['with a negative duration', '{"profile":"p","ttl":"-1h"}', 400, 'invalid_ttl', 'ttl'],
    ['with no duration at all', '{"profile":"p","ttl":""}', 400, 'invalid_ttl', 'ttl'],
    ['with an idle timeout that is none', '{"profile":"p","idle_timeout":"soon"}', 400, 'invalid_ttl', 'idle_timeout'],
    ['with a path for a pool', '{"profile":"../secrets"}', 400, 'invalid_profile', 'profile'],
    ['with a name that a header would break at', '{"profile":"p\\r\\nx-evil: 1"}', 400, 'invalid_profile', 'profile'],
    ['with an alias that is no label', '{"profile":"p","alias":"a/../b"}', 400, 'invalid_alias', 'alias'],
    [
      'with an idempotency key that is too long',
      JSON.stringify({ profile: 'p', idempotencyKey: 'k'.repeat(256) }),
      400,
      'invalid_idempotency_key',
      'idempotencyKey',
    ],
    [
      'with a cleanup mode that does not exist',
      '{"profile":"p","cleanup_mode":"None"}',
      422,
      'invalid_request',
      'cleanup_mode',
    ],
  ])('%s is refused', async (...[, payload, status, reason, field]) => {
    expect(await post(payload)).toMatchObject({ status, reason, field })
  })

  it('with fields nobody knows is taken, and the answer names them; on request it is refused', async () => {
    const body = JSON.stringify({ profile: 'p', colour: 'red', 'x\r\ny': 1, idle_timout: '5m' })
    const taken = await post(body)
    expect(taken.status).toBe(202)
    expect(taken.headers['warning']).toBe(
      '299 - "unknown field: colour", 299 - "unknown field: x??y", 299 - "unknown field: idle_timout"',
    )
    expect((await post(body, '/v1/leases?fieldValidation=Ignore')).headers).not.toHaveProperty('warning')
    const strict = await post(body, '/v1/leases?fieldValidation=Strict')
    expect(strict).toMatchObject({ status: 422, reason: 'invalid_request', field: 'colour' })
    const unknown = await post(body, '/v1/leases?fieldValidation=Maybe')
    expect(unknown).toMatchObject({ status: 422, field: 'fieldValidation' })
  })

  it('with names that objects have anyway keeps them, and changes nothing else', async () => {
    const metadata = '{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}'
    const { status, metadata: kept } = await post(`{"profile":"p","metadata":${metadata}}`)
    expect(status).toBe(202)
    expect(JSON.stringify(kept)).toBe(metadata)
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  it('of another type than JSON is refused', async () => {
    const answer = await world.app.inject({
      method: 'POST',
      url: '/v1/leases',
      headers: { ...MANY, 'content-type': 'application/xml' },
      payload: '<profile/>',
    })
    expect([answer.statusCode, answer.json().field]).toEqual([415, 'content-type'])
  })
})

const IDS = [
  '..%2f..%2fsecrets%2fci-token',
  '..%2e',
  'lease-1%00',
  'lease-1%0d%0ax-evil:1',
  'LEASE-1',
  '%F0%9F%92%A9',
  "lease'--",
  '-',
  'x'.repeat(400),
  'lease-1%3Fwatch=true',
  '__proto__',
]

describe('an id', () => {
  it.each(IDS)('%s is a lease nobody has, on every route, and the API server is not asked', async (id) => {
    const asked: string[] = []
    world.kube.beforeCall = (call) => {
      asked.push(JSON.stringify(call))
    }
    for (const [method, suffix] of [
      ['GET', ''],
      ['GET', '?wait=1s'],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/heartbeat'],
      ['GET', '/events'],
      ['GET', '/diagnostics'],
      ['GET', '/diagnostics/bundle'],
    ] as const) {
      const payload = method === 'PATCH' ? { extend_ttl: '1m' } : undefined
      const answer = await world.call(method, `/v1/leases/${id}${suffix}`, payload, MANY)
      expect([method, suffix, answer.status]).toEqual([method, suffix, 404])
      expect(answer.body).toMatchObject({ reason: 'lease_not_found', field: 'id' })
      expect(answer.headers).not.toHaveProperty('x-evil')
    }
    world.kube.beforeCall = undefined
    expect(asked).toEqual([])
  })

  it.each(IDS)('%s is no pool', async (id) => {
    for (const suffix of ['', '/plan', '/explain', '/leases']) {
      const { status, body } = await world.call('GET', `/v1/pools/${id}${suffix}`, undefined, MANY)
      expect([status, body.reason, body.field]).toEqual([404, 'pool_not_found', 'name'])
    }
  })

  it.each(IDS)('%s is no cluster and no operation, and the API server is not asked', async (id) => {
    const asked: string[] = []
    world.kube.beforeCall = (call) => {
      asked.push(JSON.stringify(call))
    }
    const settings = { groups: { worker: { offering: 'large' } } }
    for (const [method, path, payload] of [
      ['GET', `/v1/clusters/${id}`],
      ['GET', `/v1/clusters/${id}/plan`],
      ['POST', `/v1/clusters/${id}/plan`, {}],
      ['PATCH', `/v1/clusters/${id}/settings`, settings],
      ['GET', `/v1/operations/${id}`],
      ['GET', `/v1/operations/${id}/events`],
      ['GET', `/v1/operations/${id}/explain`],
      ['POST', `/v1/operations/${id}/cancel`],
    ] as const) {
      const { status, body } = await world.call(method, path, payload, MANY)
      expect([path, status, body.field]).toEqual([path, 404, 'name'])
      expect(body.reason).toBe(path.startsWith('/v1/clusters') ? 'cluster_not_found' : 'operation_not_found')
    }
    const begun = { cluster: decodeURIComponent(id), type: 'Rollout' }
    expect(await world.call('POST', '/v1/operations', begun, MANY)).toMatchObject({ status: 404 })
    world.kube.beforeCall = undefined
    expect(asked).toEqual([])
  })

  it('that is no text at all, or longer than any name, is refused before anything else', async () => {
    expect((await world.call('GET', '/v1/leases/%zz')).body.reason).toBe('bad_request')
    expect((await world.call('GET', `/v1/leases/${'x'.repeat(600)}`)).status).toBe(404)
  })
})

describe('a query', () => {
  it.each([
    ['?wait=forever', 400, 'wait'],
    ['?wait=-1s', 400, 'wait'],
    ['?wait=1s&wait=2s', 422, 'wait'],
    ['?wait=1e9', 400, 'wait'],
  ])('%s is refused', async (query, status, field) => {
    const { body } = await world.call('POST', '/v1/leases', { profile: 'p' }, MANY)
    const answer = await world.call('GET', `/v1/leases/${body.id}${query}`, undefined, MANY)
    expect([answer.status, answer.body.field]).toEqual([status, field])
  })
})

it('never echoes more than a part of what it refuses', async () => {
  const long = 'x'.repeat(500_000)
  for (const body of [{ profile: long }, { profile: 'p', ttl: long }, { profile: 'p', alias: long }, { [long]: 1 }]) {
    const answer = await world.app.inject({ method: 'POST', url: '/v1/leases', headers: json, payload: body })
    expect(answer.statusCode).toBeLessThan(500)
    expect(answer.body.length + JSON.stringify(answer.headers).length).toBeLessThan(2000)
  }
})

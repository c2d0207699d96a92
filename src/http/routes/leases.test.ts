import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createHttpWorld, type HttpWorld, NAMESPACE, TOKEN } from '../../../test/support/http-world.ts'
import { CONFIG_MAPS } from '../../api/core-resources.ts'
import { CLUSTER_LEASES } from '../../api/v1alpha1/resources.ts'

let world: HttpWorld
beforeEach(async () => {
  world = await createHttpWorld()
  await world.pool('ci-small')
  await world.synced()
})
afterEach(() => world[Symbol.asyncDispose]())

const post = (body: unknown, headers?: Record<string, string>) => world.call('POST', '/v1/leases', body, headers)
const leases = async () => (await world.kube.list(CLUSTER_LEASES)).items

describe('POST /v1/leases', () => {
  it('answers 202 with the lease and creates the object', async () => {
    const { status, body } = await post({ profile: 'ci-small', ttl: '30m', alias: 'mine', metadata: { run: 7 } })
    expect(status).toBe(202)
    expect(body).toMatchObject({ phase: 'Pending', profile: 'ci-small', alias: 'mine', metadata: { run: 7 } })
    expect(body.id).toMatch(/^lease-[0-9a-f]{12}$/)
    expect(body).not.toHaveProperty('pool')
    expect(body).not.toHaveProperty('queue_position')
    expect(body).not.toHaveProperty('effective_ttl')
    const [lease] = await leases()
    expect(lease?.spec).toMatchObject({
      poolRef: 'ci-small',
      ttl: '30m',
      alias: 'mine',
      requester: { type: 'ci', identity: 'ci' },
    })
    expect(lease?.metadata.labels).toMatchObject({
      'kobe.kunobi.ninja/profile': 'ci-small',
      'kobe.kunobi.ninja/alias': 'mine',
    })
    expect(lease?.metadata.labels?.['kobe.kunobi.ninja/requester-hash']).toMatch(/^[0-9a-f]{16}$/)
  })

  it('takes the body of the public client, nulls and unknown fields included', async () => {
    const body = {
      profile: 'ci-small',
      ttl: '1h',
      alias: null,
      metadata: null,
      idempotencyKey: 'kobe-cli-1',
      color: 'red',
    }
    expect((await post(body)).status).toBe(202)
  })

  it('takes `pool` for `profile`', async () => {
    expect((await post({ pool: 'ci-small' })).body.profile).toBe('ci-small')
  })

  it('takes the ttl of the pool when none is asked for, and says when it gives less than asked', async () => {
    await post({ profile: 'ci-small' })
    const long = await post({ profile: 'ci-small', ttl: '9h' })
    expect((await leases()).map((lease) => lease.spec.ttl)).toEqual(['2h', '4h'])
    expect(long.body.effective_ttl).toBe('4h')
  })

  const refused: [string, unknown, { status: number; reason: string; field: string }][] = [
    ['a body that is no object', '"x"', { status: 422, reason: 'invalid_request', field: 'body' }],
    ['a missing profile', {}, { status: 422, reason: 'invalid_request', field: 'profile' }],
    ['a profile of the wrong type', { profile: 7 }, { status: 422, reason: 'invalid_request', field: 'profile' }],
    [
      'a profile that is no DNS label',
      { profile: 'Ci Small' },
      { status: 400, reason: 'invalid_profile', field: 'profile' },
    ],
    [
      'two different pools',
      { profile: 'ci-small', pool: 'other' },
      { status: 400, reason: 'invalid_profile', field: 'profile' },
    ],
    [
      'an alias that is no DNS label',
      { profile: 'ci-small', alias: 'A!' },
      { status: 400, reason: 'invalid_alias', field: 'alias' },
    ],
    ['a malformed ttl', { profile: 'ci-small', ttl: '3 days' }, { status: 400, reason: 'invalid_ttl', field: 'ttl' }],
    ['a ttl of zero', { profile: 'ci-small', ttl: '0s' }, { status: 400, reason: 'invalid_ttl', field: 'ttl' }],
    [
      'a malformed idle timeout',
      { profile: 'ci-small', idle_timeout: 'x' },
      { status: 400, reason: 'invalid_ttl', field: 'idle_timeout' },
    ],
    [
      'an unknown cleanup mode',
      { profile: 'ci-small', cleanup_mode: 'Best' },
      { status: 422, reason: 'invalid_request', field: 'cleanup_mode' },
    ],
    [
      'a cleanup that cannot be proven',
      { profile: 'ci-small', cleanup_mode: 'VerifiedDestroy' },
      { status: 422, reason: 'cleanup_mode_unsupported', field: 'cleanup_mode' },
    ],
    [
      'an empty idempotency key',
      { profile: 'ci-small', idempotencyKey: '' },
      { status: 400, reason: 'invalid_idempotency_key', field: 'idempotencyKey' },
    ],
    ['a pool that does not exist', { profile: 'nope' }, { status: 404, reason: 'pool_not_found', field: 'profile' }],
  ]
  it.each(refused)('refuses %s', async (_case, body, { status, ...rest }) => {
    const answer = await world.call('POST', '/v1/leases', body, { 'content-type': 'application/json' })
    expect(answer).toMatchObject({ status, body: { ...rest, error: expect.any(String) } })
    expect(await leases()).toEqual([])
  })

  it('names an unknown pool', async () => {
    expect((await post({ profile: 'nope' })).body.error).toBe("Profile 'nope' not found")
  })

  it('refuses a body that is not JSON, and one that is not declared as JSON', async () => {
    expect(await post('{', { 'content-type': 'application/json' })).toMatchObject({
      status: 400,
      body: { reason: 'invalid_json' },
    })
    expect(await post('a=b', { 'content-type': 'text/plain' })).toMatchObject({
      status: 415,
      body: { reason: 'unsupported_media_type' },
    })
  })

  it('refuses a body above 1 MiB', async () => {
    const answer = await post({ profile: 'ci-small', metadata: { x: 'x'.repeat(1 << 20) } })
    expect(answer).toMatchObject({ status: 413, body: { reason: 'body_too_large' } })
  })

  it('refuses a pool that the policy does not list, whether or not it exists', async () => {
    await world.policy('narrow', 'narrow-token', { pools: ['docs', 'web-*'] })
    await world.pool('web-1')
    await world.synced()
    const as = (profile: string) => post({ profile }, { authorization: 'Bearer narrow-token' })
    expect(await as('ci-small')).toMatchObject({ status: 403, body: { reason: 'pool_forbidden' } })
    expect(await as('nope')).toMatchObject({ status: 403, body: { reason: 'pool_forbidden' } })
    expect((await as('web-1')).status).toBe(202)
  })

  it('refuses an alias that an active lease of the caller has, and takes it again once that lease is over', async () => {
    const first = await post({ profile: 'ci-small', alias: 'a' })
    expect(await post({ profile: 'ci-small', alias: 'a' })).toMatchObject({
      status: 409,
      body: { reason: 'alias_in_use' },
    })
    await world.call('DELETE', `/v1/leases/${first.body.id}`)
    expect((await post({ profile: 'ci-small', alias: 'a' })).status).toBe(202)
  })

  it('says why a pool cannot serve and when to come back', async () => {
    const nextAttemptAt = new Date(Date.now() + 90_000).toISOString()
    await world.pool('broken', {
      status: { phase: 'Failing', consecutiveFailures: 4, lastFailureReason: 'no image', nextAttemptAt },
    })
    await world.pool('full', { spec: { size: 1 }, status: { phase: 'Backoff', leased: 11 } })
    await world.pool('limping', { status: { phase: 'Failing', ready: 1 } })
    await world.synced()
    const broken = await post({ profile: 'broken' })
    expect(broken).toMatchObject({ status: 503, body: { reason: 'pool_exhausted' } })
    expect(broken.body.detail).toContain('no image')
    expect(Number(broken.headers['retry-after'])).toBeGreaterThan(80)
    expect(await post({ profile: 'full' })).toMatchObject({
      status: 503,
      body: { reason: 'capacity_blocked' },
      headers: { 'retry-after': '30' },
    })
    expect((await post({ profile: 'limping' })).status).toBe(202)
  })
})

describe('the quota', () => {
  it('gives exactly as many leases as allowed to 100 parallel requests, and the rest a clean 429', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => post({ profile: 'ci-small' })))
    const accepted = answers.filter(({ status }) => status === 202)
    const refused = answers.filter(({ status }) => status === 429)
    expect([accepted.length, refused.length]).toEqual([3, 97])
    expect(refused[0]?.body).toMatchObject({ reason: 'quota_exhausted', error: 'Concurrent lease limit (3) reached' })
    expect(refused[0]?.headers).not.toHaveProperty('retry-after')
    expect(await leases()).toHaveLength(3)
    const writes = world.kube.calls.filter(
      ({ verb, name }) => verb !== 'get' && verb !== 'list' && !name.startsWith('ci'),
    )
    expect(writes.length).toBeLessThanOrEqual(5)
  })

  it('is exact across replicas', async () => {
    const replicas = [world.app, await world.replica(), await world.replica()]
    const send = (index: number) =>
      replicas[index % 3]!.inject({
        method: 'POST',
        url: '/v1/leases',
        headers: { authorization: `Bearer ${TOKEN}` },
        payload: { profile: 'ci-small' },
      })
    const statuses = (await Promise.all(Array.from({ length: 60 }, (_, index) => send(index)))).map(
      ({ statusCode }) => statusCode,
    )
    expect(statuses.filter((status) => status === 202)).toHaveLength(3)
    expect(statuses.every((status) => [202, 429, 503].includes(status))).toBe(true)
    expect(await leases()).toHaveLength(3)
  })

  it('counts each principal by itself, and frees the place of an ended lease at once, on every replica', async () => {
    await world.policy('other', 'other-token', { maxConcurrentLeases: 1 })
    await world.synced()
    const other = { authorization: 'Bearer other-token' }
    const first = await post({ profile: 'ci-small' }, other)
    expect((await post({ profile: 'ci-small' }, other)).status).toBe(429)
    expect((await post({ profile: 'ci-small' })).status).toBe(202)
    await world.call('DELETE', `/v1/leases/${first.body.id}`, undefined, other)
    await world.kube.delete(CLUSTER_LEASES, { name: first.body.id, namespace: NAMESPACE })
    expect((await post({ profile: 'ci-small' }, other)).status).toBe(202)
  })

  it('holds no place for a lease that the API server refused', async () => {
    await world.policy('one', 'one-token', { maxConcurrentLeases: 1 })
    await world.synced()
    const { KubeError } = await import('../../kube/errors.ts')
    world.kube.beforeCall = ({ verb, resource }) => {
      if (verb === 'create' && resource.endsWith('clusterleases'))
        throw new KubeError('Invalid', 'no', { status: 422, causes: [{ field: 'spec.ttl', message: 'bad' }] })
    }
    const one = { authorization: 'Bearer one-token' }
    expect(await post({ profile: 'ci-small' }, one)).toMatchObject({ status: 422, body: { field: 'spec.ttl' } })
    world.kube.beforeCall = undefined
    expect((await post({ profile: 'ci-small' }, one)).status).toBe(202)
  })

  it('answers admission_busy with Retry-After when the API server cannot be asked', async () => {
    const { KubeError } = await import('../../kube/errors.ts')
    world.kube.beforeCall = ({ verb, resource }) => {
      if (verb === 'get' && resource === CONFIG_MAPS.plural) throw new KubeError('Unreachable', 'gone')
    }
    expect(await post({ profile: 'ci-small' })).toMatchObject({
      status: 503,
      body: { reason: 'admission_busy' },
      headers: { 'retry-after': '1' },
    })
  })
})

describe('idempotency', () => {
  it('answers the same lease to the same key and body, in body or header, also on another replica', async () => {
    const first = await post({ profile: 'ci-small', idempotencyKey: 'k1' })
    const second = await post({ idempotencyKey: 'k1', profile: 'ci-small', alias: null })
    const third = await post({ profile: 'ci-small' }, { 'idempotency-key': 'k1' })
    const other = await (await world.replica()).inject({
      method: 'POST',
      url: '/v1/leases',
      headers: { authorization: `Bearer ${TOKEN}` },
      payload: { profile: 'ci-small', idempotencyKey: 'k1' },
    })
    expect([second, third].map(({ status, body }) => [status, body.id])).toEqual([
      [202, first.body.id],
      [202, first.body.id],
    ])
    expect(other.json().id).toBe(first.body.id)
    expect(await leases()).toHaveLength(1)
  })

  it('refuses the same key with another body', async () => {
    await post({ profile: 'ci-small', idempotencyKey: 'k1' })
    const answer = await post({ profile: 'ci-small', ttl: '5m', idempotencyKey: 'k1' })
    expect(answer).toMatchObject({ status: 422, body: { reason: 'idempotency_mismatch', field: 'idempotencyKey' } })
  })

  it('makes one lease of parallel repetitions, on two replicas', async () => {
    const replicas = [world.app, await world.replica()]
    const send = (index: number) =>
      replicas[index % 2]!.inject({
        method: 'POST',
        url: '/v1/leases',
        headers: { authorization: `Bearer ${TOKEN}` },
        payload: { profile: 'ci-small', idempotencyKey: 'same' },
      })
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => send(index)))
    expect(new Set(answers.map((answer) => answer.statusCode))).toEqual(new Set([202]))
    expect(new Set(answers.map((answer) => answer.json().id)).size).toBe(1)
    expect(await leases()).toHaveLength(1)
  })

  it('lets two principals use the same key', async () => {
    await world.policy('other', 'other-token')
    await world.synced()
    const mine = await post({ profile: 'ci-small', idempotencyKey: 'k' })
    const theirs = await post({ profile: 'ci-small', idempotencyKey: 'k' }, { authorization: 'Bearer other-token' })
    expect(theirs.status).toBe(202)
    expect(theirs.body.id).not.toBe(mine.body.id)
  })

  it('repeats a request at the quota', async () => {
    const made = []
    for (const key of ['a', 'b', 'c']) made.push(await post({ profile: 'ci-small', idempotencyKey: key }))
    expect((await post({ profile: 'ci-small', idempotencyKey: 'c' })).body.id).toBe(made[2]?.body.id)
  })
})

describe('overload', () => {
  it('turns lease requests away above the limit, and nothing else', async () => {
    const small = await createHttpWorld({ deps: { limits: { leaseRequestsInFlight: 2 } } })
    onTestFinished(() => small[Symbol.asyncDispose]())
    await small.pool('p')
    await small.synced()
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, () => small.call('POST', '/v1/leases', { profile: 'p' })),
      ...Array.from({ length: 6 }, () => small.call('GET', '/v1/leases')),
    ])
    const busy = answers.filter(({ status }) => status === 429)
    expect(busy.length).toBe(4)
    expect(busy[0]).toMatchObject({ body: { reason: 'server_busy' }, headers: { 'retry-after': '1' } })
    expect(answers.slice(6).every(({ status }) => status === 200)).toBe(true)
    expect((await small.call('POST', '/v1/leases', { profile: 'p' })).status).toBe(202)
  })
})

describe('GET /v1/leases', () => {
  it("lists the leases of the caller, oldest first, in snake_case, and nobody else's", async () => {
    await world.policy('other', 'other-token')
    await world.synced()
    await post({ profile: 'ci-small' }, { authorization: 'Bearer other-token' })
    const mine = await post({ profile: 'ci-small', alias: 'x' })
    await world.bind(mine.body.id)
    await world.synced()
    const { body } = await world.call('GET', '/v1/leases')
    expect(body).toHaveLength(1)
    expect(body[0]).toMatchObject({
      id: mine.body.id,
      phase: 'Bound',
      profile: 'ci-small',
      alias: 'x',
      requester: 'ci',
      cluster_name: expect.any(String),
      expires_at: expect.any(String),
    })
    expect(body[0]).not.toHaveProperty('kubeconfig')
    expect((await world.call('GET', '/v1/leases?alias=y')).body).toEqual([])
  })

  it('shows a lease that was created a moment ago', async () => {
    const { body } = await post({ profile: 'ci-small' })
    expect((await world.call('GET', '/v1/leases')).body.map((lease: { id: string }) => lease.id)).toEqual([body.id])
  })
})

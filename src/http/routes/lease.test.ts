import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createHttpWorld, type HttpWorld, NAMESPACE, TOKEN } from '../../../test/support/http-world.ts'
import { SECRETS } from '../../api/core-resources.ts'
import { ACCESS_POLICIES, CLUSTER_LEASES } from '../../api/v1alpha1/resources.ts'
import { KubeError } from '../../kube/errors.ts'

let world: HttpWorld
beforeEach(async () => {
  world = await createHttpWorld()
  await world.pool('ci-small')
  await world.synced()
})
afterEach(() => world[Symbol.asyncDispose]())

const lease = async (body: object = {}): Promise<string> => {
  const answer = await world.call('POST', '/v1/leases', { profile: 'ci-small', ...body })
  expect(answer.status).toBe(202)
  return answer.body.id
}
const bound = async (options?: { ttlMs?: number }): Promise<string> => {
  const id = await lease()
  await world.bind(id, options)
  await world.synced()
  return id
}
const stored = (name: string) => world.kube.get(CLUSTER_LEASES, { name, namespace: NAMESPACE })
const get = (id: string, query = '') => world.call('GET', `/v1/leases/${id}${query}`)

describe('GET /v1/leases/:id', () => {
  it('tells a waiting requester place, reason and when to ask again', async () => {
    const id = await lease()
    await world.setLeaseStatus(id, {
      phase: 'Pending',
      queuePosition: 2,
      message: 'members are being created',
      conditions: [
        {
          type: 'Satisfiable',
          status: 'False',
          reason: 'Warming',
          message: 'm',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    })
    await world.synced()
    const { status, body, headers } = await get(id)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id,
      phase: 'Pending',
      queue_position: 2,
      reason: 'Warming',
      message: 'members are being created',
    })
    expect(headers['retry-after']).toBe('1')
  })

  it('knows a lease that was created a moment ago, before the cache does', async () => {
    expect((await get(await lease())).body).toMatchObject({ phase: 'Pending', reason: 'NotObserved' })
  })

  it('hands out a complete kubeconfig once the lease is bound', async () => {
    const id = await bound()
    const { body, headers } = await get(id)
    const kubeconfig = parse(body.kubeconfig)
    expect(kubeconfig.clusters[0].cluster).toEqual({
      server: `https://kobe.example:7443/connect/${id}`,
      'certificate-authority-data': Buffer.from('TEST CA\n').toString('base64'),
    })
    expect(kubeconfig.users[0].user.token).toMatch(/^[0-9a-f]{64}$/)
    expect(kubeconfig).toMatchObject({ 'current-context': id, contexts: [{ name: id, context: { user: id } }] })
    expect(body).toMatchObject({
      phase: 'Bound',
      cluster_name: kubeconfig.clusters[0].name,
      expires_at: expect.any(String),
    })
    expect(headers).not.toHaveProperty('retry-after')
    const secret = await world.kube.get(SECRETS, { name: `${id}-connect-token`, namespace: NAMESPACE })
    const { uid } = (await stored(id)).metadata
    expect(secret.metadata.ownerReferences).toEqual([
      { apiVersion: 'kobe.kunobi.ninja/v1alpha1', kind: 'ClusterLease', name: id, uid },
    ])
  })

  it('makes one token of parallel first looks, on two replicas', async () => {
    const id = await bound()
    const replicas = [world.app, await world.replica()]
    const look = (index: number) =>
      replicas[index % 2]!.inject({ url: `/v1/leases/${id}`, headers: { authorization: `Bearer ${TOKEN}` } })
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => look(index)))
    const tokens = new Set(answers.map((answer) => parse(answer.json().kubeconfig).users[0].user.token))
    expect(tokens.size).toBe(1)
  })

  it('gives no kubeconfig when the instance does not agree that it is bound to this lease', async () => {
    const id = await bound()
    const name = (await stored(id)).status!.clusterName!
    const { CLUSTER_INSTANCES } = await import('../../api/v1alpha1/resources.ts')
    await world.kube.patch(
      CLUSTER_INSTANCES,
      { name, namespace: NAMESPACE },
      { type: 'merge', body: { status: { leaseRef: { uid: 'another' } } } },
      { subresource: 'status' },
    )
    await world.synced()
    const { status, body } = await get(id)
    expect(status).toBe(200)
    expect(body).not.toHaveProperty('kubeconfig')
    expect(body.message).toBe('binding unavailable: lease_ref_mismatch')
  })

  it('gives no kubeconfig after the expiry, even while the lease still says Bound', async () => {
    const id = await bound({ ttlMs: -1000 })
    expect((await get(id)).body).not.toHaveProperty('kubeconfig')
  })

  it("answers the same to a missing lease and to somebody else's", async () => {
    await world.policy('other', 'other-token')
    await world.synced()
    const id = await lease()
    const foreign = await world.call('GET', `/v1/leases/${id}`, undefined, { authorization: 'Bearer other-token' })
    const missing = await world.call('GET', '/v1/leases/lease-000000000000', undefined, {
      authorization: 'Bearer other-token',
    })
    expect([foreign.status, foreign.body]).toEqual([404, missing.body])
    for (const method of ['PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { extend_ttl: '1m' } : undefined
      expect((await world.call(method, `/v1/leases/${id}`, body, { authorization: 'Bearer other-token' })).status).toBe(
        404,
      )
    }
    expect((await stored(id)).status?.phase ?? 'Pending').toBe('Pending')
  })
})

describe('GET /v1/leases/:id?wait', () => {
  it('answers as soon as the lease is bound', async () => {
    const id = await lease()
    const waiting = get(id, '?wait=60s')
    await world.synced()
    const startedAt = performance.now()
    await world.bind(id)
    const { body } = await waiting
    expect(body.kubeconfig).toContain(id)
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  })

  it('answers what is there when the time is over', async () => {
    const id = await lease()
    const startedAt = performance.now()
    expect((await get(id, '?wait=1s')).body.phase).toBe('Pending')
    expect(performance.now() - startedAt).toBeGreaterThan(900)
  })

  it('answers 404 when the lease goes away meanwhile', async () => {
    const id = await lease()
    const waiting = get(id, '?wait=60s')
    await world.synced()
    await world.kube.delete(CLUSTER_LEASES, { name: id, namespace: NAMESPACE })
    expect((await waiting).status).toBe(404)
  })

  it('hands nothing to a caller that lost its credential meanwhile', async () => {
    const id = await lease()
    const waiting = get(id, '?wait=60s')
    const stream = world.call('GET', `/v1/leases/${id}/events`)
    await world.synced()
    await world.kube.delete(ACCESS_POLICIES, { name: 'ci', namespace: NAMESPACE })
    await world.synced()
    await world.bind(id)
    expect(await waiting).toMatchObject({ status: 401, body: { reason: 'unauthorized' } })
    const { body } = await stream
    expect(body).toContain('"phase":"Pending"')
    expect(body).not.toContain('Bound')
  })

  it('answers at once when the server closes', async () => {
    const id = await lease()
    const waiting = get(id, '?wait=60s')
    await world.synced()
    await world.app.close()
    expect((await waiting).status).toBe(200)
  })

  it('lets many wait and answers all', async () => {
    const id = await lease()
    const waiting = Array.from({ length: 200 }, () => get(id, '?wait=60s'))
    await world.synced()
    await world.bind(id)
    const answers = await Promise.all(waiting)
    expect(answers.every(({ status, body }) => status === 200 && body.phase === 'Bound')).toBe(true)
  })

  it('refuses a wait that is no duration', async () => {
    expect(await get(await lease(), '?wait=soon')).toMatchObject({
      status: 400,
      body: { reason: 'invalid_wait', field: 'wait' },
    })
  })
})

describe('PATCH /v1/leases/:id', () => {
  const extend = (id: string, extend_ttl: unknown) => world.call('PATCH', `/v1/leases/${id}`, { extend_ttl })

  it('moves the expiry, as often as the policy allows', async () => {
    const id = await bound()
    const before = Date.parse((await stored(id)).status!.expiresAt!)
    const { status, body } = await extend(id, '30m')
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['expires_at'])
    expect(Date.parse(body.expires_at) - before).toBeGreaterThan(29 * 60_000)
    expect((await extend(id, '1m')).status).toBe(200)
    expect(await extend(id, '1m')).toMatchObject({
      status: 400,
      body: { reason: 'extension_budget_exhausted', error: 'Maximum extensions (2) reached' },
    })
  })

  it.each([
    ['past the longest life', '5h', 400, 'extension_too_long'],
    ['by something that is no duration', 'x', 400, 'invalid_ttl'],
    ['by a number', 5, 422, 'invalid_request'],
  ])('refuses to extend %s', async (_case, by, ...[status, reason]) => {
    expect(await extend(await bound(), by)).toMatchObject({ status, body: { reason, field: 'extend_ttl' } })
  })

  it('refuses to extend a lease that waits, and one that is past its expiry', async () => {
    expect(await extend(await lease(), '1m')).toMatchObject({ status: 400, body: { reason: 'lease_not_bound' } })
    expect(await extend(await bound({ ttlMs: -1000 }), '1m')).toMatchObject({
      status: 400,
      body: { reason: 'lease_not_bound' },
    })
  })

  it('starts again when another writer was first', async () => {
    const id = await bound()
    let conflicts = 2
    world.kube.beforeCall = async ({ verb }) => {
      if (verb !== 'patch' || conflicts === 0) return
      conflicts -= 1
      throw new KubeError('Conflict', 'changed', { status: 409 })
    }
    expect((await extend(id, '1m')).status).toBe(200)
    expect((await stored(id)).status?.extensionsCount).toBe(1)
  })

  it('counts parallel extensions one by one', async () => {
    const id = await bound()
    const answers = await Promise.all(Array.from({ length: 6 }, () => extend(id, '1m')))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    expect((await stored(id)).status?.extensionsCount).toBe(2)
  })
})

describe('DELETE /v1/leases/:id', () => {
  it('releases a bound lease and cancels a waiting one, and repeats without error', async () => {
    for (const id of [await bound(), await lease()]) {
      const { status, body } = await world.call('DELETE', `/v1/leases/${id}`, undefined, {
        'content-type': 'application/json',
      })
      expect([status, body]).toEqual([204, ''])
      expect((await stored(id)).status?.phase).toBe('Released')
      expect((await get(id)).body.phase).toBe('Released')
      expect((await world.call('DELETE', `/v1/leases/${id}`)).status).toBe(204)
    }
  })

  it('answers 503 and Retry-After, not 404, when the API server does not answer', async () => {
    const id = await lease()
    world.kube.beforeCall = () => {
      throw new KubeError('Unreachable', 'no route')
    }
    const answer = await world.call('DELETE', `/v1/leases/${id}`)
    expect(answer).toMatchObject({
      status: 503,
      body: { reason: 'kubernetes_unavailable' },
      headers: { 'retry-after': '1' },
    })
    expect(JSON.stringify(answer.body)).not.toContain('no route')
  })
})

describe('POST /v1/leases/:id/heartbeat', () => {
  const beat = (id: string) => world.call('POST', `/v1/leases/${id}/heartbeat`)

  it('records the sign of life, moves no expiry, and writes once a second at most', async () => {
    const id = await bound()
    const before = (await stored(id)).status
    const { status, body } = await beat(id)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id,
      phase: 'Bound',
      expires_at: before?.expiresAt,
      last_heartbeat: expect.any(String),
    })
    const version = (await stored(id)).metadata.resourceVersion
    await beat(id)
    expect((await stored(id)).metadata.resourceVersion).toBe(version)
  })

  it('tells a requester whose lease is over', async () => {
    const id = await bound()
    await world.call('DELETE', `/v1/leases/${id}`)
    expect(await beat(id)).toMatchObject({ status: 409, body: { reason: 'lease_ended' } })
  })
})

describe('GET /v1/leases/:id/events', () => {
  it('sends the lease as it is, after each change, and gone at the end', async () => {
    const id = await lease()
    const stream = world.app.inject({ url: `/v1/leases/${id}/events`, headers: { authorization: `Bearer ${TOKEN}` } })
    await world.synced()
    await world.bind(id)
    await world.synced()
    await world.call('DELETE', `/v1/leases/${id}`)
    const { headers, body } = await stream
    expect(headers['content-type']).toBe('text/event-stream')
    expect(headers['x-request-id']).toBeDefined()
    const events = body
      .trim()
      .split('\n\n')
      .map((event) => event.split('\n'))
    const phases = events
      .filter(([name]) => name === 'event: lease')
      .map(([, data]) => JSON.parse(data!.slice(6)).phase)
    expect(phases).toEqual(['Pending', 'Bound', 'Released'])
    expect(events.at(-1)?.[0]).toBe('event: gone')
  })

  it('answers 404 as JSON for an unknown lease', async () => {
    expect(await get('lease-000000000000/events')).toMatchObject({ status: 404, body: { reason: 'lease_not_found' } })
  })
})

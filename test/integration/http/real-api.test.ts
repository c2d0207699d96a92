/** Quota, idempotency, fences and tokens against real API servers: what the store in memory only imitates. */

import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { NAMESPACES, SECRETS } from '../../../src/api/core-resources.ts'
import { customResourceDefinitions } from '../../../src/api/v1alpha1/crds.ts'
import { CLUSTER_LEASES } from '../../../src/api/v1alpha1/resources.ts'
import type { KubeClient } from '../../../src/kube/client.ts'
import { systemClock } from '../../../src/kube/clock.ts'
import { installCustomResources } from '../../../src/kube/install-custom-resources.ts'
import { HOST_KINDS, type HostUnderTest } from '../../support/host-under-test.ts'
import { createHttpWorldOver, type HttpWorldOver, NAMESPACE, TOKEN } from '../../support/http-world.ts'

describe.each(HOST_KINDS.filter(({ isMissing }) => !isMissing))('against $name', ({ start }) => {
  let host: HostUnderTest
  let world: HttpWorldOver<KubeClient>
  let replica: FastifyInstance
  beforeAll(async () => {
    host = await start()
    const client = host.client()
    await installCustomResources(client, customResourceDefinitions(), systemClock)
    await client.create(NAMESPACES, { metadata: { name: NAMESPACE } })
    world = await createHttpWorldOver(client, () => host.client())
    replica = await world.replica()
    await world.pool('p')
  }, 120_000)
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
    await host?.stop()
  })

  const post = (index: number, body: object, token = TOKEN) =>
    [world.app, replica][index % 2]!.inject({
      method: 'POST',
      url: '/v1/leases',
      headers: { authorization: `Bearer ${token}` },
      payload: { profile: 'p', ...body },
    })
  const policy = async (name: string, cap: number): Promise<string> => {
    const token = `token-of-${name}`
    await world.policy(name, token, { maxConcurrentLeases: cap })
    const accepted = (app: FastifyInstance) =>
      app.inject({ url: '/v1/pools', headers: { authorization: `Bearer ${token}` } })
    for (const app of [world.app, replica])
      await expect.poll(async () => (await accepted(app)).statusCode, { timeout: 10_000 }).toBe(200)
    return token
  }

  it('100 parallel requests over two replicas give exactly the three leases that are allowed', async () => {
    const token = await policy('quota', 3)
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => post(index, {}, token)))
    const statuses = answers.map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 202)).toHaveLength(3)
    expect(statuses.filter((status) => status === 429)).toHaveLength(97)
    const { items } = await world.kube.list(CLUSTER_LEASES, { namespace: NAMESPACE })
    expect(items.filter(({ spec }) => spec.requester.identity === 'quota')).toHaveLength(3)
  })

  it('parallel repetitions with one key over two replicas give one lease', async () => {
    const token = await policy('repeat', 5)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => post(index, { idempotencyKey: 'k', metadata: { a: 1 } }, token)),
    )
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([202]))
    expect(new Set(answers.map((answer) => answer.json().id)).size).toBe(1)
    expect((await post(0, { idempotencyKey: 'k' }, token)).statusCode).toBe(422)
  })

  it('a lease goes through its life: asked for, waited for, bound, extended, kept alive, released', async () => {
    const token = await policy('life', 5)
    const auth = { authorization: `Bearer ${token}` }
    const created = await world.call(
      'POST',
      '/v1/leases',
      { profile: 'p', alias: 'mine', metadata: { run: { n: 7 } }, idle_timeout: '5m' },
      auth,
    )
    expect(created).toMatchObject({
      status: 202,
      body: { phase: 'Pending', alias: 'mine', metadata: { run: { n: 7 } } },
    })
    const { id } = created.body
    const waiting = world.call('GET', `/v1/leases/${id}?wait=60s`, undefined, auth)
    await world.bind(id)
    const bound = (await waiting).body
    expect(bound).toMatchObject({ phase: 'Bound', kubeconfig: expect.any(String) })
    const again = await replica.inject({ url: `/v1/leases/${id}`, headers: auth })
    expect(parse(again.json().kubeconfig).users[0].user.token).toBe(parse(bound.kubeconfig).users[0].user.token)

    const extensions = await Promise.all(
      [1, 2, 3, 4].map((n) =>
        [world.app, replica][n % 2]!.inject({
          method: 'PATCH',
          url: `/v1/leases/${id}`,
          headers: auth,
          payload: { extend_ttl: '5m' },
        }),
      ),
    )
    expect(extensions.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 400, 400])
    expect((await world.call('POST', `/v1/leases/${id}/heartbeat`, undefined, auth)).body.last_heartbeat).toBeDefined()

    expect((await world.call('DELETE', `/v1/leases/${id}`, undefined, auth)).status).toBe(204)
    const lease = await world.kube.get(CLUSTER_LEASES, { name: id, namespace: NAMESPACE })
    expect(lease.status).toMatchObject({ phase: 'Released', extensionsCount: 2, lastHeartbeat: expect.any(String) })
    const secret = await world.kube.get(SECRETS, { name: `${id}-connect-token`, namespace: NAMESPACE })
    expect(secret.metadata.ownerReferences?.[0]?.uid).toBe(lease.metadata.uid)
  })
})

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { clusterNow, makeCluster } from '../../../test/support/http-clusters.ts'
import { createHttpWorld, type HttpWorld, NAMESPACE, TOKEN } from '../../../test/support/http-world.ts'
import { playOperator } from '../../../test/support/played-operator.ts'
import { EVENTS } from '../../api/core-resources.ts'
import { ACCESS_POLICIES, MANAGED_CLUSTERS, NODE_OPERATIONS } from '../../api/v1alpha1/resources.ts'

let world: HttpWorld
let stopOperator: () => Promise<void>
/** A rollout that holds the cluster and starts nothing, as the cluster is frozen. */
let name: string
beforeEach(async () => {
  world = await createHttpWorld()
  stopOperator = playOperator(world.kube)
  const nodeGroups = [{ name: 'workers', type: 'worker' as const, settings: { offering: 'large' } }]
  await makeCluster(world, 'prod', { spec: { nodeGroups, policy: { freeze: { reason: 'release week' } } } })
  await world.policy('looker', 'token-of-looker', { clusters: [{ names: ['*'], verbs: ['view'] }] })
  await world.policy('stranger', 'token-of-stranger', { clusters: [{ names: ['x*'], verbs: ['view', 'rollout'] }] })
  await world.synced()
  name = (await world.call('POST', '/v1/operations', { cluster: 'prod', type: 'Rollout' })).body.name
})
afterEach(async () => {
  await stopOperator()
  await world[Symbol.asyncDispose]()
})

const as = (token: string) => ({ authorization: `Bearer ${token}` })
const get = (path = '', token = TOKEN) => world.call('GET', `/v1/operations/${name}${path}`, undefined, as(token))
const cancel = (token = TOKEN) => world.call('POST', `/v1/operations/${name}/cancel`, undefined, as(token))
const ref = () => ({ name, namespace: NAMESPACE })
const setStatus = async (status: object) => {
  await world.kube.patch(NODE_OPERATIONS, ref(), { type: 'merge', body: { status } }, { subresource: 'status' })
}
/** Resolves when its status says so. */
async function until(phase: string): Promise<void> {
  while ((await world.kube.get(NODE_OPERATIONS, ref())).status?.phase !== phase)
    await new Promise((resolve) => setImmediate(resolve))
  await world.synced()
}
const say = async (reason: string, message: string, type = 'Normal') => {
  const { uid = '' } = (await world.kube.get(NODE_OPERATIONS, ref())).metadata
  const metadata = { generateName: `${name}.`, namespace: NAMESPACE }
  await world.kube.create(EVENTS, {
    metadata,
    involvedObject: { kind: 'NodeOperation', name, uid },
    reason,
    message,
    type,
  })
}
interface Sent {
  readonly id?: string
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: events of any shape
  readonly data: any
}
const eventsIn = (body: string): Sent[] =>
  body
    .split('\n\n')
    .filter((block) => block.includes('event: '))
    .map((block) => {
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]))
      return { ...fields, data: JSON.parse(fields['data'] ?? '') } as Sent
    })

describe('GET /v1/operations', () => {
  it('lists newest first, of one cluster, so many; nothing of clusters that are not to be seen', async () => {
    await makeCluster(world, 'x-1', { status: { state: 'Running' } })
    await world.synced()
    const other = (await world.call('POST', '/v1/operations', { cluster: 'x-1', type: 'Stop' })).body.name
    await world.synced()
    const list = async (query: string, token = TOKEN) =>
      (await world.call('GET', `/v1/operations${query}`, undefined, as(token))).body.operations.map(
        (operation: { name: string }) => operation.name,
      )
    expect((await list('')).toSorted()).toEqual([name, other].toSorted())
    expect(await list('?cluster=prod')).toEqual([name])
    expect(await list('?limit=1')).toHaveLength(1)
    expect(await list('', 'token-of-stranger')).toEqual([other])
    expect(await world.call('GET', '/v1/operations?limit=0')).toMatchObject({ status: 422 })
  })
})

describe('GET /v1/operations/:name', () => {
  it('shows progress, the nodes that are worked on, and when it will be done', async () => {
    await stopOperator()
    const eta = new Date(Date.now() + 60_000).toISOString()
    await setStatus({
      phase: 'Running',
      state: 'Updating',
      startedAt: '2026-01-01T00:00:00Z',
      counts: { total: 5, done: 2, outOfDate: 3, inFlight: 1, failed: 0, skipped: 0 },
      nodes: [
        { name: 'worker-1', group: 'workers', step: 'Draining', since: '2026-01-01T00:01:00Z', message: '2 pods' },
      ],
      eta,
    })
    await world.synced()
    const { body } = await get('', 'token-of-looker')
    expect(body).toMatchObject({
      phase: 'Running',
      state: 'Updating',
      ended: false,
      progress: { total: 5, done: 2 },
      nodes: [{ name: 'worker-1', step: 'Draining', since: '2026-01-01T00:01:00Z', waitingFor: '2 pods' }],
      eta,
    })
    expect(body.etaMs).toBeLessThanOrEqual(60_000)
    expect(body).not.toHaveProperty('lastError')
    // The cluster shows the step of each node that it has rows for.
    expect((await clusterNow(world, 'prod')).status?.operation?.name).toBe(name)
  })

  it('waits until it has ended, and answers what is there when the time is over', async () => {
    expect((await get('?wait=1s')).body.ended).toBe(false)
    const waiting = get('?wait=60s')
    await cancel()
    expect((await waiting).body).toMatchObject({ phase: 'Cancelled', ended: true, cancelRequested: true })
    expect(await get('?wait=soon')).toMatchObject({ status: 400, body: { reason: 'invalid_wait' } })
  })

  it('does not answer a waiter whose policy has gone meanwhile', async () => {
    const waiting = get('?wait=60s', 'token-of-looker')
    const stream = get('/events', 'token-of-looker')
    await world.synced()
    await world.kube.delete(ACCESS_POLICIES, { name: 'looker', namespace: NAMESPACE })
    await world.synced()
    await cancel()
    expect(await waiting).toMatchObject({ status: 401 })
    expect(JSON.stringify((await stream).body)).not.toContain('Cancelled')
  })

  it('and its other routes answer the same for one that the caller may not see and one that is not there', async () => {
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/events'],
      ['GET', '/explain'],
      ['POST', '/cancel'],
    ] as const) {
      const there = await world.call(method, `/v1/operations/${name}${path}`, undefined, as('token-of-stranger'))
      const gone = await world.call(method, `/v1/operations/nothing${path}`, undefined, as('token-of-stranger'))
      expect([there.status, there.body.reason]).toEqual([404, 'operation_not_found'])
      expect(there.body).toEqual(gone.body)
    }
  })
})

describe('POST /v1/operations/:name/cancel', () => {
  it('ends it and gives the cluster back; twice is no error, an ended one is told', async () => {
    expect(await cancel()).toMatchObject({
      status: 202,
      body: { name, cancelRequested: true, cancelReason: 'asked for by ci' },
    })
    await until('Cancelled')
    expect(await cancel()).toMatchObject({ status: 409, body: { reason: 'operation_ended' } })
  })

  it('needs the verb that it takes to ask for it', async () => {
    const { status, body } = await cancel('token-of-looker')
    expect([status, body.reason]).toEqual([403, 'cluster_forbidden'])
    expect(body.detail).toContain('`rollout`')
    expect((await world.kube.get(NODE_OPERATIONS, ref())).spec.cancel).toBe(false)
  })

  it('starts again when another writer was first', async () => {
    world.kube.beforeCall = async ({ verb, resource }) => {
      if (verb !== 'patch' || !resource.endsWith('nodeoperations')) return
      world.kube.beforeCall = undefined
      const body = { metadata: { labels: { team: 'a' } } }
      await world.kube.replica().patch(NODE_OPERATIONS, ref(), { type: 'merge', body })
    }
    expect((await cancel()).status).toBe(202)
    expect((await world.kube.get(NODE_OPERATIONS, ref())).metadata.labels).toMatchObject({ team: 'a' })
  })
})

describe('GET /v1/operations/:name/explain', () => {
  it('says what it waits for now, and what was said before', async () => {
    await until('Frozen')
    await say('BatchClaimed', 'worker-1 goes first')
    await say('DrainPreview', 'worker-2 would not be drained', 'Warning')
    const { body } = await get('/explain', 'token-of-looker')
    expect(body.operation.name).toBe(name)
    expect(body.notes).toContainEqual({
      reason: 'Frozen',
      level: 'Warning',
      message: expect.stringContaining('release week'),
    })
    expect(body.notes).toContainEqual({ reason: 'BatchClaimed', level: 'Info', message: 'worker-1 goes first' })
    expect(body.notes).toContainEqual({
      reason: 'DrainPreview',
      level: 'Warning',
      message: 'worker-2 would not be drained',
    })
  })

  it('names the nodes that are worked on, and the holder when it is another', async () => {
    await stopOperator()
    const nodes = [
      { name: 'worker-1', group: 'workers', step: 'Failed', since: '2026-01-01T00:00:00Z', message: 'budget web' },
    ]
    await setStatus({ nodes })
    const other = { name: 'other', uid: 'u', type: 'Stop', startedAt: '2026-01-01T00:00:00Z', from: 'Running' }
    await world.kube.patch(
      MANAGED_CLUSTERS,
      { name: 'prod', namespace: NAMESPACE },
      { type: 'merge', body: { status: { operation: other } } },
      { subresource: 'status' },
    )
    await world.synced()
    const { body } = await get('/explain')
    expect(body.notes).toContainEqual(
      expect.objectContaining({
        reason: 'Failed',
        level: 'Warning',
        about: 'worker-1',
        message: expect.stringContaining('budget web'),
      }),
    )
    expect(body.notes).toContainEqual(
      expect.objectContaining({ reason: 'ClusterBusy', message: expect.stringContaining('other') }),
    )
  })
})

describe('GET /v1/operations/:name/events', () => {
  it('sends the operation as it is, after each change, notes as they are said, and the end', async () => {
    await until('Frozen')
    await say('BatchClaimed', 'worker-1 goes first')
    const stream = get('/events', 'token-of-looker')
    await world.synced()
    await cancel()
    const { headers, body } = await stream
    expect(headers['content-type']).toBe('text/event-stream')
    const events = eventsIn(body)
    expect(events.filter(({ event }) => event === 'note').map(({ data }) => data.message)).toEqual([
      'worker-1 goes first',
    ])
    const told = events.filter(({ event }) => event === 'operation')
    expect(told[0]?.data).toMatchObject({ name, cluster: 'prod', ended: false })
    expect(told.at(-1)?.data).toMatchObject({ phase: 'Cancelled', ended: true })
    expect(new Set(told.map(({ id }) => id)).size).toBe(told.length)
    expect(events.at(-1)?.event).toBe('end')
  })

  it('goes on after what was heard last', async () => {
    await cancel()
    await until('Cancelled')
    const whole = eventsIn((await get('/events')).body)
    const last = whole.findLast(({ id }) => id !== undefined)?.id ?? ''
    const again = await world.call('GET', `/v1/operations/${name}/events`, undefined, { 'last-event-id': last })
    expect(eventsIn(again.body).map(({ event }) => event)).toEqual(['end'])
  })

  it('ends when the operation goes', async () => {
    await stopOperator()
    const stream = get('/events')
    await world.synced()
    await world.kube.patch(NODE_OPERATIONS, ref(), { type: 'merge', body: { metadata: { finalizers: [] } } })
    await world.kube.delete(NODE_OPERATIONS, ref())
    expect(eventsIn((await stream).body).at(-1)?.event).toBe('end')
  })
})

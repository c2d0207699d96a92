/** The HTTP API of two replicas over a real API server, and the operator that carries out what they are asked for. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { KubeClient } from '../../../src/kube/client.ts'
import { createHttpWorldOver, type HttpAnswer, type HttpWorldOver, TOKEN } from '../../support/http-world.ts'
import { type NodesOperator, type NodesWorld, startNodesWorld } from '../../support/nodes-world.ts'

/** On a machine that is busy with others. */
const SLOW_MS = 240_000

describe('operations over the HTTP API', () => {
  let nodes: NodesWorld
  let operator: NodesOperator
  let http: HttpWorldOver<KubeClient>
  let replica: Awaited<ReturnType<HttpWorldOver<KubeClient>['replica']>>
  beforeAll(async () => {
    nodes = await startNodesWorld({ size: { control: 1, workers: 3, etcd: 0 } })
    operator = await nodes.startOperator()
    await nodes.settled()
    const limits = { operationStartMs: 60_000 }
    http = await createHttpWorldOver(nodes.client, () => nodes.client, { deps: { insight: operator.insight, limits } })
    replica = await http.replica()
  })
  afterAll(async () => {
    await http[Symbol.asyncDispose]()
    await nodes[Symbol.asyncDispose]()
  })

  const viaReplica = async (body: object): Promise<Pick<HttpAnswer, 'status' | 'body'>> => {
    const headers = { authorization: `Bearer ${TOKEN}` }
    const answer = await replica.inject({ method: 'POST', url: '/v1/operations', headers, payload: body })
    return { status: answer.statusCode, body: answer.json() }
  }
  const rollout = (offering: string) => ({ cluster: 'demo', type: 'Rollout', settings: { worker: { offering } } })
  const workers = async () => (await nodes.cluster()).spec.nodeGroups.find(({ type }) => type === 'worker')?.settings

  test(
    'of several rollouts at once, over two replicas, exactly one wins and is carried out with its settings',
    async () => {
      const offerings = ['medium', 'large', 'huge', 'wide']
      const answers = await Promise.all(
        offerings.map((offering, index) =>
          index % 2 === 0 ? http.call('POST', '/v1/operations', rollout(offering)) : viaReplica(rollout(offering)),
        ),
      )
      const winners = answers.flatMap(({ status }, index) => (status === 202 ? [index] : []))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409, 409, 409])
      const winner = winners[0] ?? 0
      const name: string = answers[winner]?.body.name
      for (const { body } of answers.filter((_, index) => index !== winner)) {
        expect(body).toMatchObject({ reason: 'cluster_busy', detail: expect.stringContaining(name) })
      }
      await nodes.ended(name, SLOW_MS)
      const over = await http.call('GET', `/v1/operations/${name}?wait=60s`)
      expect(over.body).toMatchObject({ phase: 'Succeeded', progress: { done: 3 }, nodes: [] })
      expect(await workers()).toMatchObject({ offering: offerings[winner], rootDiskSizeGB: 20 })
      const { body } = await http.call('GET', '/v1/clusters/demo')
      expect(body.state).toBe('Running')
      expect(body.nodes.map((node: { outOfDate: string[] }) => node.outOfDate)).toEqual([[], [], [], []])
    },
    SLOW_MS,
  )

  test('settings that break a rule leave the cluster as it was', async () => {
    const before = await nodes.cluster()
    const answer = await http.call('POST', '/v1/operations', {
      cluster: 'demo',
      type: 'Rollout',
      settings: { workers: { rootDiskSizeGB: 5 } },
    })
    expect(answer).toMatchObject({ status: 422, body: { reason: 'settings_refused', field: 'settings.workers' } })
    const free = await nodes.until(
      'the cluster is free',
      async () => {
        const cluster = await nodes.cluster()
        return cluster.status?.operation === undefined && cluster
      },
      SLOW_MS,
    )
    expect([free.status?.state, free.status?.lastError, free.spec]).toEqual(['Running', undefined, before.spec])
    const stored = await http.call('PATCH', '/v1/clusters/demo/settings', {
      groups: { workers: { rootDiskSizeGB: 5 } },
    })
    expect(stored.status).toBe(200)
    await http.call('PATCH', '/v1/clusters/demo/settings', { groups: { workers: { rootDiskSizeGB: 20 } } })
  })

  test(
    'a run that is cancelled ends after the nodes that it works on, and says who did it',
    async () => {
      const { body } = await http.call('POST', '/v1/operations', { ...rollout('other'), maxUnavailable: 1 })
      const stream = http.call('GET', `/v1/operations/${body.name}/events`)
      await nodes.until(
        'the first node is worked on',
        async () => {
          const { status } = await nodes.operation(body.name)
          return status?.counts !== undefined && status.counts.inFlight > 0
        },
        SLOW_MS,
      )
      expect((await http.call('POST', `/v1/operations/${body.name}/cancel`)).status).toBe(202)
      const told = (await stream).body as string
      expect(told).toContain('"phase":"Cancelled"')
      expect(told).toContain('event: note\ndata: {"reason":"BatchClaimed"')
      expect(told.trimEnd().endsWith('event: end\ndata: {}')).toBe(true)
      await nodes.ended(body.name, SLOW_MS)
      const after = await http.call('GET', `/v1/operations/${body.name}/explain`)
      expect(after.body.operation).toMatchObject({ phase: 'Cancelled', cancelReason: 'asked for by ci' })
      expect(after.body.operation.progress.done).toBeLessThan(3)
      expect((await nodes.cluster()).status?.state).toBe('Running')
    },
    SLOW_MS,
  )
})

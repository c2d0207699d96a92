import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NODES } from '../../../src/api/core-resources.ts'
import { Annotation } from '../../../src/api/v1alpha1/labels.ts'
import { JOBS } from '../../../src/controllers/cluster/health/job.ts'
import { startNodeLaws } from '../../support/node-laws.ts'
import { NAMESPACE, type NodesOperator, type NodesWorld, startNodesWorld } from '../../support/nodes-world.ts'
import { startScriptedServer } from '../../support/scripted-server.ts'

const JOB = { every: '1s', template: { template: { spec: { containers: [{ name: 'smoke', image: 'smoke' }] } } } }
/** By its name it would go first. */
const OWN_NODE = 'worker-1'

describe('a rollout of settings', () => {
  const registry = new Registry()
  let world: NodesWorld
  let operator: NodesOperator
  beforeAll(async () => {
    world = await startNodesWorld()
    operator = await world.startOperator(undefined, { ownNode: OWN_NODE, registry })
    await world.settled()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('the scanner takes a new cluster to Running and counts its groups', async () => {
    expect((await world.cluster()).status).toMatchObject({
      state: 'Running',
      capacity: { cpu: 32 },
      groups: [
        { name: 'control', nodes: 3, ready: 3, outOfDate: 0, unavailable: 0 },
        { name: 'workers', nodes: 5, ready: 5, outOfDate: 0, unavailable: 0 },
      ],
    })
  })

  test('brings all nodes to new settings, at no time with more down than allowed', async () => {
    await world.client.patch(NODES, { name: 'worker-4' }, { type: 'merge', body: { spec: { unschedulable: true } } })
    const before = new Map(
      (await world.nodes()).map(({ metadata, status }) => [metadata.name, status?.nodeInfo?.bootID]),
    )
    await world.want('workers', { offering: 'large', rootDiskSizeGB: 40 })
    await world.want('control', { offering: 'large' })
    const plan = await operator.insight.plan(await world.cluster(), { maxUnavailable: 2 })
    const pods = { web: 5, api: 2, db: 2 }
    const laws = await startNodeLaws(world.client, { workers: 2, control: 1, pods }, NAMESPACE)
    await world.begin('first', { maxUnavailable: 2 })
    const ended = await world.ended('first')
    await laws.stop()
    expect(ended.status, world.log.join('\n')).toMatchObject({ phase: 'Succeeded', counts: { done: 8, outOfDate: 0 } })
    expect(laws.violations).toEqual([])
    // It went as it was told before.
    let at = 0
    for (const { nodes } of plan.batches) {
      const names = nodes.map(({ name }) => name)
      expect(laws.order.slice(at, at + names.length).toSorted()).toEqual(names.toSorted())
      at += names.length
    }
    expect(at).toBe(8)
    // The node that the operator runs on goes in the last batch.
    expect(plan.batches.at(-1)?.nodes.at(-1)?.name).toBe(OWN_NODE)
    expect(laws.most).toEqual({ workers: 2, control: 1, etcdDown: 1 })
    for (const node of await world.nodes()) {
      const { name, annotations = {} } = node.metadata
      expect(node.status?.nodeInfo?.bootID).not.toBe(before.get(name))
      expect(Object.keys(annotations)).not.toContain(Annotation.rolloutBootId)
      expect(Object.keys(annotations)).not.toContain(Annotation.cordonedBy)
      // What a person has cordoned stays cordoned.
      expect(node.spec?.unschedulable ?? false, name).toBe(name === 'worker-4')
    }
    const { status } = await world.cluster()
    expect(status).toMatchObject({
      state: 'Running',
      rotation: 'Freeze',
      lastOperation: { name: 'first', phase: 'Succeeded' },
    })
    expect(status?.lastError).toBeUndefined()
    const metrics = await registry.metrics()
    expect(metrics).toContain('kobe_node_operations_ended_total{cluster="demo",type="Rollout",phase="Succeeded"} 1')
    expect(metrics).toContain(`kobe_node_batch_duration_seconds_count{outcome="done"} ${plan.batches.length}`)
    expect(metrics).toContain('kobe_node_drain_duration_seconds_count{outcome="drained"} 8')
    expect(metrics).toMatch(/kobe_node_evictions_total\{cluster="demo",result="accepted"\} [1-9]/)
    expect(metrics).toContain('kobe_cluster_nodes_out_of_date{cluster="demo",group="workers"} 0')
  })

  test('a run waits until every health check passes, and says for which it waits; an operator that stops leaves no Job behind', async () => {
    let status = 500
    await using server = await startScriptedServer((_, response) => response.writeHead(status).end())
    await world.patchCluster({
      healthChecks: [
        { name: 'nodes', type: 'nodesReady' },
        { name: 'machines', type: 'machinesRunning' },
        { name: 'api', type: 'controlPlane' },
        { name: 'etcd', type: 'etcdQuorum' },
        { name: 'apps', type: 'workloads' },
        { name: 'smoke', type: 'job', job: JOB },
        { name: 'names', type: 'cel', cel: { expression: "nodes.exists(n, n.metadata.name == 'worker-1')" } },
        { name: 'web', type: 'http', http: { url: server.url } },
      ],
    })
    await world.want('workers', { offering: 'huge' })
    await world.begin('checked')
    await world.until('all but one pass', async () =>
      (await world.operation('checked')).status?.message?.includes('health check web'),
    )
    const { metadata, status: waiting } = await world.operation('checked')
    expect(waiting?.message).toBe(
      `waiting: health check web: 0 of 1 passes in a row: ${server.url} answers 500, not 200`,
    )
    expect(metadata.annotations?.[Annotation.troubledBefore]).toBeDefined()
    status = 200
    await world.until('a batch is claimed', async () => (await world.cluster()).status?.operation?.batch)
    const metrics = await registry.metrics()
    await operator.stop()
    expect((await world.client.list(JOBS)).items).toEqual([])
    for (const check of ['nodes', 'machines', 'api', 'etcd', 'apps', 'smoke', 'names', 'web'])
      expect(metrics).toContain(`kobe_health_check_passing{cluster="demo",check="${check}"} 1`)
  })
})

import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { createMemoryKube } from '../../../test/support/memory-kube.ts'
import { withManagedClusterDefaults, withNodeOperationDefaults } from '../../api/v1alpha1/defaults.ts'
import type { ManagedClusterStatus, OperationHolder } from '../../api/v1alpha1/managed-cluster.ts'
import type { NodeOperationStatus, NodeStep } from '../../api/v1alpha1/node-operation.ts'
import { MANAGED_CLUSTERS, NODE_OPERATIONS } from '../../api/v1alpha1/resources.ts'
import { silentLog } from '../../kube/log.ts'
import { createNodeCaches, startNodeCaches } from '../../operator-nodes.ts'
import { createNodeMeter } from './meter.ts'

const namespace = 'kobe-system'
const SUBRESOURCE = { subresource: 'status' as const }

async function startMeter() {
  const clock = new FakeClock()
  const client = createMemoryKube()
  const registry = new Registry()
  const stopping = new AbortController()
  await client.create(
    MANAGED_CLUSTERS,
    withManagedClusterDefaults({
      metadata: { name: 'prod', namespace },
      spec: {
        connection: { inCluster: true },
        provider: { type: 'simulated' },
        nodeGroups: [
          { name: 'control', type: 'control' },
          { name: 'workers', type: 'worker', maxUnavailable: '50%' },
        ],
        healthChecks: [{ name: 'web', type: 'nodesReady' }],
      },
    }),
  )
  const operation = await client.create(
    NODE_OPERATIONS,
    withNodeOperationDefaults({
      metadata: { name: 'run', namespace },
      spec: { type: 'Rollout', clusterRef: { name: 'prod' }, maxUnavailable: 3 },
    }),
  )
  const caches = createNodeCaches({ client, namespace, clock, log: silentLog })
  const meter = createNodeMeter({ registry, clock, log: silentLog })
  await startNodeCaches(caches, stopping.signal)
  const stop = meter.follow(caches)
  const settle = () => clock.settle()
  return {
    clock,
    client,
    meter,
    operation,
    stop,
    async cluster(status: ManagedClusterStatus) {
      const ref = { name: 'prod', namespace }
      const operation = status.operation === undefined ? null : { batch: null, outcome: null, ...status.operation }
      const body = { status: { ...status, operation } }
      await client.patch(MANAGED_CLUSTERS, ref, { type: 'merge', body }, SUBRESOURCE)
      await settle()
    },
    async run(status: NodeOperationStatus) {
      await client.patch(NODE_OPERATIONS, { name: 'run', namespace }, { type: 'merge', body: { status } }, SUBRESOURCE)
      await settle()
    },
    /** Every sample but those of buckets, in the text that is scraped. */
    async scraped(name: string): Promise<string[]> {
      const lines = (await registry.getSingleMetricAsString(name)).split('\n')
      return lines
        .filter((line) => !line.startsWith('#') && !line.includes('_bucket'))
        .map((line) => line.replace(name, ''))
    },
    async [Symbol.asyncDispose]() {
      stop()
      stopping.abort()
      await Promise.all([caches.clusters.stopped(), caches.operations.stopped()])
    },
  }
}

const groups: NonNullable<ManagedClusterStatus['groups']> = [
  { name: 'control', type: 'control', nodes: 3, ready: 3, outOfDate: 1, unavailable: 0 },
  { name: 'workers', type: 'worker', nodes: 5, ready: 3, outOfDate: 4, unavailable: 2 },
]
const holder: OperationHolder = {
  name: 'run',
  uid: 'u',
  type: 'Rollout',
  startedAt: '2026-01-01T00:00:00Z',
  from: 'Running',
}

describe('the meter of standing clusters', () => {
  it('shows state, groups and budgets of a cluster, of the operation that holds it too', async () => {
    await using world = await startMeter()
    await world.cluster({ state: 'Running', groups })
    expect((await world.scraped('kobe_cluster_state')).filter((line) => line.endsWith(' 1'))).toEqual([
      '{cluster="prod",state="Running"} 1',
    ])
    expect(await world.scraped('kobe_cluster_nodes_unavailable')).toContain('{cluster="prod",group="workers"} 2')
    expect(await world.scraped('kobe_cluster_nodes_out_of_date')).toContain('{cluster="prod",group="control"} 1')
    const budget = 'kobe_cluster_nodes_unavailable_budget'
    expect(await world.scraped(budget)).toEqual([
      '{cluster="prod",group="control"} 1',
      '{cluster="prod",group="workers"} 2',
    ])
    await world.cluster({ state: 'Updating', groups, operation: holder })
    expect(await world.scraped(budget)).toContain('{cluster="prod",group="workers"} 3')
    await world.cluster({ state: 'Running', groups: groups.slice(0, 1) })
    expect(await world.scraped(budget)).toEqual(['{cluster="prod",group="control"} 1'])
  })

  it('times each step of a node, drains among them, and batches', async () => {
    await using world = await startMeter()
    const steps = ['Cordoning', 'Draining', 'Stopping'] as const
    const at = (step: NodeStep): NodeOperationStatus => ({
      phase: 'Running',
      nodes: [{ name: 'w1', group: 'workers', step, since: '2026-01-01T00:00:00Z' }],
    })
    await world.cluster({
      state: 'Updating',
      operation: { ...holder, batch: { startedAt: '2026-01-01T00:00:00Z', group: 'workers', nodes: [] } },
    })
    for (const step of steps) {
      world.meter.planned(world.operation, at(step))
      await world.clock.advance(10_000)
    }
    expect((await world.scraped('kobe_node_operation_nodes')).filter((line) => line.endsWith(' 1'))).toEqual([
      '{cluster="prod",step="Stopping"} 1',
    ])
    world.meter.planned(world.operation, { phase: 'Running' })
    await world.cluster({ state: 'Updating', operation: holder })
    expect((await world.scraped('kobe_node_step_duration_seconds')).filter((line) => line.startsWith('_sum'))).toEqual(
      steps.map((step) => `_sum{step="${step}"} 10`),
    )
    expect(await world.scraped('kobe_node_drain_duration_seconds')).toContain('_sum{outcome="drained"} 10')
    expect(await world.scraped('kobe_node_batch_duration_seconds')).toContain('_sum{outcome="done"} 30')
  })

  it('a drain or a batch that fails is told apart; what another operator began has its whole time', async () => {
    await using world = await startMeter()
    await world.clock.advance(60_000)
    const batch = { startedAt: '2026-01-01T00:00:00Z', group: 'workers', nodes: [] }
    await world.cluster({ state: 'Updating', operation: { ...holder, batch } })
    const node = { name: 'w1', group: 'workers', since: '2026-01-01T00:00:30Z' }
    world.meter.planned(world.operation, { phase: 'Running', nodes: [{ ...node, step: 'Draining' }] })
    world.meter.planned(world.operation, { phase: 'Running', nodes: [{ ...node, step: 'Failed' }] })
    world.meter.planned(world.operation, { phase: 'Failed', nodes: [{ ...node, step: 'Failed' }] })
    const outcome = { phase: 'Failed' as const, reason: 'DrainFailed', message: 'x' }
    await world.cluster({ state: 'Updating', operation: { ...holder, batch, outcome } })
    expect(await world.scraped('kobe_node_drain_duration_seconds')).toContain('_sum{outcome="failed"} 30')
    expect(await world.scraped('kobe_node_batch_duration_seconds')).toContain('_sum{outcome="failed"} 60')
    expect(await world.scraped('kobe_node_step_duration_seconds')).not.toContain('_sum{step="Failed"} 0')
  })

  it('counts operations by phase, their ends, and the time for which they are frozen', async () => {
    await using world = await startMeter()
    await world.run({ phase: 'Frozen' })
    await world.clock.advance(20_000)
    expect(await world.scraped('kobe_node_operation_frozen_seconds_total')).toEqual(['{cluster="prod"} 20'])
    await world.clock.advance(10_000)
    await world.run({ phase: 'Running' })
    await world.clock.advance(10_000)
    expect(await world.scraped('kobe_node_operation_frozen_seconds_total')).toEqual(['{cluster="prod"} 30'])
    await world.run({ phase: 'Succeeded' })
    expect(await world.scraped('kobe_node_operations_ended_total')).toEqual([
      '{cluster="prod",type="Rollout",phase="Succeeded"} 1',
    ])
    expect((await world.scraped('kobe_node_operations')).filter((line) => line.endsWith(' 1'))).toEqual([
      '{cluster="prod",phase="Succeeded"} 1',
    ])
  })

  it('tells answers of evictions and results of health checks', async () => {
    await using world = await startMeter()
    for (const answer of ['Accepted', 'Gone', 'Budget', 'Throttled', 'Denied', 'NoAnswer'] as const)
      world.meter.evicted('prod', answer)
    expect(await world.scraped('kobe_node_evictions_total')).toEqual([
      '{cluster="prod",result="accepted"} 2',
      '{cluster="prod",result="refused"} 2',
      '{cluster="prod",result="failed"} 2',
    ])
    world.meter.checked({ cluster: 'prod', check: 'web', type: 'http', passed: false, seconds: 2 })
    expect(await world.scraped('kobe_health_check_passing')).toEqual(['{cluster="prod",check="web"} 0'])
    expect(await world.scraped('kobe_health_checks_total')).toEqual(['{type="http",result="failed"} 1'])
  })

  it('series of a cluster go with it, and gauges when this operator does not lead any more', async () => {
    await using world = await startMeter()
    world.meter.evicted('prod', 'Accepted')
    await world.cluster({ state: 'Running', groups })
    world.stop()
    expect(await world.scraped('kobe_cluster_state')).toEqual([])
    expect(await world.scraped('kobe_node_evictions_total')).toHaveLength(1)
    await using other = await startMeter()
    other.meter.evicted('prod', 'Accepted')
    await other.client.delete(MANAGED_CLUSTERS, { name: 'prod', namespace })
    await other.clock.settle()
    expect(await other.scraped('kobe_cluster_state')).toEqual([])
    expect(await other.scraped('kobe_node_evictions_total')).toEqual([])
  })
})

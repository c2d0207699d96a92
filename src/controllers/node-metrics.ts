/**
 * Metrics of standing clusters. Labels are names of ManagedClusters, their groups and checks, and closed sets; never a node. Series
 * of a cluster go when it goes; gauges go when this operator stops leading, as it does not know them any more.
 */
import type { Registry } from 'prom-client'
import { type MetricMakers, metricMakers, removeSeries } from './metric-makers.ts'

const STEP_BUCKETS = [0.1, 0.5, 1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600]
const CHECK_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 60, 300]

export type NodeMetrics = ReturnType<typeof createNodeMetrics>

/** `onScrape` is called before counters that grow with time are read. */
export function createNodeMetrics(registry: Registry, onScrape: () => void = () => undefined) {
  const makers = metricMakers(registry)
  const gauges = clusterGauges(makers)
  const counters = clusterCounters(makers, onScrape)
  return {
    ...gauges,
    ...counters,
    ...durations(makers),
    checks: makers.counter('kobe_health_checks_total', 'Results of health checks: `passed` or `failed`.', [
      'type',
      'result',
    ]),
    clearGauges(): void {
      for (const metric of Object.values(gauges)) metric.reset()
    },
    async forgetCluster(cluster: string): Promise<void> {
      const metrics = [...Object.values(gauges), ...Object.values(counters)]
      await Promise.all(metrics.map((metric) => removeSeries(metric, 'cluster', cluster)))
    },
  }
}

function clusterGauges({ gauge }: MetricMakers) {
  const ofGroup = (name: string, help: string) => gauge(name, help, ['cluster', 'group'])
  return {
    clusterState: gauge('kobe_cluster_state', '1 for the state that a ManagedCluster is in, 0 for the others.', [
      'cluster',
      'state',
    ]),
    nodes: ofGroup('kobe_cluster_nodes', 'Nodes of a group.'),
    outOfDate: ofGroup('kobe_cluster_nodes_out_of_date', 'Nodes of a group that differ from its settings.'),
    unavailable: ofGroup('kobe_cluster_nodes_unavailable', 'Nodes of a group that do not serve, whatever the cause.'),
    budget: ofGroup('kobe_cluster_nodes_unavailable_budget', 'Nodes of a group that may be unavailable at a time.'),
    operations: gauge('kobe_node_operations', 'NodeOperations that exist, by phase.', ['cluster', 'phase']),
    steps: gauge('kobe_node_operation_nodes', 'Nodes of the batch under way, by the step that they are in.', [
      'cluster',
      'step',
    ]),
    checkPassing: gauge('kobe_health_check_passing', '1 when the last result of a health check is well, 0 otherwise.', [
      'cluster',
      'check',
    ]),
  }
}

function clusterCounters({ counter }: MetricMakers, onScrape: () => void) {
  return {
    ended: counter('kobe_node_operations_ended_total', 'NodeOperations that ended, by how they did.', [
      'cluster',
      'type',
      'phase',
    ]),
    evictions: counter(
      'kobe_node_evictions_total',
      'Requests of drains for the end of a pod: `accepted`, `refused` (429) or `failed`.',
      ['cluster', 'result'],
    ),
    frozenSeconds: counter(
      'kobe_node_operation_frozen_seconds_total',
      'Time for which runs of a cluster were frozen.',
      ['cluster'],
      onScrape,
    ),
  }
}

function durations({ histogram }: MetricMakers) {
  return {
    stepDuration: histogram('kobe_node_step_duration_seconds', 'How long a node was in one step of its run.', {
      labelNames: ['step'],
      buckets: STEP_BUCKETS,
    }),
    drainDuration: histogram(
      'kobe_node_drain_duration_seconds',
      'How long the drain of a node took: `drained`, `skipped` or `failed`.',
      { labelNames: ['outcome'], buckets: STEP_BUCKETS },
    ),
    batchDuration: histogram(
      'kobe_node_batch_duration_seconds',
      'From the claim of a batch until it was let go of: `done` or `failed`.',
      { labelNames: ['outcome'], buckets: STEP_BUCKETS },
    ),
    checkDuration: histogram('kobe_health_check_duration_seconds', 'How long one health check took.', {
      labelNames: ['type'],
      buckets: CHECK_BUCKETS,
    }),
  }
}

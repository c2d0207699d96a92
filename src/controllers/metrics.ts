/**
 * The operator's metrics. One object, made by `operator.ts` and passed on: two operators in one process never share a series.
 * Names are part of the public contract. Series of a pool go when the pool goes.
 */
import type { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { type MetricMakers, metricMakers, removeSeries } from './metric-makers.ts'

export const POOL_DIMENSIONS = [
  'desired',
  'min',
  'max',
  'creating',
  'ready',
  'leased',
  'unhealthy',
  'recycling',
  'quarantined',
] as const

export interface OperatorMetrics {
  readonly poolSize: Gauge<'profile' | 'dimension'>
  readonly instanceRecycles: Counter<'profile' | 'reason'>
  readonly instanceCreates: Counter<'profile' | 'backend' | 'outcome'>
  readonly instanceCreateDuration: Histogram<'profile' | 'backend' | 'outcome'>
  readonly queueDepth: Gauge<'profile'>
  readonly leaseQueueWait: Histogram<'profile' | 'outcome'>
  readonly claimBindDuration: Histogram<'profile'>
  readonly leaseHold: Histogram<'profile' | 'outcome'>
  readonly claims: Counter<'profile' | 'event'>
  readonly consecutiveFailures: Gauge<'profile'>
  readonly upgradeDrifted: Gauge<'profile'>
  readonly reconciliations: Counter<'controller' | 'result'>
  readonly reconcileDuration: Histogram<'controller'>
  readonly workqueueDepth: Gauge<'controller'>
  readonly invariantViolations: Counter<'invariant'>
  readonly leading: Gauge
  /** Drops every series that belongs to a pool. */
  forgetPool(profile: string): Promise<void>
  /** Drops the gauges of all pools: one that does not lead does not know them any more. Counters stay. */
  clearPoolGauges(): void
}

export function createOperatorMetrics(registry: Registry): OperatorMetrics {
  const { counter, gauge, histogram } = metricMakers(registry)
  const pool = {
    poolSize: gauge('kobe_pool_size', 'Members of a pool by dimension.', ['profile', 'dimension']),
    instanceRecycles: counter('kobe_instance_recycles_total', 'Members recycled, by reason.', ['profile', 'reason']),
    instanceCreates: counter('kobe_instance_creates_total', 'Members created, by outcome.', [
      'profile',
      'backend',
      'outcome',
    ]),
    instanceCreateDuration: histogram('kobe_instance_create_duration_seconds', 'From creation to Ready or Failed.', {
      labelNames: ['profile', 'backend', 'outcome'],
      buckets: [0.25, 0.5, 1, 5, 15, 30, 60, 120, 300, 600],
    }),
    queueDepth: gauge('kobe_queue_depth', 'Leases that wait for a member.', ['profile']),
    leaseQueueWait: histogram('kobe_lease_queue_wait_seconds', 'From request to the end of waiting.', {
      labelNames: ['profile', 'outcome'],
      buckets: [0.05, 0.25, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800],
    }),
    claimBindDuration: histogram('kobe_claim_bind_duration_seconds', 'From request to Bound.', {
      labelNames: ['profile'],
      buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    }),
    leaseHold: histogram('kobe_lease_hold_seconds', 'How long a member was held.', {
      labelNames: ['profile', 'outcome'],
      buckets: [30, 60, 300, 900, 1800, 3600, 7200, 14400],
    }),
    claims: counter('kobe_claims_total', 'Events in the life of leases.', ['profile', 'event']),
    consecutiveFailures: gauge('kobe_pool_consecutive_failures', 'Creation failures in a row.', ['profile']),
    upgradeDrifted: gauge('kobe_upgrade_drifted', 'Members made from another template than the present one.', [
      'profile',
    ]),
  }
  const gauges = [pool.poolSize, pool.queueDepth, pool.consecutiveFailures, pool.upgradeDrifted]
  return {
    ...pool,
    ...processMetrics({ counter, gauge, histogram }),
    clearPoolGauges: () => {
      for (const metric of gauges) metric.reset()
    },
    forgetPool: async (profile) => {
      await Promise.all(Object.values(pool).map((metric) => removeSeries(metric, 'profile', profile)))
    },
  }
}

function processMetrics({ counter, gauge, histogram }: MetricMakers) {
  return {
    reconciliations: counter('kobe_reconciliations_total', 'Reconcile passes by result.', ['controller', 'result']),
    reconcileDuration: histogram('kobe_reconcile_duration_seconds', 'Duration of one reconcile pass.', {
      labelNames: ['controller'],
      buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
    }),
    workqueueDepth: gauge('kobe_workqueue_depth', 'Keys that wait for a worker.', ['controller']),
    invariantViolations: counter('kobe_invariant_violations_total', 'Broken invariants; always 0.', ['invariant']),
    leading: gauge('kobe_leading', '1 while this operator leads.', []),
  }
}

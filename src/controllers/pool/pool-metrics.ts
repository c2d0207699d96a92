/** The gauges of a pool, from its status. */
import type { ClusterPool, PoolStatus } from '../../api/v1alpha1/cluster-pool.ts'
import { resolvePoolOptions } from '../../core/pool/resolve-options.ts'
import type { OperatorMetrics } from '../metrics.ts'

export function observePoolMetrics(metrics: OperatorMetrics, pool: ClusterPool, status: PoolStatus): void {
  const profile = pool.metadata.name ?? ''
  const options = resolvePoolOptions(pool.spec, 1)
  const sizes = {
    desired: options.warm,
    min: options.warm,
    max: options.ceiling,
    creating: status.creating,
    ready: status.ready,
    leased: status.leased,
    unhealthy: status.unhealthy,
    recycling: status.recycling,
    quarantined: status.quarantined,
  }
  for (const [dimension, value] of Object.entries(sizes)) metrics.poolSize.set({ profile, dimension }, value)
  metrics.queueDepth.set({ profile }, status.queueDepth)
  metrics.consecutiveFailures.set({ profile }, status.consecutiveFailures)
  metrics.upgradeDrifted.set({ profile }, status.drifted ?? 0)
}

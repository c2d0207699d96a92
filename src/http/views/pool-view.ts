/** ClusterPool to wire. A counter that was never observed is 0, never null or absent. */
import type { ClusterPool, PoolSpec } from '../../api/v1alpha1/cluster-pool.ts'
import { ConditionType, findCondition } from '../../api/v1alpha1/conditions.ts'
import { field } from '../../core/optional-field.ts'
import type { PoolView } from '../schemas/pool.ts'

export function poolView(pool: ClusterPool): PoolView {
  const { status } = pool
  return {
    name: pool.metadata.name ?? '',
    ...field('phase', status?.phase),
    ready: status?.ready ?? 0,
    leased: status?.leased ?? 0,
    creating: status?.creating ?? 0,
    recycling: status?.recycling ?? 0,
    unhealthy: status?.unhealthy ?? 0,
    quarantined: status?.quarantined ?? 0,
    queueDepth: status?.queueDepth ?? 0,
    ...field('stalled', stalledView(pool)),
    policy: policyView(pool.spec),
  }
}

export function stalledView({ status }: ClusterPool): PoolView['stalled'] {
  const stalled = findCondition(status?.conditions, ConditionType.Stalled)
  return stalled?.status === 'True' ? { reason: stalled.reason, message: stalled.message } : undefined
}

function policyView({ scaling, size, ttl, queueTimeout }: PoolSpec): PoolView['policy'] {
  if (scaling === undefined) return { mode: 'fixed', ttl, warmTarget: size, ...field('queueTimeout', queueTimeout) }
  return {
    mode: 'autoscaled',
    ttl,
    warmTarget: scaling.minReady,
    maxClusters: scaling.maxClusters,
    scaleUpThreshold: scaling.scaleUpThreshold,
    scaleDownAfter: scaling.scaleDownAfter,
    queueTimeout: scaling.queueTimeout,
  }
}

/** The drain policy of a cluster, as the planner takes it. */
import { parseDuration } from '../../../api/duration.ts'
import type { ManagedCluster } from '../../../api/v1alpha1/managed-cluster.ts'
import { DEFAULT_DRAIN_POLICY, type DrainPolicy } from '../../../core/drain/model.ts'

export function drainPolicyOf({ spec }: ManagedCluster): DrainPolicy {
  const { timeout, retryInterval, gracePeriodSeconds, deleteEmptyDirData, force, onTimeout } = spec.drain
  return {
    timeoutMs: parseDuration(timeout) ?? DEFAULT_DRAIN_POLICY.timeoutMs,
    retryIntervalMs: parseDuration(retryInterval) ?? DEFAULT_DRAIN_POLICY.retryIntervalMs,
    gracePeriodSeconds,
    deleteEmptyDirData,
    force,
    onTimeout,
  }
}

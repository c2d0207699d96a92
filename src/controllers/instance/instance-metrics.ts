/** Counts the transitions of instances. Called after the status was written, so a lost write is not counted. */
import { parseTimestamp } from '../../api/timestamp.ts'
import type { ClusterInstance, InstanceStatus } from '../../api/v1alpha1/cluster-instance.ts'
import { ConditionType, findCondition } from '../../api/v1alpha1/conditions.ts'
import { recycleReasonOf } from '../../core/instance/recycle-reason.ts'
import type { ControllerDeps } from '../deps.ts'

export interface InstanceMetrics {
  observe(before: ClusterInstance, after: InstanceStatus): void
}

export function createInstanceMetrics({ metrics, clock }: ControllerDeps): InstanceMetrics {
  return {
    observe(before, after) {
      const was = before.status?.phase ?? 'Creating'
      if (was === after.phase) return
      const profile = before.spec.poolRef?.name ?? 'standalone'
      if (was === 'Creating' && (after.phase === 'Ready' || after.phase === 'Failed')) {
        const labels = {
          profile,
          backend: before.status?.createdWith?.backendType ?? before.spec.backend?.type ?? 'unknown',
          outcome: after.phase === 'Ready' ? 'ready' : 'failed',
        }
        metrics.instanceCreates.inc(labels)
        const createdAt = parseTimestamp(before.metadata.creationTimestamp ?? '')
        if (createdAt !== undefined) metrics.instanceCreateDuration.observe(labels, (clock.now() - createdAt) / 1000)
      }
      if (after.phase === 'Recycling') {
        const reason = recycleReasonOf(findCondition(after.conditions, ConditionType.Ready)?.reason ?? '')
        if (reason !== undefined) metrics.instanceRecycles.inc({ profile, reason })
      }
    },
  }
}

/** Counts the transitions of instances. Called after the status was written, so a lost write is not counted. */
import { parseTimestamp } from '../../api/timestamp.ts'
import type { ClusterInstance, InstanceStatus } from '../../api/v1alpha1/cluster-instance.ts'
import { ConditionType, findCondition } from '../../api/v1alpha1/conditions.ts'
import { recycleReasonOf } from '../../core/instance/recycle-reason.ts'
import type { ControllerDeps } from '../deps.ts'
import type { OperatorMetrics } from '../metrics.ts'

export interface InstanceMetrics {
  observe(before: ClusterInstance, after: InstanceStatus): void
}

export function createInstanceMetrics({ metrics, clock }: ControllerDeps): InstanceMetrics {
  return {
    observe(before, after) {
      const was = before.status?.phase ?? 'Creating'
      if (was === after.phase) return
      const outcome = was === 'Creating' ? OUTCOMES[after.phase] : undefined
      if (outcome !== undefined) created(metrics, before, outcome, clock.now())
      if (after.phase === 'Recycling') recycled(metrics, before, after)
    },
  }
}

const OUTCOMES: Partial<Record<InstanceStatus['phase'], 'ready' | 'failed'>> = { Ready: 'ready', Failed: 'failed' }

const profileOf = ({ spec }: ClusterInstance): string => spec.poolRef?.name ?? 'standalone'

function created(metrics: OperatorMetrics, instance: ClusterInstance, outcome: 'ready' | 'failed', now: number): void {
  const backend = instance.status?.createdWith?.backendType ?? instance.spec.backend?.type ?? 'unknown'
  const labels = { profile: profileOf(instance), backend, outcome }
  metrics.instanceCreates.inc(labels)
  const createdAt = parseTimestamp(instance.metadata.creationTimestamp ?? '')
  if (createdAt !== undefined) metrics.instanceCreateDuration.observe(labels, (now - createdAt) / 1000)
}

function recycled(metrics: OperatorMetrics, instance: ClusterInstance, after: InstanceStatus): void {
  const reason = recycleReasonOf(findCondition(after.conditions, ConditionType.Ready)?.reason ?? '')
  if (reason !== undefined) metrics.instanceRecycles.inc({ profile: profileOf(instance), reason })
}

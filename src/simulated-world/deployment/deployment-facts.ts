/** What a Deployment's spec means in numbers. */
import type { Deployment, ReplicaSet } from '../kinds.ts'
import { resolveIntOrPercent } from '../objects/numbers.ts'

export const REVISION = 'deployment.kubernetes.io/revision'
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas'
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas'

export function revisionOf({ metadata }: ReplicaSet): number {
  return Number(metadata.annotations?.[REVISION] ?? 0) || 0
}

export function desiredOf({ spec }: Deployment): number {
  return spec.replicas ?? 1
}

export function specReplicas({ spec }: ReplicaSet): number {
  return spec.replicas ?? 1
}

export function availableReplicas({ status }: ReplicaSet): number {
  return status?.availableReplicas ?? 0
}

export function sumOf(replicaSets: readonly ReplicaSet[], count: (one: ReplicaSet) => number): number {
  return replicaSets.reduce((sum, one) => sum + count(one), 0)
}

export interface RolloutLimits {
  readonly type: string
  readonly maxSurge: number
  readonly maxUnavailable: number
}

/** Surge rounds up, unavailable down; when both come to 0, one pod may be unavailable, or nothing would ever move. */
export function limitsOf(deployment: Deployment): RolloutLimits {
  const desired = desiredOf(deployment)
  const { type = 'RollingUpdate', rollingUpdate = {} } = deployment.spec.strategy ?? {}
  if (type === 'Recreate') return { type, maxSurge: 0, maxUnavailable: 0 }
  const maxSurge = resolveIntOrPercent(rollingUpdate.maxSurge ?? '25%', desired, 'up')
  const unavailable = resolveIntOrPercent(rollingUpdate.maxUnavailable ?? '25%', desired, 'down')
  const maxUnavailable = maxSurge === 0 && unavailable === 0 ? 1 : Math.min(unavailable, desired)
  return { type, maxSurge, maxUnavailable }
}

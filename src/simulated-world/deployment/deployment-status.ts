/** The status of a Deployment: counts, and whether the rollout moves, has ended, or takes too long. */
import { formatTimestamp, parseTimestamp } from '../../api/timestamp.ts'
import type { Condition, Deployment, DeploymentStatus, ReplicaSet } from '../kinds.ts'
import { conditionOf } from '../objects/pods.ts'
import { availableReplicas, desiredOf, limitsOf, specReplicas, sumOf } from './deployment-facts.ts'

export interface DeploymentStatusPlan {
  readonly status: DeploymentStatus
  readonly isComplete: boolean
  /** When the rollout is to be declared too slow. */
  readonly requeueAfterMs: number | undefined
}

interface Input {
  readonly deployment: Deployment
  readonly current: ReplicaSet | undefined
  readonly replicaSets: readonly ReplicaSet[]
}

const actualReplicas = ({ status }: ReplicaSet): number => status?.replicas ?? 0

export function planDeploymentStatus(input: Input, now: number): DeploymentStatusPlan {
  const { deployment, current, replicaSets } = input
  const available = sumOf(replicaSets, availableReplicas)
  const counts = {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: sumOf(replicaSets, actualReplicas),
    updatedReplicas: current === undefined ? 0 : actualReplicas(current),
    readyReplicas: sumOf(replicaSets, ({ status }) => status?.readyReplicas ?? 0),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, sumOf(replicaSets, specReplicas) - available),
  }
  const isComplete = isDone(deployment, counts)
  const progressing = progressCondition({ ...input, counts, isComplete }, now)
  const conditions = [availability(deployment, available), ...(progressing === undefined ? [] : [progressing])]
  return {
    status: { ...deployment.status, ...counts, conditions: merged(deployment, conditions, now) },
    isComplete,
    requeueAfterMs: deadlineInMs(deployment, isComplete, progressing, now),
  }
}

function isDone(deployment: Deployment, counts: DeploymentStatus): boolean {
  const desired = desiredOf(deployment)
  const { updatedReplicas, replicas, availableReplicas: available } = counts
  return updatedReplicas === desired && replicas === desired && available === desired
}

function availability(deployment: Deployment, available: number): Condition {
  const enough = available >= desiredOf(deployment) - limitsOf(deployment).maxUnavailable
  return {
    type: 'Available',
    status: enough ? 'True' : 'False',
    reason: enough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: `Deployment ${enough ? 'has' : 'does not have'} minimum availability.`,
  }
}

interface Progress extends Input {
  readonly counts: DeploymentStatus
  readonly isComplete: boolean
}

/** First hit wins. Undefined: the condition stays as it is. */
function progressCondition(progress: Progress, now: number): Condition | undefined {
  const { deployment, current, counts, isComplete } = progress
  const old = conditionOf(deployment.status?.conditions, 'Progressing')
  const name = current?.metadata.name
  if (deployment.spec.paused) return pausedCondition(old)
  if (current === undefined) return progressingCondition('True', 'NewReplicaSetCreated', 'Created new replica set')
  if (isComplete) {
    return progressingCondition('True', 'NewReplicaSetAvailable', `ReplicaSet "${name}" has successfully progressed.`)
  }
  const resumed = old === undefined || old.reason === 'DeploymentPaused'
  if (resumed || hasMoved(deployment.status ?? {}, counts) || startedAgain(deployment, old)) {
    return progressingCondition('True', 'ReplicaSetUpdated', `ReplicaSet "${name}" is progressing.`)
  }
  if (isTooSlow(deployment, old, now)) {
    return progressingCondition('False', 'ProgressDeadlineExceeded', `ReplicaSet "${name}" has timed out progressing.`)
  }
  return undefined
}

function pausedCondition(old: Condition | undefined): Condition | undefined {
  if (old?.reason === 'DeploymentPaused') return undefined
  return progressingCondition('Unknown', 'DeploymentPaused', 'Deployment is paused')
}

function progressingCondition(status: string, reason: string, message: string): Condition {
  return { type: 'Progressing', status, reason, message }
}

/** A new template after a complete rollout starts the clock anew. */
function startedAgain({ status, metadata }: Deployment, old: Condition): boolean {
  return old.reason === 'NewReplicaSetAvailable' && status?.observedGeneration !== metadata.generation
}

function hasMoved(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const grew = (name: 'updatedReplicas' | 'readyReplicas' | 'availableReplicas') =>
    (after[name] ?? 0) > (before[name] ?? 0)
  const oldOnes = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus) => replicas - updatedReplicas
  return (
    grew('updatedReplicas') || grew('readyReplicas') || grew('availableReplicas') || oldOnes(after) < oldOnes(before)
  )
}

function deadlineOf(deployment: Deployment, condition: Condition): number | undefined {
  const since = parseTimestamp(condition.lastUpdateTime ?? '')
  const { progressDeadlineSeconds: seconds = 600 } = deployment.spec
  return since === undefined ? undefined : since + seconds * 1000
}

function isTooSlow(deployment: Deployment, old: Condition, now: number): boolean {
  if (old.status === 'False') return true
  // A complete rollout that lost a pod is no rollout that is slow.
  if (old.reason === 'NewReplicaSetAvailable') return false
  const deadline = deadlineOf(deployment, old)
  return deadline !== undefined && now >= deadline
}

function deadlineInMs(
  deployment: Deployment,
  isComplete: boolean,
  next: Condition | undefined,
  now: number,
): number | undefined {
  const condition = next ?? conditionOf(deployment.status?.conditions, 'Progressing')
  if (isComplete || condition === undefined || condition.status !== 'True' || deployment.spec.paused) return undefined
  if (condition.reason === 'NewReplicaSetAvailable') return undefined
  const deadline = deadlineOf(deployment, condition) ?? now + (deployment.spec.progressDeadlineSeconds ?? 600) * 1000
  return Math.max(1000, deadline - now)
}

/** `lastUpdateTime` moves with every progress, `lastTransitionTime` only with the status. */
function merged(deployment: Deployment, next: readonly Condition[], now: number): Condition[] {
  const old = deployment.status?.conditions ?? []
  const time = formatTimestamp(now)
  const moved = next.map((condition) => {
    const before = conditionOf(old, condition.type)
    const isSame = before?.status === condition.status && before.reason === condition.reason
    const isProgress = condition.reason === 'ReplicaSetUpdated'
    if (before !== undefined && isSame && before.message === condition.message && !isProgress) return before
    const kept = before?.status === condition.status ? before.lastTransitionTime : undefined
    return { ...condition, lastUpdateTime: time, lastTransitionTime: kept ?? time }
  })
  const others = old.filter(({ type }) => !next.some((condition) => condition.type === type))
  return [...others, ...moved].toSorted((a, b) => (a.type < b.type ? -1 : 1))
}

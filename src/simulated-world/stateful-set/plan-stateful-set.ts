/**
 * What a StatefulSet needs next [k8s stateful set controller]. In order, and with OrderedReady only one step a pass:
 *
 *   1. finished pods go, to be made again under their names
 *   2. missing pods are made from the lowest ordinal up, each when the ones before are Ready
 *   3. pods beyond the wanted number go, highest first
 *   4. pods of another template go from the highest ordinal down to the partition, one at a time, while all others are Ready
 */
import type { Action, Note, Plan } from '../engine/plan.ts'
import {
  CLAIMS,
  type ControllerRevision,
  type PersistentVolumeClaim,
  PODS,
  type Pod,
  STATEFUL_SETS,
  type StatefulSet,
} from '../kinds.ts'
import { isFinished, isReady, isTerminating, readinessOf } from '../objects/pods.ts'
import { planRevision, REVISION_HASH_LABEL, surplusRevisions, templateOf } from '../revisions/plan-revision.ts'
import { ordinalOf, renderClaims, renderPod } from './render-pod.ts'

export interface ObservedStatefulSet {
  readonly statefulSet: StatefulSet
  /** The pods that it controls. */
  readonly pods: readonly Pod[]
  readonly revisions: readonly ControllerRevision[]
  readonly claims: readonly PersistentVolumeClaim[]
}

interface Situation extends ObservedStatefulSet {
  readonly replicas: number
  readonly first: number
  readonly byOrdinal: ReadonlyMap<number, Pod>
  readonly updateRevision: string
  readonly currentRevision: string
}

export function planStatefulSet(observed: ObservedStatefulSet, now: number): Plan {
  const { statefulSet, pods, revisions } = observed
  if (isTerminating(statefulSet)) return { actions: [], notes: [] }
  const revision = planRevision({ type: STATEFUL_SETS, object: statefulSet, revisions })
  const situation: Situation = {
    ...observed,
    replicas: statefulSet.spec.replicas ?? 1,
    first: statefulSet.spec.ordinals?.start ?? 0,
    byOrdinal: new Map(pods.map((pod) => [ordinalOf(pod), pod])),
    updateRevision: revision.name,
    currentRevision: knownRevision(observed) ?? revision.name,
  }
  const steps = podSteps(situation)
  const inUse = new Set([situation.updateRevision, situation.currentRevision, ...pods.map(revisionOf)])
  const history = surplusRevisions(revisions, inUse, statefulSet.spec.revisionHistoryLimit ?? 10)
  const readiness = readinessOf(liveOf(pods), statefulSet.spec.minReadySeconds ?? 0, now)
  return {
    actions: [...revision.actions, ...steps, ...history],
    notes: steps.flatMap((action) => noteOf(statefulSet, action)),
    status: statusOf(situation, readiness),
    requeueAfterMs: readiness.nextInMs,
  }
}

/** The revision that the status names, as long as it exists. */
function knownRevision({ statefulSet, revisions }: ObservedStatefulSet): string | undefined {
  const name = statefulSet.status?.currentRevision
  return revisions.some(({ metadata }) => metadata.name === name) ? name : undefined
}

function revisionOf({ metadata }: Pod): string {
  return metadata.labels?.[REVISION_HASH_LABEL] ?? ''
}

const liveOf = (pods: readonly Pod[]): Pod[] => pods.filter((pod) => !isTerminating(pod))

function isHealthy(pod: Pod): boolean {
  return isReady(pod) && !isTerminating(pod)
}

/** OrderedReady: the first step only. Parallel: all of them, updates still one by one. */
function podSteps(situation: Situation): Action[] {
  const parallel = situation.statefulSet.spec.podManagementPolicy === 'Parallel'
  const wanted = wantedSteps(situation, parallel)
  if (!parallel && wanted.blocked) return wanted.actions
  const condemned = condemnedSteps(situation, parallel)
  if (!parallel && condemned.blocked) return condemned.actions
  return [...wanted.actions, ...condemned.actions, ...updateSteps(situation)]
}

interface Steps {
  readonly actions: Action[]
  /** Something has to be done, or waited for, before the next kind of step. */
  readonly blocked: boolean
}

function wantedSteps(situation: Situation, parallel: boolean): Steps {
  const actions: Action[] = []
  let blocked = false
  for (let ordinal = situation.first; ordinal < situation.first + situation.replicas; ordinal++) {
    const pod = situation.byOrdinal.get(ordinal)
    actions.push(...stepFor(situation, ordinal, pod))
    if (pod === undefined || !isHealthy(pod)) blocked = true
    if (blocked && !parallel) break
  }
  return { actions, blocked }
}

function stepFor(situation: Situation, ordinal: number, pod: Pod | undefined): Action[] {
  if (pod === undefined) return createSteps(situation, ordinal)
  return isFinished(pod) && !isTerminating(pod) ? [{ kind: 'Delete', type: PODS, object: pod }] : []
}

function createSteps(situation: Situation, ordinal: number): Action[] {
  const { statefulSet, claims, revisions, updateRevision, currentRevision } = situation
  const revision = isKeptBack(situation, ordinal) ? currentRevision : updateRevision
  const former = revisions.find(({ metadata }) => metadata.name === revision)
  const template = revision === updateRevision ? statefulSet.spec.template : templateOf(former)
  const object = renderPod({ statefulSet, ordinal, revision, template: template ?? statefulSet.spec.template })
  const missing = renderClaims(statefulSet, ordinal).filter(
    ({ metadata }) => !claims.some((claim) => claim.metadata.name === metadata.name),
  )
  return [
    ...missing.map((claim) => ({ kind: 'Create', type: CLAIMS, object: claim }) as const),
    { kind: 'Create', type: PODS, object },
  ]
}

/** Below the partition, or not reached yet by the update, a pod that is made again keeps the former template. The update
 * goes down one by one, so the one below the lowest updated pod is the next. */
function isKeptBack({ statefulSet, first, byOrdinal, updateRevision }: Situation, ordinal: number): boolean {
  const { type = 'RollingUpdate', rollingUpdate } = statefulSet.spec.updateStrategy ?? {}
  if (type !== 'RollingUpdate') return false
  if (ordinal < first + (rollingUpdate?.partition ?? 0)) return true
  const updated = [...byOrdinal].filter(([, pod]) => revisionOf(pod) === updateRevision).map(([at]) => at)
  return updated.length > 0 ? ordinal < Math.min(...updated) && ordinal + 1 !== Math.min(...updated) : false
}

function condemnedSteps({ byOrdinal, first, replicas }: Situation, parallel: boolean): Steps {
  const beyond = [...byOrdinal].filter(([ordinal]) => ordinal < first || ordinal >= first + replicas)
  const [highest, ...others] = beyond.toSorted(([a], [b]) => b - a).map(([, pod]) => pod)
  if (highest === undefined) return { actions: [], blocked: false }
  const going = liveOf(parallel ? [highest, ...others] : [highest])
  return { actions: going.map((object) => ({ kind: 'Delete', type: PODS, object })), blocked: true }
}

/** The highest pod that is old, or not healthy yet, decides: one of the update, at a time. */
function updateSteps({ statefulSet, byOrdinal, first, replicas, updateRevision }: Situation): Action[] {
  const { type = 'RollingUpdate', rollingUpdate } = statefulSet.spec.updateStrategy ?? {}
  if (type !== 'RollingUpdate') return []
  const lowest = first + (rollingUpdate?.partition ?? 0)
  const ordinals = Array.from({ length: Math.max(0, first + replicas - lowest) }, (_, index) => lowest + index)
  const next = ordinals.toReversed().find((ordinal) => !isUpdated(byOrdinal.get(ordinal), updateRevision))
  const pod = next === undefined ? undefined : byOrdinal.get(next)
  if (pod === undefined || isTerminating(pod) || revisionOf(pod) === updateRevision) return []
  return [{ kind: 'Delete', type: PODS, object: pod }]
}

function isUpdated(pod: Pod | undefined, revision: string): boolean {
  return pod !== undefined && revisionOf(pod) === revision && isHealthy(pod)
}

function statusOf(situation: Situation, readiness: { ready: number; available: number }): object {
  const { statefulSet, pods, replicas, updateRevision, currentRevision } = situation
  const live = liveOf(pods)
  const updated = live.filter((pod) => revisionOf(pod) === updateRevision).length
  const allUpdated = updated === replicas && live.length === replicas && readiness.ready === replicas
  const current = live.filter((pod) => revisionOf(pod) === currentRevision).length
  return {
    ...statefulSet.status,
    observedGeneration: statefulSet.metadata.generation ?? 0,
    replicas: pods.length,
    readyReplicas: readiness.ready,
    availableReplicas: readiness.available,
    updatedReplicas: updated,
    currentReplicas: allUpdated ? updated : current,
    updateRevision,
    currentRevision: allUpdated ? updateRevision : currentRevision,
    collisionCount: statefulSet.status?.collisionCount ?? 0,
  }
}

function noteOf({ metadata }: StatefulSet, action: Action): Note[] {
  if (action.kind !== 'Create' && action.kind !== 'Delete') return []
  const verb = action.kind === 'Create' ? 'create' : 'delete'
  const reason = action.kind === 'Create' ? 'SuccessfulCreate' : 'SuccessfulDelete'
  const what = `${verb} ${action.type.kind} ${action.object.metadata.name} in StatefulSet ${metadata.name}`
  return [{ type: 'Normal', reason, message: `${what} successful` }]
}

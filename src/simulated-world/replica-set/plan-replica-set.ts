/** What a ReplicaSet needs: so many active pods, no more and no less [k8s replica set controller]. */
import type { Action, Note, Plan } from '../engine/plan.ts'
import { PODS, type Pod, REPLICA_SETS, type ReplicaSet } from '../kinds.ts'
import { isActive, isTerminating, ownerReferenceTo, podFromTemplate, readinessOf } from '../objects/pods.ts'
import { labelsMatch } from '../objects/selector.ts'
import { byDisposability } from './disposability.ts'

export interface ObservedReplicaSet {
  readonly replicaSet: ReplicaSet
  /** The pods that it controls. */
  readonly pods: readonly Pod[]
}

/** Pods that one pass makes at most. */
const BURST = 100

export function planReplicaSet({ replicaSet, pods }: ObservedReplicaSet, now: number): Plan {
  const active = pods.filter(isActive)
  const missing = (replicaSet.spec.replicas ?? 1) - active.length
  const { actions, notes } = isTerminating(replicaSet)
    ? { actions: [], notes: [] }
    : missing >= 0
      ? addPods(replicaSet, Math.min(missing, BURST))
      : removePods(active, -missing)
  const readiness = readinessOf(active, replicaSet.spec.minReadySeconds ?? 0, now)
  return {
    actions,
    notes,
    status: {
      ...replicaSet.status,
      observedGeneration: replicaSet.metadata.generation ?? 0,
      replicas: active.length,
      fullyLabeledReplicas: active.filter((pod) => hasAllLabels(replicaSet, pod)).length,
      readyReplicas: readiness.ready,
      availableReplicas: readiness.available,
    },
    requeueAfterMs: readiness.nextInMs,
  }
}

function hasAllLabels({ spec }: ReplicaSet, pod: Pod): boolean {
  return labelsMatch(spec.template.metadata?.labels, pod.metadata.labels)
}

function addPods(replicaSet: ReplicaSet, count: number): { actions: Action[]; notes: Note[] } {
  const { name = '', namespace } = replicaSet.metadata
  const owner = ownerReferenceTo(REPLICA_SETS, replicaSet)
  const { template } = replicaSet.spec
  const object = podFromTemplate({ template, owner, namespace, generateName: `${name}-` })
  const actions: Action[] = Array.from({ length: count }, () => ({ kind: 'Create', type: PODS, object }))
  const message = `Created ${count} ${count === 1 ? 'pod' : 'pods'}`
  return { actions, notes: count === 0 ? [] : [{ type: 'Normal', reason: 'SuccessfulCreate', message }] }
}

function removePods(active: readonly Pod[], count: number): { actions: Action[]; notes: Note[] } {
  const going = active.toSorted(byDisposability(active)).slice(0, count)
  return {
    actions: going.map((object) => ({ kind: 'Delete', type: PODS, object })),
    notes: going.map(({ metadata }) => ({
      type: 'Normal',
      reason: 'SuccessfulDelete',
      message: `Deleted pod: ${metadata.name}`,
    })),
  }
}

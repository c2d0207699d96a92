/**
 * What a Deployment needs next [k8s deployment controller]. In order:
 *
 *   1. the ReplicaSet of the present template is found by comparing templates, or made (unless paused)
 *   2. revisions: the present one has the highest number, also after a rollback
 *   3. scaling: Recreate ends all old pods first; RollingUpdate keeps within maxSurge and maxUnavailable
 *   4. ReplicaSets beyond the history limit go, once the rollout is complete
 *   5. status, with the conditions that end `kubectl rollout status`
 */

import type { Action, Note, Plan } from '../engine/plan.ts'
import { DEPLOYMENTS, type Deployment, REPLICA_SETS, type ReplicaSet } from '../kinds.ts'
import { isTerminating, ownerReferenceTo } from '../objects/pods.ts'
import { sameTemplate, TEMPLATE_HASH_LABEL, templateHash } from '../objects/template-hash.ts'
import {
  DESIRED_REPLICAS,
  desiredOf,
  limitsOf,
  MAX_REPLICAS,
  REVISION,
  revisionOf,
  specReplicas,
  sumOf,
} from './deployment-facts.ts'
import { planDeploymentStatus } from './deployment-status.ts'
import { planScales } from './plan-scales.ts'

export interface ObservedDeployment {
  readonly deployment: Deployment
  /** The ReplicaSets that it controls. */
  readonly replicaSets: readonly ReplicaSet[]
  /** Pods of old ReplicaSets that still exist, ending or not: Recreate waits for them. */
  readonly oldPodsLeft: (current: ReplicaSet | undefined) => number
}

export function planDeployment(observed: ObservedDeployment, now: number): Plan {
  const { deployment } = observed
  if (isTerminating(deployment)) return { actions: [], notes: [] }
  const replicaSets = observed.replicaSets.filter((one) => !isTerminating(one)).toSorted(byAge)
  const current = replicaSets.find(({ spec }) => sameTemplate(spec.template, deployment.spec.template))
  const old = replicaSets.filter((one) => one !== current)
  const revision = String(Math.max(0, ...old.map(revisionOf)) + 1)
  const wanted = current === undefined ? revision : String(Math.max(Number(revision), revisionOf(current)))
  const status = planDeploymentStatus({ deployment, current, replicaSets }, now)
  const made = current === undefined ? createCurrent(observed, old, wanted) : NONE
  const scaled = planScales({ deployment, current, old, oldPodsLeft: observed.oldPodsLeft(current) })
  return {
    actions: [
      ...made.actions,
      ...(current === undefined ? [] : markCurrent(deployment, current, wanted)),
      ...scaled.actions,
      ...cleanUp(deployment, old, status.isComplete),
      ...markDeployment(deployment, deployment.spec.paused && current === undefined ? undefined : wanted),
    ],
    notes: [...made.notes, ...scaled.notes],
    status: status.status,
    requeueAfterMs: status.requeueAfterMs,
  }
}

const NONE: { actions: Action[]; notes: Note[] } = { actions: [], notes: [] }

function byAge(a: ReplicaSet, b: ReplicaSet): number {
  const order = (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? '')
  return order === 0 ? (a.metadata.name ?? '').localeCompare(b.metadata.name ?? '') : order
}

function createCurrent(
  { deployment, oldPodsLeft }: ObservedDeployment,
  old: readonly ReplicaSet[],
  revision: string,
): { actions: Action[]; notes: Note[] } {
  const { spec, metadata } = deployment
  if (spec.paused) return NONE
  const hash = templateHash(spec.template)
  const name = `${(metadata.name ?? '').slice(0, 240)}-${hash}`
  const replicas = firstReplicas(deployment, old, oldPodsLeft(undefined))
  const labels = { ...spec.template.metadata?.labels, [TEMPLATE_HASH_LABEL]: hash }
  const object: ReplicaSet = {
    metadata: {
      name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      labels,
      annotations: { ...ownAnnotations(deployment), ...scaleAnnotations(deployment), [REVISION]: revision },
      ownerReferences: [ownerReferenceTo(DEPLOYMENTS, deployment)],
    },
    spec: {
      replicas,
      ...(spec.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
      selector: { ...spec.selector, matchLabels: { ...spec.selector.matchLabels, [TEMPLATE_HASH_LABEL]: hash } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  }
  const message = `Scaled up replica set ${name} from 0 to ${replicas}`
  const notes: Note[] = replicas > 0 ? [{ type: 'Normal', reason: 'ScalingReplicaSet', message }] : []
  return { actions: [{ kind: 'Create', type: REPLICA_SETS, object }], notes }
}

/** As many as the surge leaves room for; with Recreate none while old pods exist. */
function firstReplicas(deployment: Deployment, old: readonly ReplicaSet[], oldPods: number): number {
  const desired = desiredOf(deployment)
  const { type, maxSurge } = limitsOf(deployment)
  const existing = sumOf(old, specReplicas)
  if (type === 'Recreate') return existing + oldPods > 0 ? 0 : desired
  return Math.max(0, Math.min(desired, desired + maxSurge - existing))
}

/** The cause of a change goes with the ReplicaSet: `kubectl rollout history` shows it from there. */
function ownAnnotations({ metadata }: Deployment): Record<string, string> {
  const { [REVISION]: _, [LAST_APPLIED]: __, ...others } = metadata.annotations ?? {}
  return others
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

function scaleAnnotations(deployment: Deployment): Record<string, string> {
  const desired = desiredOf(deployment)
  return { [DESIRED_REPLICAS]: `${desired}`, [MAX_REPLICAS]: `${desired + limitsOf(deployment).maxSurge}` }
}

/** The revision history of a ReplicaSet that becomes the present one again. */
const HISTORY = 'deployment.kubernetes.io/revision-history'

function markCurrent(deployment: Deployment, current: ReplicaSet, revision: string): Action[] {
  const before = current.metadata.annotations ?? {}
  const former = before[REVISION]
  const moved = former !== undefined && former !== revision
  const history = moved ? { [HISTORY]: [before[HISTORY], former].filter(Boolean).join(',') } : {}
  const annotations = {
    ...before,
    ...ownAnnotations(deployment),
    ...scaleAnnotations(deployment),
    ...history,
    [REVISION]: revision,
  }
  return [{ kind: 'Patch', type: REPLICA_SETS, object: current, metadata: { annotations } }]
}

function markDeployment(deployment: Deployment, revision: string | undefined): Action[] {
  if (revision === undefined) return []
  const annotations = { ...deployment.metadata.annotations, [REVISION]: revision }
  return [{ kind: 'Patch', type: DEPLOYMENTS, object: deployment, metadata: { annotations } }]
}

function cleanUp({ spec }: Deployment, old: readonly ReplicaSet[], isComplete: boolean): Action[] {
  if (!isComplete) return []
  const idle = old.filter((one) => specReplicas(one) === 0 && (one.status?.replicas ?? 0) === 0)
  const surplus = idle.length - (spec.revisionHistoryLimit ?? 10)
  if (surplus <= 0) return []
  const oldest = idle.toSorted((a, b) => revisionOf(a) - revisionOf(b)).slice(0, surplus)
  return oldest.map((object) => ({ kind: 'Delete', type: REPLICA_SETS, object }))
}

/** What the controllers ask about pods. */

import type { KubeObject, OwnerReference } from '../../api/resource.ts'
import { apiVersionOf, type ResourceType } from '../../api/resource.ts'
import { parseTimestamp } from '../../api/timestamp.ts'
import { earliest } from '../engine/plan.ts'
import type { Condition, Pod, PodTemplate } from '../kinds.ts'

export function isTerminating({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined
}

export function isFinished({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}

/** Counts against what its controller wants. */
export function isActive(pod: Pod): boolean {
  return !isTerminating(pod) && !isFinished(pod)
}

export function conditionOf(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type)
}

export function isReady({ status }: Pod): boolean {
  return conditionOf(status?.conditions, 'Ready')?.status === 'True'
}

/** Epoch milliseconds; undefined when the pod is not Ready. */
export function readySince({ status }: Pod): number | undefined {
  const condition = conditionOf(status?.conditions, 'Ready')
  if (condition?.status !== 'True') return undefined
  return parseTimestamp(condition.lastTransitionTime ?? '') ?? 0
}

/** Milliseconds until a ready pod counts as available; 0 when it does, undefined when it is not ready. */
export function availableInMs(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  const since = readySince(pod)
  if (since === undefined) return undefined
  return minReadySeconds === 0 ? 0 : Math.max(0, since + minReadySeconds * 1000 - now)
}

export interface Readiness {
  readonly ready: number
  readonly available: number
  /** When the next ready pod becomes available. */
  readonly nextInMs: number | undefined
}

export function readinessOf(pods: readonly Pod[], minReadySeconds: number, now: number): Readiness {
  const waits = pods.map((pod) => availableInMs(pod, minReadySeconds, now)).filter((wait) => wait !== undefined)
  const later = waits.filter((wait) => wait > 0)
  return {
    ready: waits.length,
    available: waits.length - later.length,
    nextInMs: earliest(...later),
  }
}

export function controllerRef({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)
}

/** Owns what it creates, and is its controller. */
export function ownerReferenceTo(type: ResourceType, { metadata }: KubeObject): OwnerReference {
  const { name = '', uid = '' } = metadata
  return { apiVersion: apiVersionOf(type), kind: type.kind, name, uid, controller: true, blockOwnerDeletion: true }
}

export interface PodFromTemplate {
  readonly template: PodTemplate
  readonly owner: OwnerReference
  readonly namespace: string | undefined
  /** Exactly one of the two. */
  readonly name?: string
  readonly generateName?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly spec?: Partial<Pod['spec']>
}

/** A pod as its controller makes it. */
export function podFromTemplate(input: PodFromTemplate): Pod {
  const { template, owner, namespace, name, generateName } = input
  return {
    metadata: {
      ...(namespace === undefined ? {} : { namespace }),
      ...(name === undefined ? {} : { name }),
      ...(generateName === undefined ? {} : { generateName }),
      labels: { ...template.metadata?.labels, ...input.labels },
      annotations: { ...template.metadata?.annotations, ...input.annotations },
      ownerReferences: [owner],
    },
    spec: { ...template.spec, ...input.spec },
  }
}

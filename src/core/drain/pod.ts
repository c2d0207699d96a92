/** What a drain asks about a pod. */
import type { OwnerReference } from '../../api/resource.ts'
import { parseTimestamp } from '../../api/timestamp.ts'
import type { DrainPod, PodRef } from './model.ts'

const CRITICAL_CLASSES: ReadonlySet<string> = new Set(['system-cluster-critical', 'system-node-critical'])

export function podName({ metadata }: DrainPod): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`
}

export function refOfPod({ metadata }: DrainPod): PodRef {
  return { namespace: metadata.namespace ?? '', name: metadata.name ?? '', uid: metadata.uid ?? '' }
}

export function isMirror({ metadata }: DrainPod): boolean {
  return metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined
}

export function isFinished({ status }: DrainPod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}

export function isTerminating({ metadata }: DrainPod): boolean {
  return metadata.deletionTimestamp !== undefined
}

/** Its grace period is over: a kubelet that worked would have removed it. `deletionTimestamp` includes the grace [doc]. */
export function isOverdue({ metadata }: DrainPod, now: number): boolean {
  const due = parseTimestamp(metadata.deletionTimestamp ?? '')
  return due !== undefined && due <= now
}

export function controllerOf({ metadata }: DrainPod): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)
}

/** The cluster's own services depend on it: it leaves last. */
export function isCritical({ spec }: DrainPod): boolean {
  return CRITICAL_CLASSES.has(spec?.priorityClassName ?? '')
}

export function hasEmptyDir({ spec }: DrainPod): boolean {
  return (spec?.volumes ?? []).some(({ emptyDir }) => emptyDir !== undefined)
}

/** `namespace/claim` of each volume that has to be detached from one node before it can be attached to another. */
export function claimsOf({ metadata, spec }: DrainPod): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [`${metadata.namespace}/${persistentVolumeClaim.claimName}`]
    return ephemeral === undefined ? [] : [`${metadata.namespace}/${metadata.name}-${name}`]
  })
}

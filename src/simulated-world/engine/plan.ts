/** What every planner of the simulated world answers: what to do, what to say about it, and when to look again. */
import type { KubeObject, ResourceType } from '../../api/resource.ts'
import type { DesiredMetadata } from '../../kube/fenced-patch.ts'
import type { Pod } from '../kinds.ts'

export interface CreateObject {
  readonly kind: 'Create'
  readonly type: ResourceType
  /** With `generateName` instead of a name the executor adds five random characters. */
  readonly object: KubeObject
}

export interface DeleteObject {
  readonly kind: 'Delete'
  readonly type: ResourceType
  /** Only the very object that was observed is deleted, by its UID. */
  readonly object: KubeObject
  /** Absent: the object's own. 0: at once, what a kubelet says when the containers are gone. */
  readonly gracePeriodSeconds?: number
}

export interface PatchObject {
  readonly kind: 'Patch'
  readonly type: ResourceType
  readonly object: KubeObject
  readonly metadata?: DesiredMetadata
  readonly spec?: object
}

export interface PatchStatus {
  readonly kind: 'PatchStatus'
  readonly type: ResourceType
  readonly object: KubeObject
  readonly status: object
}

export interface ReplaceObject {
  readonly kind: 'Replace'
  readonly type: ResourceType
  /** Carries the resourceVersion that was observed. */
  readonly object: KubeObject
}

/** Gives the pod to the node, for good. */
export interface BindPod {
  readonly kind: 'Bind'
  readonly pod: Pod
  readonly node: string
}

export type Action = CreateObject | DeleteObject | PatchObject | PatchStatus | ReplaceObject | BindPod

/** Becomes an Event. */
export interface Note {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  /** Default: the object that the pass is about. */
  readonly about?: KubeObject
}

export interface Plan {
  readonly actions: readonly Action[]
  readonly notes: readonly Note[]
  /** The wanted status of the object that the pass is about; no difference, no write. */
  readonly status?: object
  readonly requeueAfterMs?: number | undefined
}

export const NOTHING: Plan = { actions: [], notes: [] }

/** The earlier of two moments to look again, in milliseconds from now. */
export function earliest(...waits: ReadonlyArray<number | undefined>): number | undefined {
  const given = waits.filter((wait) => wait !== undefined)
  return given.length === 0 ? undefined : Math.max(0, Math.min(...given))
}

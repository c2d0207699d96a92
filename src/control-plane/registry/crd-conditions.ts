/** The conditions and finalizer that say where a CRD is in its life. */
import type { StoredObject } from './resource-definition.ts'

export const CRD_RESOURCE = 'customresourcedefinitions.apiextensions.k8s.io'
/** Holds a deleted CRD until its instances are gone. */
export const CRD_CLEANUP = 'customresourcecleanup.apiextensions.k8s.io'

export interface CrdCondition {
  readonly type: 'Established' | 'NamesAccepted' | 'Terminating'
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

interface StoredCondition extends CrdCondition {
  readonly lastTransitionTime: string
}

/** Sets a condition in `status.conditions` in place; its time moves only when its status does. */
export function setCrdCondition(crd: StoredObject, condition: CrdCondition, time: string): void {
  const status = (crd['status'] ?? {}) as { conditions?: StoredCondition[] }
  const conditions = [...(status.conditions ?? [])]
  const at = conditions.findIndex(({ type }) => type === condition.type)
  const before = conditions[at]
  const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : time
  const { type, status: state, reason, message } = condition
  const next: StoredCondition = { lastTransitionTime, message, reason, status: state, type }
  if (before === undefined) conditions.push(next)
  else conditions[at] = next
  crd['status'] = { ...status, conditions }
}

export function terminateCrd(crd: StoredObject, time: string): void {
  const finalizers = crd.metadata.finalizers ?? []
  if (!finalizers.includes(CRD_CLEANUP)) crd.metadata.finalizers = [...finalizers, CRD_CLEANUP]
  setCrdCondition(
    crd,
    {
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    },
    time,
  )
}

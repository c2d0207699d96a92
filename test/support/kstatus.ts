/**
 * How GitOps tools read the state of an object: the published rules of kstatus for custom resources, in their order. Deleted
 * objects are Terminating; a status of an older spec is InProgress; then Reconciling, Stalled, Ready. Without conditions: Current.
 */
export type KStatus = 'Current' | 'InProgress' | 'Failed' | 'Terminating' | 'NotFound'

export interface KStatusObject {
  readonly metadata: { readonly generation?: number; readonly deletionTimestamp?: string }
  readonly status?: {
    readonly observedGeneration?: number
    readonly conditions?: readonly KStatusCondition[]
  }
}

export interface KStatusCondition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
}

export function kstatus(object: KStatusObject | undefined): KStatus {
  if (object === undefined) return 'NotFound'
  const { metadata, status } = object
  if (metadata.deletionTimestamp !== undefined) return 'Terminating'
  if (status?.observedGeneration !== undefined && status.observedGeneration !== metadata.generation) return 'InProgress'
  const is = (type: string, value: string) =>
    status?.conditions?.some((condition) => condition.type === type && condition.status === value) === true
  if (is('Reconciling', 'True')) return 'InProgress'
  if (is('Stalled', 'True')) return 'Failed'
  // Of a kind that has a Ready condition, anything but True is on its way: only Stalled means that it will never be.
  if (is('Ready', 'False') || is('Ready', 'Unknown')) return 'InProgress'
  return 'Current'
}

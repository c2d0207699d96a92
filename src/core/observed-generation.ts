/** Tools take a status of an older generation for unfinished: a spec that needs nothing done is acknowledged all the same. */
import type { KubeObject } from '../api/resource.ts'

/** A status nobody has written yet stays unwritten, and one of an object that is going away is of no interest any more. */
export function acknowledged<S extends { observedGeneration?: number }>({ metadata }: KubeObject, status: S): S {
  const { generation, deletionTimestamp } = metadata
  if (status.observedGeneration === undefined || generation === undefined || deletionTimestamp !== undefined)
    return status
  return status.observedGeneration === generation ? status : { ...status, observedGeneration: generation }
}

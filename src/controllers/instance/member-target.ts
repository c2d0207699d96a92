/** Which member a backend is asked about: what the instance was created with, never what its pool says now. */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { Backend, MemberTarget } from '../../backends/backend.ts'
import type { ControllerDeps } from '../deps.ts'

/** A member whose backend this operator has. */
export interface ServedMember {
  readonly target: MemberTarget
  readonly backend: Backend
}

export interface Member {
  readonly target: MemberTarget
  /** Undefined: this operator does not have the backend. */
  readonly backend: Backend | undefined
}

/** Undefined: nothing was ever made, as it is not even recorded what with. */
export function memberOf(deps: ControllerDeps, instance: ClusterInstance): Member | undefined {
  const backend = instance.status?.createdWith?.backend ?? instance.spec.backend
  const cluster = instance.status?.createdWith?.cluster ?? instance.spec.cluster
  if (backend === undefined || cluster === undefined) return undefined
  const { namespace = '', name = '', uid = '' } = instance.metadata
  return { target: { namespace, name, uid, backend, cluster }, backend: deps.backends.get(backend.type) }
}

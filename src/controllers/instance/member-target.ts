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

/** Undefined: that is not recorded yet, and nothing was made. */
export function madeWith({ spec, status }: ClusterInstance): Pick<MemberTarget, 'backend' | 'cluster'> | undefined {
  const backend = status?.createdWith?.backend ?? spec.backend
  const cluster = status?.createdWith?.cluster ?? spec.cluster
  return backend === undefined || cluster === undefined ? undefined : { backend, cluster }
}

/** Undefined: nothing was ever made, as it is not even recorded what with. */
export function memberOf(deps: ControllerDeps, instance: ClusterInstance): Member | undefined {
  const made = madeWith(instance)
  if (made === undefined) return undefined
  const { backend, cluster } = made
  const { namespace = '', name = '', uid = '' } = instance.metadata
  return { target: { namespace, name, uid, backend, cluster }, backend: deps.backends.get(backend.type) }
}

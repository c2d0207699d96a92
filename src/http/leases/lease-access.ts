/** Whether the cluster of a lease may be used right now, and which one it is. Both sides of the binding have to agree. */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { CLUSTER_INSTANCES } from '../../api/v1alpha1/resources.ts'
import { getIfPresent } from '../../kube/get-if-present.ts'
import type { HttpDeps } from '../deps.ts'

export type BindingProblem =
  | 'binding_missing'
  | 'binding_lease_mismatch'
  | 'cluster_name_mismatch'
  | 'instance_not_found'
  | 'instance_uid_mismatch'
  | 'instance_phase_mismatch'
  | 'lease_ref_mismatch'
  | 'reciprocal_binding_mismatch'

export type Access =
  | { readonly ok: true; readonly instance: ClusterInstance }
  | { readonly ok: false; readonly code: BindingProblem }

export interface LeaseAccess {
  /** Answers from the cache; asks the API server when the cache says no, for it may lag behind the lease. */
  resolve(lease: ClusterLease): Promise<Access>
}

type Deps = Pick<HttpDeps, 'client' | 'namespace'> & { readonly cache: HttpDeps['caches']['instances'] }

export function createLeaseAccess({ client, cache, namespace }: Deps): LeaseAccess {
  return {
    async resolve(lease) {
      const name = lease.status?.binding?.instance.name
      if (name === undefined) return { ok: false, code: 'binding_missing' }
      const cached = checkBinding(lease, cache.get(namespace, name))
      return cached.ok ? cached : checkBinding(lease, await fresh(client, namespace, name))
    },
  }
}

async function fresh(
  client: HttpDeps['client'],
  namespace: string,
  name: string,
): Promise<ClusterInstance | undefined> {
  return await getIfPresent(client, CLUSTER_INSTANCES, { name, namespace })
}

/** An edited or deleted pool plays no part: a live lease keeps what it was given. */
export function checkBinding(lease: ClusterLease, instance: ClusterInstance | undefined): Access {
  const binding = lease.status?.binding
  if (binding === undefined) return { ok: false, code: 'binding_missing' }
  if (binding.lease.uid !== lease.metadata.uid) return { ok: false, code: 'binding_lease_mismatch' }
  if (lease.status?.clusterName !== binding.instance.name) return { ok: false, code: 'cluster_name_mismatch' }
  if (instance === undefined) return { ok: false, code: 'instance_not_found' }
  if (instance.metadata.uid !== binding.instance.uid) return { ok: false, code: 'instance_uid_mismatch' }
  const problem = checkInstance(lease, instance)
  return problem === undefined ? { ok: true, instance } : { ok: false, code: problem }
}

/** A leased instance that is being deleted waits for its lease, so deletion alone takes nothing away. */
function checkInstance(lease: ClusterLease, { status }: ClusterInstance): BindingProblem | undefined {
  if (status?.phase !== 'Leased') return 'instance_phase_mismatch'
  if (status.leaseRef?.name !== lease.metadata.name || status.leaseRef?.uid !== lease.metadata.uid)
    return 'lease_ref_mismatch'
  if (status.binding?.bindingId !== lease.status?.binding?.bindingId) return 'reciprocal_binding_mismatch'
  return undefined
}

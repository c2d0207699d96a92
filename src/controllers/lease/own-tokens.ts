/** Connect tokens that this process made or deleted and its cache of Secrets may not show yet, by UID of the lease. */
import type { Secret } from '../../api/core-resources.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { CLUSTER_LEASES } from '../../api/v1alpha1/resources.ts'
import type { Informer } from '../../kube/informer.ts'

export interface OwnTokens {
  created(lease: string): void
  deleted(lease: string): void
  /** Undefined: the cache knows. */
  exists(lease: string): boolean | undefined
}

export function createOwnTokens(secrets: Informer<Secret>, leases: Informer<ClusterLease>): OwnTokens {
  const known = new Map<string, boolean>()
  secrets.on(({ type, object }) => {
    for (const { kind, uid } of object.metadata.ownerReferences ?? []) {
      // A late sight of the creation says nothing about our deletion after it.
      if (kind === CLUSTER_LEASES.kind && (type === 'DELETED' || known.get(uid) === true)) known.delete(uid)
    }
  })
  leases.on(({ type, object }) => {
    if (type === 'DELETED') known.delete(object.metadata.uid ?? '')
  })
  return {
    created: (lease) => {
      known.set(lease, true)
    },
    deleted: (lease) => {
      known.set(lease, false)
    },
    exists: (lease) => known.get(lease),
  }
}

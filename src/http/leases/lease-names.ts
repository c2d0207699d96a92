/** Names of leases, found by something that never changes of one. */
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'

export interface LeaseNames {
  of(key: string): readonly string[]
  add(lease: ClusterLease): void
  /** The lease is gone. */
  remove(lease: ClusterLease): void
}

export function createLeaseNames(keyOf: (lease: ClusterLease) => string): LeaseNames {
  const names = new Map<string, Set<string>>()
  return {
    of: (key) => [...(names.get(key) ?? [])],
    add(lease) {
      const key = keyOf(lease)
      const { name = '' } = lease.metadata
      const held = names.get(key)
      if (held === undefined) names.set(key, new Set([name]))
      else held.add(name)
    },
    remove(lease) {
      const key = keyOf(lease)
      const held = names.get(key)
      held?.delete(lease.metadata.name ?? '')
      if (held?.size === 0) names.delete(key)
    },
  }
}

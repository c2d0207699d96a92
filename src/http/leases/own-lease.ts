/** A lease of the caller by id. A missing one and somebody else's get the same answer. */
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { type Principal, principalKey, requesterKey } from '../auth/principal.ts'
import { ApiError } from '../errors.ts'
import { OBJECT_NAME } from '../read-object.ts'
import type { LeaseStore } from './lease-store.ts'

export async function ownLease(store: LeaseStore, principal: Principal, id: string): Promise<ClusterLease> {
  // What no object can be called is not asked for.
  return requireOwn(OBJECT_NAME.test(id) ? await store.find(id) : undefined, principal)
}

/** The same without asking the API server. */
export function ownLeaseNow(store: LeaseStore, principal: Principal, id: string): ClusterLease {
  return requireOwn(store.peek(id), principal)
}

function requireOwn(lease: ClusterLease | undefined, principal: Principal): ClusterLease {
  if (lease !== undefined && requesterKey(lease.spec.requester) === principalKey(principal)) return lease
  throw new ApiError('lease_not_found', { detail: 'You have no such lease; GET /v1/leases lists yours', field: 'id' })
}

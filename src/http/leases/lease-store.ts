/** Leases as this replica knows them, found by who asked for them and by their pool too. */
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { CLUSTER_LEASES } from '../../api/v1alpha1/resources.ts'
import { requesterKey } from '../auth/principal.ts'
import { createObjectStore, type ObjectStore, type ObjectStoreDeps } from '../object-store.ts'
import { createLeaseNames } from './lease-names.ts'

export interface LeaseStore extends ObjectStore<ClusterLease> {
  /** Those of one principal, `principalKey`. */
  ofRequester(key: string): ClusterLease[]
  ofPool(pool: string): ClusterLease[]
  /** Every lease that exists at this resourceVersion, and is not gone since, is known here. Empty: none can be named. */
  knownUpTo(): string
}

export type LeaseStoreDeps = Omit<ObjectStoreDeps<ClusterLease>, 'type'>

const requesterOf = ({ spec }: ClusterLease): string => requesterKey(spec.requester)
const poolOf = ({ spec }: ClusterLease): string => spec.poolRef

export function createLeaseStore(deps: LeaseStoreDeps): LeaseStore {
  const byRequester = createLeaseNames(requesterOf)
  const byPool = createLeaseNames(poolOf)
  const store = createObjectStore<ClusterLease>(
    { ...deps, type: CLUSTER_LEASES },
    {
      appeared(lease) {
        for (const names of [byRequester, byPool]) names.add(lease)
      },
      vanished(lease) {
        for (const names of [byRequester, byPool]) names.remove(lease)
      },
    },
  )
  const named = (names: Iterable<string>): ClusterLease[] =>
    [...names].map(store.peek).filter((lease) => lease !== undefined)
  return {
    ...store,
    ofRequester: (key) => named(byRequester.of(key)).filter((lease) => requesterOf(lease) === key),
    ofPool: (pool) => named(byPool.of(pool)).filter((lease) => poolOf(lease) === pool),
    knownUpTo: () => deps.cache.lastResourceVersion?.() ?? '',
  }
}

/**
 * What a pass over a lease would see now, without the memory of the controller: for explanations and plans, which any replica
 * makes. Who was served when is read off the leases that are there; of diagnostics that are being made nothing is known.
 */
import { parseTimestamp } from '../../api/timestamp.ts'
import type { LeaseObserved } from '../../core/lease/observed.ts'
import { requesterKey } from '../../core/lease/queue.ts'
import { BY_POOL, type ControllerDeps } from '../deps.ts'
import { createHolders } from './holders.ts'
import { observeLease } from './observe.ts'
import { createPoolQueues } from './pool-queues.ts'

/** Undefined: the caches do not have the lease. Costs a look at every lease. */
export async function lookAtLease(
  deps: ControllerDeps,
  ref: { readonly namespace: string; readonly name: string },
): Promise<LeaseObserved | undefined> {
  const lease = deps.caches.leases.get(ref.namespace, ref.name)
  if (lease === undefined) return undefined
  const holders = createHolders(deps)
  const lastServed = lastServedIn(deps, lease.spec.poolRef)
  // It is told of every lease that is there, and of nothing after that.
  holders.follow()()
  return await observeLease(deps, { holders, lastServed, queues: createPoolQueues(deps, { lastServed, holders }) }, ref)
}

function lastServedIn({ caches }: ControllerDeps, pool: string): ReadonlyMap<string, number> {
  const served = new Map<string, number>()
  for (const lease of caches.leases.byIndex(BY_POOL, pool)) {
    const at = parseTimestamp(lease.status?.boundAt ?? '')
    const key = requesterKey(lease)
    if (at !== undefined) served.set(key, Math.max(at, served.get(key) ?? 0))
  }
  return served
}

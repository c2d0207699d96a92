/** Who gets which free member. The whole queue is matched in order, so a head that cannot use what is free blocks nobody. */
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import type { Candidate } from './candidates.ts'
import { requesterKey } from './queue.ts'
import { createSupply } from './supply.ts'

/** How many more members the requester of a lease may hold; undefined: no limit. */
export type Allowance = (lease: ClusterLease) => number | undefined

/**
 * Matches the queue, in order, with the candidates, best first; a lease without a usable one is left out, and so is one whose
 * requester holds all it may: neither blocks those behind it. Two leases never go for the same member.
 */
export function assign(
  queue: readonly ClusterLease[],
  candidates: Iterable<Candidate>,
  allowance: Allowance = () => undefined,
): Map<string, Candidate> {
  const supply = createSupply(candidates)
  const matched = new Map<string, Candidate>()
  const given = new Map<string, number>()
  for (const lease of queue) {
    if (supply.isEmpty()) break
    const requester = requesterKey(lease)
    const before = given.get(requester) ?? 0
    const mayHave = before < (allowance(lease) ?? Number.POSITIVE_INFINITY)
    const candidate = mayHave ? supply.takeFor(lease) : undefined
    if (candidate === undefined) continue
    matched.set(lease.metadata.uid ?? '', candidate)
    given.set(requester, before + 1)
  }
  return matched
}

/** The free members of one pool in the order in which they are handed out; a change of one costs a search and not a sort. */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import { type Candidate, compareCandidates, toCandidate } from '../../core/lease/candidates.ts'

export interface SortedCandidates {
  /** Whether it was made for this pool on its present template: with another one the order is another. */
  isOf(pool: ClusterPool): boolean
  /** Best first. Not to be kept: it changes with the members. */
  all(): readonly Candidate[]
  /** Nothing happens when the member is not free. */
  add(instance: ClusterInstance): void
  remove(instance: ClusterInstance): void
}

export function createSortedCandidates(pool: ClusterPool, instances: readonly ClusterInstance[]): SortedCandidates {
  const sorted = instances.flatMap((instance) => toCandidate(pool, instance) ?? []).sort(compareCandidates)
  const byUid = new Map(sorted.map((candidate) => [candidate.uid, candidate]))

  const placeOf = (candidate: Candidate): number => {
    let from = 0
    let to = sorted.length
    while (from < to) {
      const middle = (from + to) >> 1
      const other = sorted[middle]
      if (other !== undefined && compareCandidates(other, candidate) < 0) from = middle + 1
      else to = middle
    }
    return from
  }
  return {
    isOf: ({ metadata, status }) =>
      metadata.uid === pool.metadata.uid && status?.currentSpecHash === pool.status?.currentSpecHash,
    all: () => sorted,
    add(instance) {
      const candidate = toCandidate(pool, instance)
      if (candidate === undefined) return
      byUid.set(candidate.uid, candidate)
      sorted.splice(placeOf(candidate), 0, candidate)
    },
    remove({ metadata }) {
      const candidate = byUid.get(metadata.uid ?? '')
      if (candidate === undefined) return
      byUid.delete(candidate.uid)
      // Of equal ones, as a test may make them, the very same.
      let place = placeOf(candidate)
      while (place < sorted.length && sorted[place] !== candidate) place += 1
      sorted.splice(place, 1)
    },
  }
}

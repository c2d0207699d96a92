/**
 * What the queue of a pool is put together from, kept up to date by the changes of the caches: a pool of thousands of members is
 * not gone through for every lease. Without following it is found anew each time, which is the same at another price.
 */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import { type Candidate, chosenBy, compareCandidates, isFree, toCandidate } from '../../core/lease/candidates.ts'
import { BY_POOL, type ControllerDeps } from '../deps.ts'
import { isPending } from './changes.ts'
import { createSortedCandidates, type SortedCandidates } from './sorted-candidates.ts'

export interface PoolParts {
  /** Every lease that waits or has begun a binding. */
  pending(pool: string): readonly ClusterLease[]
  /** Free members that none of `pending` has chosen, best first. */
  candidates(pool: ClusterPool, pending: readonly ClusterLease[]): Iterable<Candidate>
  instances(pool: string): readonly ClusterInstance[]
  /** Until the answer is called. */
  follow(): () => void
}

type Deps = Pick<ControllerDeps, 'caches' | 'own'>

export function createPoolParts({ caches, own }: Deps): PoolParts {
  const free = new Map<string, SortedCandidates>()
  const waiting = new Map<string, Map<string, ClusterLease>>()
  let isFollowing = false

  const freeOf = (pool: ClusterPool): SortedCandidates => {
    const name = pool.metadata.name ?? ''
    const known = free.get(name)
    if (known?.isOf(pool) === true) return known
    const made = createSortedCandidates(pool, caches.instances.byIndex(BY_POOL, name))
    if (isFollowing) free.set(name, made)
    return made
  }
  const leasesOf = (pool: string): Iterable<ClusterLease> =>
    isFollowing ? (waiting.get(pool)?.values() ?? []) : caches.leases.byIndex(BY_POOL, pool)

  return {
    pending: (pool) => Array.from(leasesOf(pool), (lease) => own.leases.latest(lease)).filter(isPending),
    candidates(pool, pending) {
      const chosen = chosenBy(pending)
      const ahead = aheadOf({ caches, own }, pool).sort(compareCandidates)
      return without(chosen, merged(asWritten(own, pool, freeOf(pool).all()), ahead))
    },
    instances: (pool) => caches.instances.byIndex(BY_POOL, pool).map((item) => own.instances.latest(item)),
    follow() {
      free.clear()
      waiting.clear()
      isFollowing = true
      const ends = [
        caches.leases.on(({ type, object, old }) => {
          forget(waiting, old)
          if (type !== 'DELETED' && isPending(object)) keep(waiting, object)
        }),
        caches.instances.on(({ type, object, old }) => {
          const candidates = free.get(object.spec.poolRef?.name ?? '')
          candidates?.remove(old ?? object)
          if (type !== 'DELETED') candidates?.add(object)
        }),
      ]
      return () => {
        isFollowing = false
        for (const end of ends) end()
      }
    },
  }
}

/** The cache may be behind a reservation of ours. */
function* asWritten(own: Deps['own'], pool: ClusterPool, candidates: Iterable<Candidate>): Iterable<Candidate> {
  for (const candidate of candidates) {
    const latest = own.instances.latest(candidate.instance)
    const now = latest === candidate.instance ? candidate : toCandidate(pool, latest)
    if (now !== undefined) yield now
  }
}

/** Both best first, and so is the answer: of a large pool no more is looked at than somebody asks for. */
function* merged(candidates: Iterable<Candidate>, few: readonly Candidate[]): Iterable<Candidate> {
  const rest = [...few]
  for (const candidate of candidates) {
    for (let [first] = rest; first !== undefined && compareCandidates(first, candidate) < 0; [first] = rest) {
      yield first
      rest.shift()
    }
    yield candidate
  }
  yield* rest
}

function* without(chosen: ReadonlySet<string>, candidates: Iterable<Candidate>): Iterable<Candidate> {
  for (const candidate of candidates) if (!chosen.has(candidate.uid)) yield candidate
}

/** Members that became free by a write of ours which the cache does not show yet. */
function aheadOf({ caches, own }: Deps, pool: ClusterPool): Candidate[] {
  const ahead: Candidate[] = []
  for (const { metadata, spec } of own.instances.recorded()) {
    if (spec.poolRef?.name !== pool.metadata.name) continue
    const cached = caches.instances.get(metadata.namespace, metadata.name ?? '')
    if (cached === undefined || cached.metadata.uid !== metadata.uid || isFree(cached)) continue
    const candidate = toCandidate(pool, own.instances.latest(cached))
    if (candidate !== undefined) ahead.push(candidate)
  }
  return ahead
}

type ByPool = Map<string, Map<string, ClusterLease>>

function keep(waiting: ByPool, lease: ClusterLease): void {
  const { poolRef } = lease.spec
  const held = waiting.get(poolRef) ?? new Map<string, ClusterLease>()
  held.set(lease.metadata.uid ?? '', lease)
  waiting.set(poolRef, held)
}

function forget(waiting: ByPool, lease: ClusterLease | undefined): void {
  if (lease === undefined) return
  const held = waiting.get(lease.spec.poolRef)
  held?.delete(lease.metadata.uid ?? '')
  if (held?.size === 0) waiting.delete(lease.spec.poolRef)
}

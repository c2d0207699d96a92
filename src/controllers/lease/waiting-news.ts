/**
 * How often a waiting lease is told something new. Each member that comes or goes can change why every lease of a queue waits,
 * and back again a moment later: told at once to all, a queue of hundreds would be nothing but writes. So the first few are told
 * at once, and each further one the less often the further back it is.
 */
import type { ClusterLease, LeaseStatus } from '../../api/v1alpha1/cluster-lease.ts'
import { isQueued } from '../../core/lease/queue.ts'
import type { Clock } from '../../kube/clock.ts'

export interface WaitingNews {
  /** How long this status has to wait, milliseconds; 0: it is to be written now. */
  holdMs(lease: ClusterLease, planned: LeaseStatus): number
  told(lease: ClusterLease): void
  forget(uid: string): void
}

/** These are about to be served, and hear everything. */
const FIRST = 3
const PER_PLACE_MS = 100
const LONGEST_MS = 30_000

export function createWaitingNews(clock: Pick<Clock, 'monotonic'>): WaitingNews {
  const toldAt = new Map<string, number>()
  return {
    holdMs(lease, planned) {
      const at = toldAt.get(lease.metadata.uid ?? '')
      if (at === undefined || !isNewsOnly(lease, planned)) return 0
      return Math.max(0, at + pauseOf(planned.queuePosition) - clock.monotonic())
    },
    told: ({ metadata }) => {
      toldAt.set(metadata.uid ?? '', clock.monotonic())
    },
    forget: (uid) => {
      toldAt.delete(uid)
    },
  }
}

const pauseOf = (position: number): number =>
  position <= FIRST ? 0 : Math.min(LONGEST_MS, (position - FIRST) * PER_PLACE_MS)

/** It waits as before, for another reason or at a better place. A worse place is said at once: it must not be understated. */
function isNewsOnly(lease: ClusterLease, planned: LeaseStatus): boolean {
  const waits = isQueued(lease) && planned.phase === 'Pending' && planned.binding === undefined
  return waits && planned.queuePosition <= (lease.status?.queuePosition ?? 0)
}

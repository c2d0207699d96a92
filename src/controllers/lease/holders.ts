/** Which leases hold a member or are about to, by requester: what counts against a quota, known without looking at every lease. */
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { isQueued, requesterKey } from '../../core/lease/queue.ts'
import type { ControllerDeps } from '../deps.ts'

export interface Holders {
  /** Of the same requester, this lease not counted; those that still wait do not count. */
  heldByOthers(lease: ClusterLease): number
  held(requester: string): number
  /** As this process has just written it. */
  note(lease: ClusterLease): void
  /**
   * Its choice of a member is being written right now: it counts already, and nobody else is to choose the same member.
   * `lease`: as it will be. The answer takes that back.
   */
  choosing(lease: ClusterLease): () => void
  /** The lease as it will be when the choice that is being written has landed; else as it is. */
  withChoice(lease: ClusterLease): ClusterLease
  /** Follows the cache until the answer is called. */
  follow(): () => void
}

export function createHolders({ caches, own }: Pick<ControllerDeps, 'caches' | 'own'>): Holders {
  const byRequester = new Map<string, Set<string>>()
  const choosing = new Map<string, ClusterLease>()

  const remove = (key: string, uid: string): void => {
    const uids = byRequester.get(key)
    uids?.delete(uid)
    if (uids?.size === 0) byRequester.delete(key)
  }
  const note = (lease: ClusterLease): void => {
    const { uid = '' } = lease.metadata
    const key = requesterKey(lease)
    const uids = byRequester.get(key)
    if (!holds(lease)) remove(key, uid)
    else if (uids === undefined) byRequester.set(key, new Set([uid]))
    else uids.add(uid)
  }
  const held = (key: string, except?: string): number => {
    const uids = byRequester.get(key)
    let count = (uids?.size ?? 0) - (except !== undefined && uids?.has(except) ? 1 : 0)
    for (const [uid, lease] of choosing) {
      if (uid !== except && !uids?.has(uid) && requesterKey(lease) === key) count += 1
    }
    return count
  }
  return {
    heldByOthers: (lease) => held(requesterKey(lease), lease.metadata.uid),
    held,
    note,
    choosing(lease) {
      const { uid = '' } = lease.metadata
      choosing.set(uid, lease)
      return () => choosing.delete(uid)
    },
    withChoice(lease) {
      const chosen = choosing.get(lease.metadata.uid ?? '')
      return chosen === undefined || !isQueued(lease) ? lease : chosen
    },
    follow() {
      byRequester.clear()
      return caches.leases.on(({ type, object }) => {
        if (type === 'DELETED') remove(requesterKey(object), object.metadata.uid ?? '')
        else note(own.leases.latest(object))
      })
    },
  }
}

function holds({ status }: ClusterLease): boolean {
  const { phase = 'Pending', binding } = status ?? {}
  return phase === 'Bound' || (phase === 'Pending' && binding !== undefined)
}

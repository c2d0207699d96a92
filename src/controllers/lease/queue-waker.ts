/**
 * Wakes waiting leases, however many changes come at once: in the same turn of the event loop those that a member falls to now;
 * a little later everybody in the queue, to learn a new place or another reason.
 */
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { objectKey } from '../../kube/object-key.ts'
import { BY_POOL, type ControllerDeps } from '../deps.ts'
import type { Controller } from '../engine/controller.ts'
import { isPending } from './changes.ts'
import type { PoolQueues } from './pool-queues.ts'

/** A queue tells its places so often at most; a long one less often, so that its passes stay a small part of the work. */
const PLACES_MS = 100
const PLACES_MS_PER_LEASE = 5
const PLACES_LONGEST_MS = 5_000
/** They are told a few at a time over that while: all at once would stand in the way of those that are being bound. */
const SLICE_MS = 25

export interface QueueWaker {
  wake(namespace: string | undefined, pool: string): void
  close(): void
}

type Deps = Pick<ControllerDeps, 'caches' | 'clock'>

export function createQueueWaker(
  { caches, clock }: Deps,
  queues: PoolQueues,
  controller: Pick<Controller, 'enqueue' | 'enqueueFirst'>,
): QueueWaker {
  const changed = new Map<string, string>()
  const uninformed = new Set<string>()
  let turn: NodeJS.Immediate | undefined
  let cancelTimer: (() => void) | undefined

  const enqueue = (lease: ClusterLease): void => controller.enqueue(objectKey(lease))
  const wakeServed = (): void => {
    turn = undefined
    for (const [pool, namespace] of changed) {
      const { pending, view } = queues.of(namespace, pool)
      const served = new Set(view.served())
      for (const lease of pending) if (served.has(lease.metadata.uid ?? '')) controller.enqueueFirst(objectKey(lease))
    }
    changed.clear()
  }
  const pauseMs = (): number => {
    let waiting = 0
    for (const pool of uninformed) waiting += queues.lengthOf(pool)
    return Math.min(PLACES_LONGEST_MS, Math.max(PLACES_MS, waiting * PLACES_MS_PER_LEASE))
  }
  let untold: ClusterLease[] = []
  let cancelSlice: (() => void) | undefined
  const wakeSlice = (size: number): void => {
    untold.splice(0, size).forEach(enqueue)
    cancelSlice = untold.length === 0 ? undefined : clock.setTimer(SLICE_MS, () => wakeSlice(size))
  }
  const wakeAll = (): void => {
    cancelTimer = undefined
    cancelSlice?.()
    const slices = pauseMs() / SLICE_MS
    const pools = [...uninformed]
    uninformed.clear()
    untold = pools.flatMap((pool) => {
      queues.outdated(pool)
      return caches.leases.byIndex(BY_POOL, pool).filter(isPending)
    })
    wakeSlice(Math.max(1, Math.ceil(untold.length / slices)))
  }
  return {
    wake(namespace = '', pool) {
      changed.set(pool, namespace)
      uninformed.add(pool)
      turn ??= setImmediate(wakeServed)
      cancelTimer ??= clock.setTimer(pauseMs(), wakeAll)
    },
    close() {
      clearImmediate(turn)
      cancelTimer?.()
      cancelSlice?.()
      turn = undefined
      cancelTimer = undefined
    },
  }
}

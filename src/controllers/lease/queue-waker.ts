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
  const wakeAll = (): void => {
    cancelTimer = undefined
    const pools = [...uninformed]
    uninformed.clear()
    for (const pool of pools) {
      queues.outdated(pool)
      caches.leases.byIndex(BY_POOL, pool).filter(isPending).forEach(enqueue)
    }
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
      turn = undefined
      cancelTimer = undefined
    },
  }
}

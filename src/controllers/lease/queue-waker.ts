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

/** A queue of thousands tells its places so often at most. */
const PLACES_MS = 100

export interface QueueWaker {
  wake(namespace: string | undefined, pool: string): void
  close(): void
}

type Deps = Pick<ControllerDeps, 'caches' | 'clock'>

export function createQueueWaker(
  { caches, clock }: Deps,
  queues: PoolQueues,
  controller: Pick<Controller, 'enqueue'>,
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
      for (const lease of pending) if (served.has(lease.metadata.uid ?? '')) enqueue(lease)
    }
    changed.clear()
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
      cancelTimer ??= clock.setTimer(PLACES_MS, wakeAll)
    },
    close() {
      clearImmediate(turn)
      cancelTimer?.()
      turn = undefined
      cancelTimer = undefined
    },
  }
}

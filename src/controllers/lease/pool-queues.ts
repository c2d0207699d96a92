/**
 * The queue of each pool, put together once and shared by the passes over its leases until something in it changes.
 *   somebody may get what he did not get before (a new or cancelled lease, a free member, a probe, a pool) -> made anew when asked for
 *   a waiting lease was told its place or why it waits -> the view stays as it is
 *   a lease took the member that fell to it -> the others keep theirs and only move up, so the view stays good for a moment
 * A burst of bindings then costs a few views, not several for each lease. What another controller wrote a moment ago and the
 * caches do not show yet is missing in it; the reservation of a member is a compare-and-swap and finds that out.
 */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import { type QueueView, viewQueue } from '../../core/lease/queue-view.ts'
import { once } from '../../core/once.ts'
import type { ControllerDeps } from '../deps.ts'
import { becameFree, poolMatters, tookMember, waitsAsBefore } from './changes.ts'
import type { Holders } from './holders.ts'
import { allowanceOf } from './policy.ts'
import { createPoolParts, type PoolParts } from './pool-parts.ts'

export interface PoolQueue {
  readonly pool: ClusterPool | undefined
  readonly pending: readonly ClusterLease[]
  /** Put together when it is asked for. */
  readonly instances: readonly ClusterInstance[]
  readonly view: QueueView
}

export interface PoolQueues {
  of(namespace: string, pool: string): PoolQueue
  /** How many leases waited when it was last looked at. */
  lengthOf(pool: string): number
  /** Something was written or learned that the caches do not tell. */
  outdated(pool: string): void
  /** A lease took what fell to it. */
  shrunk(pool: string): void
  /** Follows the caches until the answer is called. */
  follow(): () => void
}

interface Held {
  readonly queue: PoolQueue
  /** Epoch milliseconds. */
  readonly madeAt: number
  until: number
}

/** How long a view stays good after others took their members. */
const SHRUNK_MS = 25

export function createPoolQueues(
  deps: ControllerDeps,
  { lastServed, holders }: { readonly lastServed: ReadonlyMap<string, number>; readonly holders: Holders },
): PoolQueues {
  const held = new Map<string, Held>()
  const lengths = new Map<string, number>()
  const { caches, clock } = deps
  const parts = createPoolParts(deps)

  const make = (namespace: string, name: string): PoolQueue =>
    makeQueue({ deps, lastServed, holders, parts }, namespace, name)
  const outdated = (pool: string | undefined): void => {
    if (pool !== undefined) held.delete(pool)
  }
  const shrunk = (pool: string | undefined): void => {
    const known = pool === undefined ? undefined : held.get(pool)
    if (known !== undefined) known.until = Math.min(known.until, known.madeAt + SHRUNK_MS)
  }
  return {
    shrunk,
    of(namespace, name) {
      const known = held.get(name)
      if (known !== undefined && clock.now() < known.until) return known.queue
      const queue = make(namespace, name)
      if (queue.pending.length === 0) lengths.delete(name)
      else lengths.set(name, queue.pending.length)
      held.set(name, { queue, madeAt: clock.now(), until: Math.min(...queue.view.retryAt, Number.POSITIVE_INFINITY) })
      return queue
    },
    lengthOf: (pool) => lengths.get(pool) ?? 0,
    outdated,
    follow() {
      held.clear()
      const ends = [
        // What a view is made from comes before what outdates it.
        parts.follow(),
        caches.leases.on((change) => {
          if (change.type === 'MODIFIED' && waitsAsBefore(change.object, change.old)) return
          ;(tookMember(change) ? shrunk : outdated)(change.object.spec.poolRef)
        }),
        caches.instances.on(({ object, old }) =>
          (becameFree(object, old) ? outdated : shrunk)(object.spec.poolRef?.name),
        ),
        caches.pools.on(({ type, object, old }) => {
          if (type === 'DELETED' || poolMatters(object, old)) outdated(object.metadata.name)
        }),
        caches.policies.on(() => held.clear()),
      ]
      return () => {
        for (const end of ends) end()
      }
    },
  }
}

interface Sources {
  readonly deps: ControllerDeps
  readonly lastServed: ReadonlyMap<string, number>
  readonly holders: Holders
  readonly parts: PoolParts
}

function makeQueue({ deps, lastServed, holders, parts }: Sources, namespace: string, name: string): PoolQueue {
  const { caches, clock, own, probes } = deps
  const cached = caches.pools.get(namespace, name)
  const pool = cached === undefined ? undefined : own.pools.latest(cached)
  const pending = parts.pending(name)
  const instances = once(() => parts.instances(name))
  const input = {
    pool,
    pending,
    get instances() {
      return instances()
    },
    ...(pool === undefined ? {} : { candidates: parts.candidates(pool, pending.map(holders.withChoice)) }),
    // Leases of one second stand in the order of their names: without this a new one could push another off its choice.
    isChoosing: (lease: ClusterLease) => holders.withChoice(lease) !== lease,
    probes,
    lastServed,
    allowance: allowanceOf(deps, holders),
  }
  return Object.assign(input, { view: viewQueue(input, clock.now()) })
}

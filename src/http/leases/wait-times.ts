/**
 * What was measured of each pool: how long its clusters took to become Ready, and how long leases were held. Read off the objects
 * as they change, so every replica measures the same from its start on; nothing is written for it.
 */
import { parseTimestamp } from '../../api/timestamp.ts'
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import type { Caches } from '../deps.ts'
import { isSameNamespace } from '../namespace.ts'

/** Milliseconds, oldest first. */
export interface PoolTimes {
  readonly creations: readonly number[]
  readonly holds: readonly number[]
}

export interface WaitTimes {
  of(pool: string): PoolTimes
  /** Members of the pool. */
  members(pool: string): readonly ClusterInstance[]
  close(): void
}

/** As many of the last ones count: enough for a mean, few enough to follow a change. */
const KEPT = 50

interface Measured {
  readonly creations: number[]
  readonly holds: number[]
  /** By name. */
  readonly members: Map<string, ClusterInstance>
}

export function createWaitTimes(
  { instances, leases }: Pick<Caches, 'instances' | 'leases'>,
  namespace: string,
): WaitTimes {
  const pools = new Map<string, Measured>()
  // Of objects that are there: each is measured once.
  const counted = new Set<string>()
  const isOurs = isSameNamespace(namespace)
  const measured = (pool: string): Measured => {
    const known = pools.get(pool) ?? { creations: [], holds: [], members: new Map() }
    pools.set(pool, known)
    return known
  }
  const count = (uid: string | undefined, into: number[], took: number | undefined): void => {
    if (uid === undefined || took === undefined || took < 0 || counted.has(uid)) return
    counted.add(uid)
    into.push(took)
    if (into.length > KEPT) into.shift()
  }
  const unsubscribe = [
    instances.on(({ type, object }) => {
      if (!isOurs(object)) return
      const { name = '', uid = '' } = object.metadata
      const { creations, members } = measured(object.spec.poolRef?.name ?? '')
      count(uid, creations, creationMs(object))
      if (type !== 'DELETED') members.set(name, object)
      else {
        members.delete(name)
        counted.delete(uid)
      }
    }),
    leases.on(({ type, object }) => {
      if (!isOurs(object)) return
      const { uid = '' } = object.metadata
      count(uid, measured(object.spec.poolRef).holds, holdMs(object))
      if (type === 'DELETED') counted.delete(uid)
    }),
  ]
  return {
    of: (pool) => pools.get(pool) ?? { creations: [], holds: [] },
    members: (pool) => [...(pools.get(pool)?.members.values() ?? [])],
    close: () => {
      for (const stop of unsubscribe) stop()
    },
  }
}

function creationMs({ metadata, status }: ClusterInstance): number | undefined {
  return between(metadata.creationTimestamp, status?.readySince)
}

function holdMs({ status }: ClusterLease): number | undefined {
  return between(status?.boundAt, status?.endedAt)
}

function between(from: string | undefined, to: string | undefined): number | undefined {
  const start = parseTimestamp(from ?? '')
  const end = parseTimestamp(to ?? '')
  return start === undefined || end === undefined ? undefined : end - start
}

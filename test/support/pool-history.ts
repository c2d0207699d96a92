/** Every state of every instance, in the order of the server, and the invariants that must hold at each of them. */
import type { ClusterInstance } from '../../src/api/v1alpha1/cluster-instance.ts'
import { ConditionType, findCondition } from '../../src/api/v1alpha1/conditions.ts'
import { Finalizer } from '../../src/api/v1alpha1/labels.ts'
import type { Change } from '../../src/kube/informer.ts'

export interface PoolHistory {
  record(change: Change<ClusterInstance>): void
  /** What broke an invariant; empty when all held. */
  readonly violations: readonly string[]
  /** Names of all instances that ever were, with their UIDs. */
  readonly everSeen: ReadonlyMap<string, string>
  /** From now on a drift recycle must leave so many of the pool Ready. */
  floor(pool: string, ready: number): void
  /** Fewest Ready members of the pool at any moment since `floor` was called. */
  lowestReady(pool: string): number
  /** Instance names by lease UID, in the order of their binding. */
  readonly bindings: ReadonlyMap<string, readonly string[]>
}

const readyReason = ({ status }: ClusterInstance): string =>
  findCondition(status?.conditions, ConditionType.Ready)?.reason ?? ''

const USED: ReadonlySet<string> = new Set(['Leased', 'Recycling', 'Quarantined'])

export function createPoolHistory(): PoolHistory {
  const present = new Map<string, ClusterInstance>()
  const everSeen = new Map<string, string>()
  const used = new Set<string>()
  const bindings = new Map<string, string[]>()
  const violations: string[] = []
  const floors = new Map<string, number>()
  const lowest = new Map<string, number>()

  const readyOf = (pool: string): number =>
    [...present.values()].filter(
      ({ metadata, spec, status }) =>
        spec.poolRef?.name === pool && status?.phase === 'Ready' && metadata.deletionTimestamp === undefined,
    ).length

  function born(instance: ClusterInstance): void {
    const { name = '', uid = '', finalizers } = instance.metadata
    const before = everSeen.get(name)
    if (before !== undefined && before !== uid) violations.push(`the name ${name} was used a second time`)
    everSeen.set(name, uid)
    if (!finalizers?.includes(Finalizer.instanceCleanup)) violations.push(`I9: ${name} was made without our finalizer`)
  }

  function oneLease(instance: ClusterInstance): void {
    const { name = '' } = instance.metadata
    const lease = instance.status?.leaseRef?.uid
    if (lease === undefined || instance.status?.phase !== 'Leased') return
    const names = bindings.get(lease) ?? []
    if (!names.includes(name)) bindings.set(lease, [...names, name])
    const holders = [...present.values()].filter(
      ({ status }) => status?.phase === 'Leased' && status.leaseRef?.uid === lease,
    )
    if (holders.length > 1) violations.push(`I1: lease ${lease} holds ${holders.map((one) => one.metadata.name)}`)
  }

  function neverAgain(instance: ClusterInstance, old: ClusterInstance | undefined): void {
    const { name = '', uid = '' } = instance.metadata
    const phase = instance.status?.phase ?? 'Creating'
    if (USED.has(phase)) used.add(uid)
    else if (used.has(uid)) violations.push(`I2: ${name} is ${phase} again`)
    const lease = old?.status?.leaseRef?.uid
    const now = instance.status?.leaseRef?.uid
    if (lease !== undefined && lease !== now)
      violations.push(`I1: ${name} went from lease ${lease} to ${now ?? 'none'}`)
  }

  function floorHeld(instance: ClusterInstance, old: ClusterInstance | undefined): void {
    const pool = instance.spec.poolRef?.name ?? ''
    const ready = readyOf(pool)
    lowest.set(pool, Math.min(lowest.get(pool) ?? Number.POSITIVE_INFINITY, ready))
    const leftReady = old?.status?.phase === 'Ready' && instance.status?.phase === 'Recycling'
    const floor = floors.get(pool)
    if (leftReady && readyReason(instance) === 'DriftedReady' && floor !== undefined && ready < floor) {
      violations.push(`I5: drift recycle of ${instance.metadata.name} left ${ready} Ready, the floor is ${floor}`)
    }
  }

  return {
    violations,
    everSeen,
    bindings,
    record({ type, object, old }) {
      const { uid = '' } = object.metadata
      if (type === 'DELETED') present.delete(uid)
      else present.set(uid, object)
      if (type === 'ADDED') born(object)
      if (type === 'DELETED') return
      oneLease(object)
      neverAgain(object, old)
      floorHeld(object, old)
    },
    floor(pool, ready) {
      floors.set(pool, ready)
      lowest.set(pool, readyOf(pool))
    },
    lowestReady: (pool) => lowest.get(pool) ?? readyOf(pool),
  }
}

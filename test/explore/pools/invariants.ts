/**
 * What must hold in every state (I1 to I9 of the design), and of every plan of a pool (its rules 0 to 7). Written from the
 * contract on the bare objects, so that it shares no code with the planners that it judges.
 */

import type { ClusterInstance } from '../../../src/api/v1alpha1/cluster-instance.ts'
import type { ClusterPool } from '../../../src/api/v1alpha1/cluster-pool.ts'
import type { PoolAction } from '../../../src/core/pool/action.ts'
import { momentOf } from './encode-status.ts'
import { blame, named, TICK_MS, type World } from './world.ts'

type Recycle = Extract<PoolAction, { kind: 'RecycleInstance' }>

export const isReady = ({ metadata, status }: ClusterInstance): boolean =>
  status?.phase === 'Ready' && metadata.deletionTimestamp === undefined && !status.leaseRef && !status.binding

/** I1, I9: what can be seen in a state. */
export function stateViolations(world: World): string[] {
  return [...oneToOne(world), ...nothingOrphaned(world)]
}

function oneToOne({ leases, instances }: World): string[] {
  const wrong: string[] = []
  const holders = new Set<string>()
  for (const { metadata, status } of leases) {
    if (status?.phase !== 'Bound') continue
    const uid = status.binding?.instance.uid ?? ''
    if (holders.has(uid)) wrong.push(`I1: two leases are bound to one member`)
    holders.add(uid)
    const instance = instances.find((candidate) => candidate.metadata.uid === uid)
    const mutual = instance === undefined || instance.status?.binding?.bindingId === status.binding?.bindingId
    if (!mutual) wrong.push(`I1: ${metadata.name} is bound to a member that is not bound to it`)
  }
  return wrong
}

/** Whatever exists of a cluster, an object with our finalizer stands for it. */
function nothingOrphaned({ clusters, instances }: World): string[] {
  const guarded = new Set(
    instances
      .filter(({ metadata }) => (metadata.finalizers ?? []).length > 0)
      .map(({ metadata }) => metadata.uid ?? ''),
  )
  return [...clusters.keys()]
    .filter((uid) => !guarded.has(uid))
    .map(() => 'I9: a cluster exists without a guarded object')
}

export function ensuredBehindFinalizer(world: World, name: string): World {
  const guarded = (named(world.instances, name)?.metadata.finalizers ?? []).length > 0
  const exists = named(world.instances, name) !== undefined
  return blame(world, guarded || !exists, `I9: ${name} was made without a finalizer`)
}

const ceilingOf = ({ scaling, size }: ClusterPool['spec']): number => scaling?.maxClusters ?? size + 10
const warmOf = ({ scaling, size }: ClusterPool['spec']): number => scaling?.minReady ?? size
const floorOf = (spec: ClusterPool['spec']): number => spec.upgradePolicy?.minReadyDuringUpgrade ?? warmOf(spec)

export function createKeepsCeiling(world: World, { spec }: ClusterPool): World {
  const members = world.instances.length
  return blame(world, members <= ceilingOf(spec), `I4: a create took the members to ${members} of ${ceilingOf(spec)}`)
}

/** The number of a member is on record when it is made: a crash right after would give it away again. */
export const numberOnRecord = (world: World, index: number): World =>
  blame(
    world,
    world.pool === undefined || (world.pool.status?.highestIndex ?? 0) >= index,
    `R6: member ${index} was made before its number was recorded`,
  )

/** A failed member goes after its failure is on record: a crash right after would forget it. */
export function failureOnRecord(world: World, before: World, { name, uid }: Recycle, { metadata }: ClusterPool): World {
  const member = named(before.instances, name)
  const clean = member?.status?.specHash === undefined || member.status.specHash === world.pool?.status?.currentSpecHash
  const failed = member?.status?.phase === 'Failed' && clean && metadata.deletionTimestamp === undefined
  const recorded = world.pool?.status?.failures?.some((failure) => failure.uid === uid) ?? false
  return blame(world, !failed || recorded, `Failures: ${name} went before its failure was recorded`)
}

/** `before` and `world`: just before and after the write landed. */
export function driftKeepsFloor(world: World, before: World, action: Recycle, { spec }: ClusterPool): World {
  const target = named(before.instances, action.name)
  if (action.reason !== 'spec_drift' || target === undefined || !isReady(target)) return world
  const ready = world.instances.filter(isReady).length
  const floor = floorOf(spec)
  let next = blame(world, ready >= floor, `I5: a drift recycle took Ready to ${ready}, the floor is ${floor}`)
  const { maxSurge = 1, maxRecycling = 1 } = spec.upgradePolicy ?? {}
  const dark = ready === 0 && maxSurge > 0 && warmOf(spec) > 0 && replacementCanBeHad(before, spec)
  next = blame(next, !dark, 'I5: a drift recycle took Ready to 0 while a replacement could be had')
  const going = world.instances.filter((member) => isGoingForDrift(member, world.now)).length
  return blame(next, going <= maxRecycling, `R4: ${going} members go for drift at once, at most ${maxRecycling} may`)
}

function isGoingForDrift({ status }: ClusterInstance, now: number): boolean {
  const cause = status?.conditions?.find(({ type }) => type === 'Ready')?.reason ?? ''
  const since = momentOf(status?.stateSince ?? '') ?? 0
  return status?.phase === 'Recycling' && cause.startsWith('Drifted') && now - since < 2 * TICK_MS
}

/** One is on its way, or there is a place for it. */
function replacementCanBeHad({ instances, pool }: World, spec: ClusterPool['spec']): boolean {
  if (pool?.spec.cluster.version !== spec.cluster.version) return false
  const clean = spec.cluster.version.padEnd(16, '0').slice(0, 16)
  const creating = instances.filter(
    ({ metadata, status }) => status?.phase === 'Creating' && metadata.deletionTimestamp === undefined,
  )
  const coming = creating.filter(({ status }) => status?.specHash === clean)
  const full = creating.some(
    ({ status }) => status?.conditions?.some(({ reason }) => reason === 'Unschedulable') ?? false,
  )
  return !full && (coming.length > 0 || instances.length < ceilingOf(spec))
}

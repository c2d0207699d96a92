/** Whether reality matches the wish, and what resting means. The question of ESR: if the wish stops changing, this is reached. */
import type { ClusterInstance } from '../../../src/api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../../src/api/v1alpha1/cluster-lease.ts'
import type { ClusterPool, PoolStatus } from '../../../src/api/v1alpha1/cluster-pool.ts'
import { momentOf } from './encode-status.ts'
import { isReady } from './invariants.ts'
import type { Pass } from './pass.ts'
import { hashOf } from './pool-pass.ts'
import { TICK_MS, type World } from './world.ts'

/** Versions that can never come up: with such a wish nothing can be reached. */
const NEVER: ReadonlySet<string> = new Set(['bad', 'hang', 'full'])

export function match(world: World): 'yes' | 'excused' | { readonly missing: string } {
  const { pool } = world
  const missing =
    pool === undefined || pool.metadata.deletionTimestamp !== undefined ? afterDeletion(world) : alive(world, pool)
  if (missing === undefined) return 'yes'
  return pool !== undefined && NEVER.has(pool.spec.cluster.version) ? 'excused' : { missing }
}

/** The pool is to go: nothing is left but what leases still hold. */
function afterDeletion(world: World): string | undefined {
  const { instances, leases, clusters, pool } = world
  if (instances.some((instance) => !isHeldNow(world, instance))) return 'a member is left that nobody holds'
  if (pool !== undefined && instances.length === 0) return 'the pool stays although it is empty'
  if (clusters.size !== instances.length) return 'a cluster is left without a member'
  return leases.some(({ status }) => status?.phase !== 'Bound') ? 'a lease is left that is not bound' : undefined
}

function alive(world: World, pool: ClusterPool): string | undefined {
  return membersWrong(world, pool) ?? leasesWrong(world, pool) ?? countWrong(world, pool) ?? statusWrong(world, pool)
}

function membersWrong(world: World, pool: ClusterPool): string | undefined {
  const { instances, clusters } = world
  for (const instance of instances) {
    if (!isReady(instance) && !isHeldNow(world, instance))
      return `a member is ${instance.status?.phase ?? 'new'} and not held`
    if (isReady(instance) && clusters.get(instance.metadata.uid ?? '')?.state !== 'running')
      return 'a Ready member does not run'
  }
  if (clusters.size !== instances.length) return 'a cluster is left without a member'
  if (instances.some((instance) => isReady(instance) && isDrifted(pool, instance)) && !mayStayDrifted(world, pool))
    return 'a Ready member is outdated'
  return undefined
}

const isDrifted = (pool: ClusterPool, { status }: ClusterInstance): boolean => status?.specHash !== hashOf(pool)

const isPaused = (pool: ClusterPool): boolean => pool.spec.upgradePolicy?.maxRecycling === 0

/**
 * Paused; or the knobs never allow a step, and it says so; or leased members hold the places that a replacement would need and
 * the floor keeps what is left: that goes on when a lease ends.
 */
function mayStayDrifted({ instances }: World, pool: ClusterPool): boolean {
  const { scaling, size, upgradePolicy } = pool.spec
  const warm = scaling?.minReady ?? size
  const ceiling = ceilingOf(pool)
  const floor = upgradePolicy?.minReadyDuringUpgrade ?? warm
  const surge = Math.min(upgradePolicy?.maxSurge ?? 1, Math.max(0, ceiling - warm))
  const has = (type: string, reason: string): boolean =>
    pool.status?.conditions?.some((condition) => condition.type === type && condition.reason === reason) ?? false
  const never = warm > 0 && floor >= warm + surge
  const ready = instances.filter(isReady).length
  const full = instances.length >= ceiling && ready < instances.length && ready <= Math.max(1, floor)
  return isPaused(pool) || (never && has('Stalled', 'FloorNeverSatisfied')) || (full && has('Upgrading', 'Upgrading'))
}

function isHeldNow({ leases }: World, { metadata, status }: ClusterInstance): boolean {
  const lease = leases.find((other) => other.metadata.uid === status?.leaseRef?.uid)
  const bound = lease?.status?.phase === 'Bound' && lease.metadata.deletionTimestamp === undefined
  return status?.phase === 'Leased' && bound && lease.status?.binding?.instance.uid === metadata.uid
}

function leasesWrong(world: World, pool: ClusterPool): string | undefined {
  for (const lease of world.leases) {
    const wrong = leaseWrong(world, pool, lease)
    if (wrong !== undefined) return wrong
  }
  return world.tokens.length === world.leases.filter(({ status }) => status?.phase === 'Bound').length
    ? undefined
    : 'I8: a connect token is left without a bound lease'
}

function leaseWrong(world: World, pool: ClusterPool, { metadata, status }: ClusterLease): string | undefined {
  const phase = status?.phase ?? 'Pending'
  if (phase === 'Bound') {
    return world.tokens.includes(metadata.uid ?? '') ? undefined : 'a bound lease has no connect token'
  }
  if (phase !== 'Pending') return `a lease is ${phase} and stays`
  const explained = status?.conditions?.some(({ type, message }) => type === 'Satisfiable' && message !== '')
  if (explained !== true) return 'I7: a waiting lease is not told why'
  return world.instances.length < ceilingOf(pool) ? 'I7: a lease waits although there is room' : undefined
}

const ceilingOf = ({ spec }: ClusterPool): number => spec.scaling?.maxClusters ?? spec.size + 10

function countWrong({ instances }: World, pool: ClusterPool): string | undefined {
  const { scaling, size, upgradePolicy } = pool.spec
  const ready = instances.filter(isReady)
  const leased = instances.length - ready.length
  const wanted = Math.max(0, Math.min(scaling?.minReady ?? size, ceilingOf(pool) - leased))
  const surge = ready.some((instance) => isDrifted(pool, instance)) ? (upgradePolicy?.maxSurge ?? 1) : 0
  if (ready.length < wanted) return `${ready.length} of ${wanted} members are Ready`
  // While paused or held nothing is taken away.
  const paused = ready.some((instance) => isDrifted(pool, instance))
  return ready.length > wanted + surge && !paused
    ? `${ready.length} members are Ready, ${wanted} are wanted`
    : undefined
}

function statusWrong({ instances }: World, { spec, status, metadata }: ClusterPool): string | undefined {
  if (status === undefined) return 'the pool has no status'
  const ready = instances.filter(isReady).length
  if (status.ready !== ready || status.leased !== instances.length - ready) return 'the status counts other members'
  if (metadata.generation !== status.observedGeneration) return 'the status is of an older spec'
  if (isForgotten(instances, status)) return 'failures are counted although a member became Ready since'
  const phase = instances.length === 0 && (spec.scaling?.minReady ?? spec.size) === 0 ? 'Idle' : 'Healthy'
  if (status.phase !== phase) return `the phase is ${status.phase}, not ${phase}`
  return undefined
}

/** A member that became Ready after the last failure resets the count. */
function isForgotten(instances: readonly ClusterInstance[], { failures, consecutiveFailures }: PoolStatus): boolean {
  const last = momentOf(failures?.at(-1)?.at) ?? 0
  const better = instances.some((instance) => isReady(instance) && (momentOf(instance.status?.readySince) ?? 0) > last)
  return (consecutiveFailures ?? 0) > 0 && better
}

/** A pass over everything again, now and later: nothing is written (I12). */
export function atRest(
  world: World,
  passes: (world: World) => readonly Pass[],
  runAll: (world: World) => World,
): string[] {
  let rested = world
  for (let round = 0; round < 3; round += 1) rested = runAll(rested)
  const later = passes({ ...rested, now: rested.now + TICK_MS }).filter(({ ops }) => ops.some(({ writes }) => writes))
  const restless = [...passes(rested).filter(({ ops }) => ops.length > 0), ...later]
  return restless.map(
    ({ controller, ops }) =>
      `I12: the ${controller} pass writes (${ops.map(({ label }) => label)}) and nothing has changed`,
  )
}

/** What the world looks like at rest, by what is wanted of it. */
export function ending(world: World): { wish: string; end: string } {
  const { pool, leases, instances } = world
  const spec =
    pool === undefined
      ? 'no pool'
      : `${pool.spec.cluster.version}/${pool.spec.size}/${pool.spec.upgradePolicy?.maxRecycling}/${pool.metadata.deletionTimestamp === undefined}`
  const held = leases.map(({ status }) => status?.phase).sort()
  const ready = instances.filter(isReady)
  const stale = pool === undefined ? 0 : ready.filter((instance) => isDrifted(pool, instance)).length
  // While drift is paused or held, how far it got is history.
  const end = stale > 0 ? 'held' : `${pool?.status?.phase}: ${ready.length} Ready`
  const paused = pool !== undefined && mayStayDrifted(world, pool)
  return { wish: `${spec} ${held}${paused ? ` held ${stale > 0} ${ready.length}` : ''}`, end }
}

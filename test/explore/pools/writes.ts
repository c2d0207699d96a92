/**
 * Writes to the API of the world, by the operator and by others. A write of the operator shows in its own view at once, unless
 * its answer is lost; a write of others shows when the watch delivers it.
 */
import { formatTimestamp } from '../../../src/api/timestamp.ts'
import type { ClusterInstance } from '../../../src/api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../../src/api/v1alpha1/cluster-lease.ts'
import type { ClusterPool } from '../../../src/api/v1alpha1/cluster-pool.ts'
import { bucketOf } from '../../../src/core/pool/member.ts'
import {
  blame,
  type Fence,
  fits,
  inDeletion,
  type KindName,
  named,
  type Objects,
  remember,
  replaceIn,
  setCluster,
  stored,
  type World,
} from './world.ts'

/** `mine`: the operator gets the answer. `lost`: it does not. `other`: somebody else writes. */
export type Writer = 'mine' | 'lost' | 'other'

export interface Written {
  readonly world: World
  /** False: the object is gone or not the one that the fence asks for; nothing was written. */
  readonly landed: boolean
}

const missed = (world: World): Written => ({ world, landed: false })

export function updatePool(
  world: World,
  writer: Writer,
  fence: Fence,
  change: (pool: ClusterPool) => ClusterPool,
): Written {
  if (world.pool === undefined || !fits(world.pool, fence)) return missed(world)
  const serial = world.serial + 1
  const pool = stored(change(world.pool), serial)
  const early = pool === undefined && world.instances.length > 0
  const judged = blame({ ...world, serial, pool }, !early, 'I6: the pool went before its members')
  return { landed: true, world: show(judged, writer, 'pool', (seen) => ({ ...seen, pool })) }
}

export function createInstance(world: World, rendered: ClusterInstance): Written {
  if (named(world.instances, rendered.metadata.name ?? '') !== undefined) return missed(world)
  const serial = world.serial + 2
  const instance: ClusterInstance = {
    ...rendered,
    metadata: {
      ...rendered.metadata,
      uid: `u${serial - 1}`,
      resourceVersion: String(serial),
      generation: 1,
      creationTimestamp: formatTimestamp(world.now),
    },
  }
  // A created object is not in a lagging cache: own writes are laid over what is cached, and that is not there.
  return { landed: true, world: { ...world, serial, instances: [...world.instances, instance] } }
}

interface Target {
  readonly name: string
  readonly fence: Fence
}

export function updateInstance(
  world: World,
  writer: Writer,
  { name, fence }: Target,
  change: (instance: ClusterInstance) => ClusterInstance,
): Written {
  const before = named(world.instances, name)
  if (before === undefined || !fits(before, fence)) return missed(world)
  const serial = world.serial + 1
  const after = stored(change(before), serial)
  const changed = { ...world, serial, instances: replaceIn(world.instances, name, after) }
  const judged = afterInstanceWrite(changed, before, after)
  return { landed: true, world: show(judged, writer, 'instances', (seen) => overlay(seen, 'instances', before, after)) }
}

export function deleteInstance(world: World, writer: Writer, target: Target): Written {
  const before = named(world.instances, target.name)
  if (before === undefined || before.metadata.deletionTimestamp !== undefined) return missed(world)
  return updateInstance(world, writer, target, (instance) => inDeletion(instance, world.now))
}

export function updateLease(
  world: World,
  writer: Writer,
  { name, fence }: Target,
  change: (lease: ClusterLease) => ClusterLease,
): Written {
  const before = named(world.leases, name)
  if (before === undefined || !fits(before, fence)) return missed(world)
  const serial = world.serial + 1
  const after = stored(change(before), serial)
  // The Secret with the token is owned by the lease.
  const tokens = after === undefined ? world.tokens.filter((uid) => uid !== before.metadata.uid) : world.tokens
  const changed = { ...world, serial, tokens, leases: replaceIn(world.leases, name, after) }
  return { landed: true, world: show(changed, writer, 'leases', (seen) => overlay(seen, 'leases', before, after)) }
}

export function deleteLease(world: World, writer: Writer, target: Target): Written {
  const before = named(world.leases, target.name)
  if (before === undefined || before.metadata.deletionTimestamp !== undefined) return missed(world)
  return updateLease(world, writer, target, (lease) => inDeletion(lease, world.now))
}

/** The answer to an own write, or to a read, is laid over what the cache shows of the same object. */
function show(world: World, writer: Writer, kind: KindName, change: (seen: Objects) => Objects): World {
  const { lag } = world.memory
  if (lag?.kind !== kind || writer !== 'mine') return world
  return remember(world, { lag: { ...lag, seen: change(lag.seen) } })
}

function overlay<K extends 'instances' | 'leases'>(
  seen: Objects,
  kind: K,
  before: ClusterInstance | ClusterLease,
  after: ClusterInstance | ClusterLease | undefined,
): Objects {
  const { name = '', uid } = before.metadata
  // A deletion is told by the watch alone.
  if (after === undefined) return seen
  const objects: readonly (ClusterInstance | ClusterLease)[] = seen[kind]
  if (named(objects, name)?.metadata.uid !== uid) return seen
  return { ...seen, [kind]: replaceIn(objects, name, after) }
}

/** The operator read an object because its cache may lag. */
export function readInstance(world: World, name: string): { world: World; instance: ClusterInstance | undefined } {
  const instance = named(world.instances, name)
  if (instance === undefined) return { world, instance }
  return { instance, world: show(world, 'mine', 'instances', (seen) => overlay(seen, 'instances', instance, instance)) }
}

/** The operator listed the members, for the same reason. */
export const readInstances = (world: World): World =>
  world.instances.reduce((next, { metadata }) => readInstance(next, metadata.name ?? '').world, world)

/** Rules about single writes: a used member is never Ready again, a leased one is never deleted, what is gone leaves nothing. */
function afterInstanceWrite(world: World, before: ClusterInstance, after: ClusterInstance | undefined): World {
  const { uid = '', name } = before.metadata
  const phase = after?.status?.phase
  const wasUsed = world.used.includes(uid)
  let next = blame(world, !(phase === 'Ready' && wasUsed), `I2: used member ${name} became Ready again`)
  if (phase === 'Leased' && !wasUsed) next = { ...next, used: [...next.used, uid] }
  const recycled = bucketOf(before) === 'leased' && phase === 'Recycling' && isHeld(world, uid)
  next = blame(next, !recycled, `I6: ${name} was recycled under a live lease`)
  const sick = after?.status?.conditions?.some(({ reason }) => reason === 'HealthCheckFailed') ?? false
  const patient = (before.status?.healthFailures ?? 0) + 1 >= FAILURE_THRESHOLD
  next = blame(
    next,
    !sick || phase !== 'Recycling' || before.status?.phase !== 'Ready' || patient,
    `Health: ${name} goes before its probe failed ${FAILURE_THRESHOLD} times`,
  )
  if (after !== undefined) return next
  next = blame(next, !isHeld(world, uid), `I6: leased member ${name} was deleted`)
  next = blame(next, !world.clusters.has(uid), `I9: ${name} is gone and its cluster is still there`)
  return {
    ...setCluster(next, uid, undefined),
    used: next.used.filter((other) => other !== uid),
    kubeconfigs: next.kubeconfigs.filter((other) => other !== uid),
  }
}

/** `healthCheck.failureThreshold` of the explored pools. */
export const FAILURE_THRESHOLD = 2

/** Whether a lease that is Bound, and not being deleted by hand, names the member. */
export const isHeld = ({ leases }: Objects, uid: string): boolean =>
  leases.some(
    ({ metadata, status }) =>
      status?.phase === 'Bound' && metadata.deletionTimestamp === undefined && status.binding?.instance.uid === uid,
  )

/** A world as a text, in which members and leases are numbered by age, and nothing else is named. */
import type { ClusterInstance } from '../../../src/api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../../src/api/v1alpha1/cluster-lease.ts'
import type { ClusterPool } from '../../../src/api/v1alpha1/cluster-pool.ts'
import { ageOf, encodeInstanceStatus, encodeLeaseStatus, encodePoolStatus, momentOf } from './encode-status.ts'
import { fenceHolds, type Pass } from './pass.ts'
import { named, type Objects, TICK_MS, type World } from './world.ts'

const known = new WeakMap<World, string>()

export function encode(world: World): string {
  const before = known.get(world)
  if (before !== undefined) return before
  const text = [
    encodeObjects(world, world),
    Object.values(world.budget).join(''),
    encodeMemory(world),
    world.memory.suspended === undefined ? '' : encodePass(world, world.memory.suspended),
    world.violations.length > 0 ? world.violations.join() : '',
  ].join('\n')
  known.set(world, text)
  return text
}

function encodeObjects(world: World, { pool, instances, leases }: Objects): string {
  return [
    pool === undefined ? 'none' : encodePool(world, pool, instances),
    ...instances.map((instance) => encodeMember(world, instance)),
    ...leases.map((lease) => encodeLease(world, lease)),
  ].join(';')
}

const flag = (holds: boolean): string => (holds ? '1' : '0')
const isDeleting = ({ metadata }: { metadata: ClusterPool['metadata'] }): string =>
  `${flag(metadata.deletionTimestamp !== undefined)}${metadata.finalizers?.length ?? 0}`

function encodePool({ now }: World, pool: ClusterPool, instances: readonly ClusterInstance[]): string {
  const { spec, status, metadata } = pool
  const highest = Math.max(0, ...instances.map(({ metadata: { name } }) => Number(name?.split('-').at(-1))))
  const records = status?.failures ?? []
  return [
    spec.cluster.version,
    spec.size,
    spec.upgradePolicy?.maxRecycling ?? 1,
    isDeleting(pool),
    flag(metadata.generation === status?.observedGeneration),
    Math.sign((status?.highestIndex ?? 0) - highest),
    encodePoolStatus(status, now),
    // Whose failure was recorded: it is counted once.
    ...instances.map(({ metadata: { uid } }) => flag(records.some((record) => record.uid === uid))),
  ].join(',')
}

function encodeMember(world: World, instance: ClusterInstance): string {
  const { now, clusters, kubeconfigs, used, leases, pool } = world
  const { metadata, status } = instance
  const uid = metadata.uid ?? ''
  const cluster = clusters.get(uid)
  return [
    encodeInstanceStatus(status, now),
    isDeleting(instance),
    ageOf(metadata.creationTimestamp, now),
    encodeUse(instance, leases),
    cluster === undefined ? '-' : cluster.state,
    flag(kubeconfigs.includes(uid)) + flag(used.includes(uid)),
    encodeEvidence(world, uid),
    flag(isAfterLastFailure(pool, status?.readySince)),
  ].join(',')
}

function encodeUse({ status }: ClusterInstance, leases: readonly ClusterLease[]): string {
  const uid = status?.leaseRef?.uid
  if (uid === undefined) return ''
  const rank = leases.findIndex(({ metadata }) => metadata.uid === uid)
  const same = leases[rank]?.status?.binding?.bindingId === status?.binding?.bindingId
  return `L${rank}${flag(same)}`
}

function isAfterLastFailure(pool: ClusterPool | undefined, readySince: string | undefined): boolean {
  const last = pool?.status?.failures?.at(-1)?.at
  return last !== undefined && readySince !== undefined && (momentOf(readySince) ?? 0) > (momentOf(last) ?? 0)
}

function encodeEvidence({ memory, now }: World, uid: string): string {
  const { member, probe, gates, destroy, kubeconfigPublished } = memory.evidence.get(uid) ?? {}
  const fresh = (at: number): string => flag(now - at < TICK_MS)
  const seen = memory.probes.get(uid)
  return [
    member === undefined ? '-' : `${member.state[0]}${member.state === 'Running' ? '' : fresh(member.at)}`,
    probe === undefined ? '-' : `${Math.min(3, probe.failuresInARow)}${fresh(probe.at)}`,
    gates === undefined ? '' : flag(gates.passed),
    destroy === undefined ? '-' : `${flag(destroy.gone)}${fresh(destroy.at)}`,
    kubeconfigPublished === undefined ? '-' : flag(kubeconfigPublished),
    seen === undefined || now - seen.at >= TICK_MS ? '-' : flag(seen.healthy),
  ].join('')
}

function encodeLease(world: World, lease: ClusterLease): string {
  const { metadata, status, spec } = lease
  const bound = status?.binding?.instance.uid
  const rank = world.instances.findIndex((instance) => instance.metadata.uid === bound)
  const carries = world.instances[rank]?.status?.binding?.bindingId === status?.binding?.bindingId
  return [
    encodeLeaseStatus(status, world.now),
    isDeleting(lease),
    ageOf(metadata.creationTimestamp, world.now),
    bound === undefined ? '' : `M${rank}${flag(carries)}`,
    flag(world.tokens.includes(metadata.uid ?? '')),
    flag(spec.allowStale),
  ].join(',')
}

function encodeMemory(world: World): string {
  const { expected, lag, gone } = world.memory
  const waiting = expected.map(({ name, uid, version }) => {
    const rank = world.instances.findIndex(({ metadata }) => metadata.name === name)
    const passed = lag?.kind === 'instances' && version !== undefined && lag.at >= version
    return `${rank}${flag(uid !== undefined)}${flag(passed)}`
  })
  const stale =
    lag === undefined ? '' : `${lag.kind[0]}${encodeLag(world, lag.seen, lag.kind)}${encodeGone(lag.seen, gone)}`
  return `${waiting.join()}|${stale}`
}

const encodeGone = ({ instances, leases }: Objects, gone: readonly string[]): string =>
  [...instances, ...leases].map(({ metadata }) => flag(gone.includes(metadata.uid ?? ''))).join('')

/** Of each object in a lagging cache: the same as it really is, or how it looks there. */
function encodeLag(world: World, seen: Objects, kind: keyof Objects): string {
  const before = seen[kind]
  const objects = before === undefined ? [] : 'metadata' in before ? [before] : before
  const present = [...world.instances, ...world.leases, ...(world.pool === undefined ? [] : [world.pool])]
  const parts = objects.map((object) => {
    const rank = present.findIndex(({ metadata }) => metadata.uid === object.metadata.uid)
    if (present[rank]?.metadata.resourceVersion === object.metadata.resourceVersion) return `${rank}=`
    if (kind === 'pool' && seen.pool !== undefined) return encodePool(world, seen.pool, seen.instances)
    const member = named(seen.instances, object.metadata.name ?? '')
    const lease = named(seen.leases, object.metadata.name ?? '')
    if (kind === 'instances' && member !== undefined) return `${rank}${encodeMember(world, member)}`
    return lease === undefined ? '?' : `${rank}${encodeLease(world, lease)}`
  })
  return parts.join('/')
}

function encodePass(world: World, { controller, name, ops, next }: Pass): string {
  const list: ReadonlyArray<{ metadata: { name?: string } }> = controller === 'lease' ? world.leases : world.instances
  const rank = list.findIndex(({ metadata }) => metadata.name === name)
  const left = ops.slice(next).map((op) => {
    const target = op.fence === undefined ? '' : rankOf(world, op.fence.kind, op.fence.name)
    return `${op.key}${target}${flag(fenceHolds(world, op))}`
  })
  return `${controller[0]}${rank}:${left.join('/')}`
}

function rankOf(world: World, kind: 'pool' | 'instances' | 'leases', name: string): string {
  if (kind === 'pool') return 'p'
  const list: ReadonlyArray<{ metadata: { name?: string } }> = world[kind]
  return String(list.findIndex(({ metadata }) => metadata.name === name))
}

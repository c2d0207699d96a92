/** A world as a text, in which objects are numbered by age, and neither names nor versions nor absolute times appear. */
import type { ConfigMap } from '../../../src/api/core-resources.ts'
import type { KubeObject } from '../../../src/api/resource.ts'
import type { ClusterInstance } from '../../../src/api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../../src/api/v1alpha1/cluster-lease.ts'
import { ageOf, encodeInstanceStatus, encodeLeaseStatus } from '../pools/encode-status.ts'
import {
  hasToken,
  keyOf,
  leasesOf,
  membersOf,
  type Objects,
  type Operator,
  ofKind,
  type Suspended,
  type World,
} from './world.ts'

const known = new WeakMap<World, string>()

export function encode(world: World): string {
  const before = known.get(world)
  if (before !== undefined) return before
  const ranks = ranksOf(world)
  const text = [
    leasesOf(world)
      .map((lease) => encodeLease(world, ranks, lease))
      .join(';'),
    membersOf(world)
      .map((member) => encodeMember(world, ranks, member))
      .join(';'),
    ofKind<ConfigMap>(world.objects, 'configmaps')
      .map((record) => encodeRecord(world, ranks, record))
      .join(';'),
    world.operators
      .map((operator) => encodeOperator(world, ranks, operator))
      .sort()
      .join('|'),
    world.calls
      .map((call) => encodeSuspended(world, ranks, call))
      .sort()
      .join('|'),
    world.sent,
    Object.values(world.budget).join(''),
    [...world.answered]
      .map(([key, uid]) => `${key.slice(0, 5)}${ranks.get(uid) ?? '-'}`)
      .sort()
      .join(),
    world.violations.join(),
  ].join('\n')
  known.set(world, text)
  return text
}

/** By UID and by `plural/name`. */
type Ranks = ReadonlyMap<string, number>

function ranksOf(world: World): Ranks {
  const ranks = new Map<string, number>()
  for (const objects of [leasesOf(world), membersOf(world)]) {
    for (const [rank, { metadata }] of objects.entries()) {
      ranks.set(metadata.uid ?? '', rank)
      ranks.set(metadata.name ?? '', rank)
    }
  }
  return ranks
}

const flag = (holds: boolean): string => (holds ? '1' : '0')
const isDeleting = ({ metadata }: KubeObject): string => flag(metadata.deletionTimestamp !== undefined)

function encodeLease(world: World, ranks: Ranks, lease: ClusterLease): string {
  const { metadata, status, spec } = lease
  const bound = status?.binding?.instance.uid
  const member = membersOf(world).find((other) => other.metadata.uid === bound)
  // Of leases of the same age the name decides.
  const smaller = leasesOf(world).filter((other) => (other.metadata.name ?? '') < (metadata.name ?? '')).length
  return [
    encodeLeaseStatus(status, world.now),
    isDeleting(lease),
    ageOf(metadata.creationTimestamp, world.now),
    bound === undefined
      ? ''
      : `M${ranks.get(bound) ?? '-'}${flag(member?.status?.binding?.bindingId === status?.binding?.bindingId)}`,
    flag(hasToken(world.objects, metadata.uid)),
    spec.requester.identity[0],
    spec.idempotency?.keyHash.slice(0, 5) ?? '',
    spec.idleTimeout === undefined ? '' : ageOf(status?.lastHeartbeat ?? status?.boundAt, world.now),
    ageOf(status?.boundAt, world.now),
    status?.extensionsCount ?? 0,
    spec.priority,
    smaller,
    flag(metadata.annotations !== undefined),
  ].join(',')
}

function encodeMember(world: World, ranks: Ranks, instance: ClusterInstance): string {
  const { metadata, status } = instance
  const lease = status?.leaseRef?.uid
  const holder = leasesOf(world).find((other) => other.metadata.uid === lease)
  const same = holder?.status?.binding?.bindingId === status?.binding?.bindingId
  return [
    encodeInstanceStatus(status, world.now),
    isDeleting(instance),
    lease === undefined ? '' : `L${ranks.get(lease) ?? '-'}${flag(same)}`,
    flag(world.used.includes(metadata.uid ?? '')),
  ].join(',')
}

function encodeRecord(world: World, ranks: Ranks, { metadata, data }: ConfigMap): string {
  return `${metadata.name?.slice(-4)}${encodeEntries(world, ranks, data?.['admitted'])}`
}

interface Entry {
  readonly id: string
  readonly lease: string
  readonly at: number
}

/** Which lease an entry is for, whether that lease says so too, and whether the entry still counts. */
function encodeEntries(world: World, ranks: Ranks, text = '[]'): string {
  const entries = JSON.parse(text) as Entry[]
  return entries
    .map(({ id, lease, at }) => {
      const made = world.objects.get(keyOf('clusterleases', lease))
      const same = made?.metadata.annotations?.['kobe.kunobi.ninja/admission'] === id
      const asked = world.calls.findIndex((call) => call.next.name === lease)
      return `${ranks.get(lease) ?? '-'}${flag(same)}${asked}${flag(world.now - at < 60_000)}`
    })
    .join('/')
}

function encodeOperator(world: World, ranks: Ranks, { lag, gone, pass }: Operator): string {
  const stale = lag === undefined ? '' : `${lag.kind}${encodeLag(world, ranks, lag.seen, lag.kind)}`
  const shown = lag === undefined ? [] : ofKind(lag.seen, lag.kind)
  return [
    stale,
    shown.map(({ metadata }) => flag(gone.includes(metadata.uid ?? ''))).join(''),
    pass === undefined ? '' : encodeSuspended(world, ranks, pass),
  ].join('~')
}

/** Of each object in a lagging cache: the same as it really is, or how it looks there. */
function encodeLag(world: World, ranks: Ranks, seen: Objects, kind: string): string {
  return ofKind(seen, kind)
    .map((object) => {
      const rank = ranks.get(object.metadata.uid ?? '') ?? '-'
      const present = world.objects.get(keyOf(kind, object.metadata.name ?? ''))
      if (present?.metadata.resourceVersion === object.metadata.resourceVersion) return `${rank}=`
      if (kind === 'secrets') return `t${ranks.get(object.metadata.ownerReferences?.[0]?.uid ?? '') ?? '-'}`
      if (kind === 'clusterleases') return `${rank}${encodeLease(world, ranks, object as ClusterLease)}`
      return `${rank}${encodeMember(world, ranks, object as ClusterInstance)}`
    })
    .join('/')
}

function encodeSuspended(world: World, ranks: Ranks, { about, next, rest, fences }: Suspended): string {
  const holds = fences.map(
    ({ key, version }) =>
      `${ranks.get(key.slice(key.indexOf('/') + 1)) ?? ''}${flag(world.objects.get(key)?.metadata.resourceVersion === version)}`,
  )
  const entries = next.plural === 'configmaps' ? (next.body as ConfigMap).data?.['admitted'] : undefined
  const record = entries === undefined ? '' : encodeEntries(world, ranks, entries)
  return `${ranks.get(about) ?? about}:${next.verb}${next.plural.slice(0, 9)}:${rest}:${holds}:${record}`
}

/**
 * What must hold in every state and of every write (I1 to I3, I6, I8, I11), from the contract and on the bare objects: no code
 * is shared with what is judged. I7 is asked where the world rests (`match.ts`), I10 of every answer (`calls.ts`).
 */
import type { KubeObject } from '../../../src/api/resource.ts'
import type { ClusterInstance } from '../../../src/api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../../src/api/v1alpha1/cluster-lease.ts'
import { momentOf } from '../pools/encode-status.ts'
import type { Person } from './config.ts'
import { blame, hasToken, leasesOf, membersOf, type World } from './world.ts'

export const PEOPLE: readonly Person[] = ['ann', 'bob']
export const capOf = ({ config }: World, person: Person): number => config.caps?.[person] ?? 9

export const isFree = ({ metadata, status }: ClusterInstance): boolean =>
  status?.phase === 'Ready' && metadata.deletionTimestamp === undefined && !status.leaseRef && !status.binding

export const isBound = ({ metadata, status }: ClusterLease): boolean =>
  status?.phase === 'Bound' && metadata.deletionTimestamp === undefined

const carries = (instance: ClusterInstance, { status }: ClusterLease): boolean =>
  instance.status?.binding?.bindingId === status?.binding?.bindingId

export function stateViolations(world: World): string[] {
  return [...oneToOne(world), ...oneBucket(world), ...withinCaps(world)]
}

function oneToOne(world: World): string[] {
  const wrong: string[] = []
  const holders = new Set<string>()
  const members = membersOf(world)
  for (const lease of leasesOf(world)) {
    if (lease.status?.phase !== 'Bound') continue
    const uid = lease.status.binding?.instance.uid ?? ''
    if (holders.has(uid)) wrong.push('I1: two leases are bound to one member')
    holders.add(uid)
    const member = members.find(({ metadata }) => metadata.uid === uid)
    if (member !== undefined && !carries(member, lease))
      wrong.push(`I1: ${lease.metadata.name} is bound to a member that is not bound to it`)
    const others = members.filter((other) => other !== member && other.status?.binding && carries(other, lease))
    if (others.length > 0) wrong.push(`I1: ${lease.metadata.name} is bound to two members`)
  }
  return wrong
}

/** Leased with a lease and a binding, Recycling, or Ready with neither. */
function oneBucket(world: World): string[] {
  return membersOf(world).flatMap(({ metadata, status }) => {
    const used = [status?.leaseRef, status?.binding].filter(Boolean).length
    const right = status?.phase === 'Recycling' || used === (status?.phase === 'Leased' ? 2 : 0)
    return right ? [] : [`I3: ${metadata.name} is ${status?.phase} with ${used} of lease and binding`]
  })
}

function withinCaps(world: World): string[] {
  const wrong: string[] = []
  const alone = world.config.operators !== 2
  for (const person of PEOPLE) {
    const theirs = leasesOf(world).filter(({ spec }) => spec.requester.identity === person)
    const admitted = theirs.filter(isActive).filter(({ metadata }) => metadata.annotations !== undefined).length
    const cap = capOf(world, person)
    if (admitted > cap) wrong.push(`I11: ${person} has ${admitted} accepted leases, at most ${cap} are allowed`)
    const bound = theirs.filter(isBound).length
    // Of leases made with kubectl one operator binds no more; two at once see each other too late.
    if (alone && bound > cap) wrong.push(`I11: ${person} holds ${bound} members, at most ${cap} are allowed`)
  }
  return wrong
}

const isActive = ({ metadata, status }: ClusterLease): boolean =>
  ['Pending', 'Bound'].includes(status?.phase ?? 'Pending') && metadata.deletionTimestamp === undefined

/** Rules about single writes: a used member is never Ready again, one in use is neither recycled nor deleted. */
export function judgeWrite(
  world: World,
  key: string,
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): World {
  if (key.startsWith('clusterleases/')) {
    const lease = after as ClusterLease | undefined
    const known = before as ClusterLease | undefined
    return judgeExtension(judgeRevival(judgeLoss(world, known, lease), known, lease), lease)
  }
  if (!key.startsWith('clusterinstances/') || before === undefined) return world
  const { uid = '', name } = before.metadata
  const phase = (after as ClusterInstance | undefined)?.status?.phase
  const wasUsed = world.used.includes(uid)
  let next = blame(world, !(phase === 'Ready' && wasUsed), `I2: used member ${name} became Ready again`)
  if (phase === 'Leased' && !wasUsed) next = { ...next, used: [...next.used, uid] }
  const inUse = leasesOf(world).some((lease) => isBound(lease) && lease.status?.binding?.instance.uid === uid)
  const ends = after === undefined || phase === 'Recycling'
  next = blame(
    next,
    !(ends && inUse),
    `I6: ${name} is ${after === undefined ? 'deleted' : 'recycled'} under a live lease`,
  )
  return after === undefined ? { ...next, used: next.used.filter((other) => other !== uid) } : next
}

/** That its member is gone ends a lease only when it is gone. */
function judgeLoss(world: World, before: ClusterLease | undefined, after: ClusterLease | undefined): World {
  if (before === undefined || !isBound(before) || after?.status?.phase !== 'Released') return world
  const vanished = after.status.conditions?.some(
    ({ type, reason }) => type === 'Bound' && reason === 'InstanceVanished',
  )
  const there = membersOf(world).some((member) => member.status?.phase === 'Leased' && carries(member, before))
  return blame(world, !(vanished && there), `I6: ${after.metadata.name} ends without its member, which is there`)
}

/** A lease that is past its end is over, even if nobody has said so yet. */
function judgeRevival(world: World, before: ClusterLease | undefined, after: ClusterLease | undefined): World {
  const ended = momentOf(before?.status?.expiresAt) ?? Number.POSITIVE_INFINITY
  const longer = (momentOf(after?.status?.expiresAt) ?? 0) > ended
  return blame(world, !(longer && ended <= world.now), `Extension: ${after?.metadata.name} is extended after its end`)
}

/** At most `maxExtensions` times, and never past `boundAt` + `maxTtl`, which is 30 minutes where leases expire. */
function judgeExtension(world: World, lease: ClusterLease | undefined): World {
  const { extensionsCount = 0, expiresAt, boundAt } = lease?.status ?? {}
  const few = extensionsCount <= (world.config.maxExtensions ?? 1)
  const life = (momentOf(expiresAt) ?? 0) - (momentOf(boundAt) ?? 0)
  const short = world.config.expires !== true || life <= 1_800_000
  const next = blame(world, few, `Extension: ${lease?.metadata.name} was extended ${extensionsCount} times`)
  return blame(next, short, `Extension: ${lease?.metadata.name} lives longer than it may`)
}

/** Where all is quiet, no ended lease has its token and none is past its end (I8). */
export function judgeQuiet(world: World, later: World): World {
  let next = later
  for (const { metadata, status } of leasesOf(world)) {
    const ended = status?.phase === 'Released' || status?.phase === 'Expired'
    const token = hasToken(world.objects, metadata.uid)
    next = blame(next, !(ended && token), `I8: ${metadata.name} has ended and its token is left`)
    const overdue = status?.phase === 'Bound' && (momentOf(status.expiresAt) ?? 0) <= world.now
    next = blame(next, !overdue, `I8: ${metadata.name} is past its end and still Bound`)
  }
  return next
}

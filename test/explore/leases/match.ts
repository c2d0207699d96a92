/** Whether reality matches the wish: every lease has a member or a reason, and nothing is left of those that ended. */
import type { ClusterLease } from '../../../src/api/v1alpha1/cluster-lease.ts'
import type { Person } from './config.ts'
import { capOf, isBound, isFree } from './invariants.ts'
import { hasToken, leasesOf, membersOf, ofKind, type World } from './world.ts'

export function match(world: World): 'yes' | 'excused' | { readonly missing: string } {
  const missing = underWay(world) ?? leasesWrong(world) ?? membersWrong(world)
  if (missing === undefined) return 'yes'
  return contradict(world) ? 'excused' : { missing }
}

/** Two operators of which one sees the past tell a waiting lease different reasons in turn, as long as the lag lasts. */
const contradict = ({ operators }: World): boolean =>
  operators.length === 2 && operators.some(({ lag }) => lag !== undefined)

function underWay({ calls, operators }: World): string | undefined {
  if (calls.length > 0) return 'a request is not answered'
  return operators.some(({ pass }) => pass !== undefined) ? 'a pass stands still' : undefined
}

function leasesWrong(world: World): string | undefined {
  for (const lease of leasesOf(world)) {
    const wrong = leaseWrong(world, lease)
    if (wrong !== undefined) return wrong
  }
  const tokens = ofKind(world.objects, 'secrets').length
  return tokens === leasesOf(world).filter(isBound).length ? undefined : 'I8: a token is left without a bound lease'
}

function leaseWrong(world: World, lease: ClusterLease): string | undefined {
  const { metadata, status, spec } = lease
  const phase = status?.phase ?? 'Pending'
  if (metadata.deletionTimestamp !== undefined) return 'a deleted lease stays'
  if (phase === 'Bound') return boundWrong(world, lease)
  if (phase !== 'Pending') return `a lease is ${phase} and stays`
  const told = status?.conditions?.some(({ type, reason, message }) => type === 'Satisfiable' && reason && message)
  if (told !== true) return 'I7: a waiting lease is not told why'
  if ((status?.queuePosition ?? 0) < 1) return 'I7: a waiting lease has no place in the queue'
  const person = spec.requester.identity as Person
  const held = leasesOf(world).filter((other) => isBound(other) && other.spec.requester.identity === person).length
  const may = held < capOf(world, person)
  return may && membersOf(world).some(isFree) ? 'I7: a lease waits although a member is free' : undefined
}

function boundWrong(world: World, { metadata, status }: ClusterLease): string | undefined {
  const member = membersOf(world).find((other) => other.metadata.uid === status?.binding?.instance.uid)
  if (member?.status?.phase !== 'Leased') return 'a bound lease has no member'
  return hasToken(world.objects, metadata.uid) ? undefined : 'a bound lease has no token'
}

function membersWrong(world: World): string | undefined {
  const members = membersOf(world)
  const held = new Set(
    leasesOf(world)
      .filter(isBound)
      .map(({ status }) => status?.binding?.instance.uid),
  )
  if (members.some((member) => !isFree(member) && !held.has(member.metadata.uid))) return 'a member is used by nobody'
  return members.length === world.config.members ? undefined : 'a member is missing'
}

/** How a world rests, by who has what. */
export function ending(world: World): { wish: string; end: string } {
  const leases = leasesOf(world).map(({ spec, status }) => `${spec.requester.identity} ${status?.phase}`)
  const free = membersOf(world).filter(isFree).length
  return { wish: leases.sort().join(), end: `${free} free, ${ofKind(world.objects, 'secrets').length} tokens` }
}

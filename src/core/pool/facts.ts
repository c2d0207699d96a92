/** What the rules of `planPool` share: the members by bucket, the resolved knobs, and what earlier rules of the pass decided. */
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import type { Reason } from '../../api/v1alpha1/reasons.ts'
import { chosenBy } from '../lease/candidates.ts'
import type { Note } from '../plan.ts'
import type { PoolAction, PoolRecycleReason } from './action.ts'
import { accountFailures, type FailureAccount } from './failures.ts'
import { type Bucket, type Member, toMember } from './member.ts'
import type { PoolObserved } from './observed.ts'
import { type PoolOptions, resolvePoolOptions } from './resolve-options.ts'
import { type Unsupported, unsupportedParts } from './unsupported.ts'

export interface PoolFacts {
  readonly observed: PoolObserved
  readonly now: number
  readonly options: PoolOptions
  readonly members: readonly Member[]
  readonly by: Readonly<Record<Bucket, readonly Member[]>>
  /** UIDs of members that a lease has already chosen: neither recycled for drift nor counted as free. */
  readonly claimed: ReadonlySet<string>
  /**
   * UIDs of members that any lease names, whatever became of it. One that still shows as Ready may have been reserved by a
   * write that the cache does not show: it is no reserve to count on.
   */
  readonly named: ReadonlySet<string>
  /** Leases that wait and have not chosen a member yet. */
  readonly queueDepth: number
  readonly failures: FailureAccount
  /** What the pool asks for and its backend can never give. */
  readonly unsupported: readonly Unsupported[]
}

export function gatherFacts(observed: PoolObserved, now: number): PoolFacts {
  const { pool, instances, leases, specHash, capabilities } = observed
  const options = resolvePoolOptions(pool.spec, capabilities.maxConcurrentCreates)
  const members = instances.map((instance) => toMember(instance, specHash))
  const waiting = leases.filter(isWaiting)
  const chosen = chosenBy(waiting)
  const by = byBucket(members)
  return {
    observed,
    now,
    options,
    members,
    by,
    claimed: new Set(by.ready.map((member) => member.uid).filter((uid) => chosen.has(uid))),
    named: new Set(leases.flatMap((lease) => lease.status?.binding?.instance.uid ?? [])),
    queueDepth: waiting.filter((lease) => !lease.status?.binding).length,
    failures: accountFailures({ status: pool.status, members, options, specHash, now }),
    unsupported: unsupportedParts(observed),
  }
}

const isWaiting = (lease: ClusterLease): boolean =>
  (lease.status?.phase ?? 'Pending') === 'Pending' && lease.metadata.deletionTimestamp === undefined

function byBucket(members: readonly Member[]): Record<Bucket, Member[]> {
  const by: Record<Bucket, Member[]> = {
    ready: [],
    leased: [],
    creating: [],
    recycling: [],
    unhealthy: [],
    quarantined: [],
  }
  for (const member of members) by[member.bucket].push(member)
  return by
}

/** What the rules so far decided. Each rule gets the draft of those before it and answers what it adds. */
export interface Draft {
  readonly actions: readonly PoolAction[]
  readonly notes: readonly Note[]
  /** Members that this pass recycles, with the reason. */
  readonly recycled: ReadonlyMap<string, PoolRecycleReason>
  /** Moments at which something may change without an event. */
  readonly wakeAt: readonly (number | undefined)[]
}

export const EMPTY_DRAFT: Draft = { actions: [], notes: [], recycled: new Map(), wakeAt: [] }

export interface RuleOutcome {
  readonly actions?: readonly PoolAction[]
  readonly notes?: readonly Note[]
  readonly wakeAt?: readonly (number | undefined)[]
}

export interface PoolRule {
  readonly name: string
  /** Whether the rule goes on while creation is in backoff (rule 2). */
  readonly inBackoff: boolean
  /** Whether the rule goes on while own writes have not been seen (rule 0). */
  readonly unseenWrites: boolean
  readonly apply: (facts: PoolFacts, draft: Draft) => RuleOutcome
}

export function addOutcome(draft: Draft, outcome: RuleOutcome): Draft {
  const actions = outcome.actions ?? []
  const recycled = new Map(draft.recycled)
  for (const action of actions) if (action.kind === 'RecycleInstance') recycled.set(action.uid, action.reason)
  return {
    actions: [...draft.actions, ...actions],
    notes: [...draft.notes, ...(outcome.notes ?? [])],
    recycled,
    wakeAt: [...draft.wakeAt, ...(outcome.wakeAt ?? [])],
  }
}

/** The members of a bucket that no earlier rule of this pass recycles. */
export const remaining = (members: readonly Member[], draft: Draft): Member[] =>
  members.filter((member) => !draft.recycled.has(member.uid))

/** The action that recycles a member, and the note that says so. */
export function recycle(member: Member, why: RecycleWhy): { action: PoolAction; note: Note } {
  const { name, uid, resourceVersion } = member
  const { reason, cause, message, level = 'Info' } = why
  return {
    action: { kind: 'RecycleInstance', name, uid, resourceVersion, reason, cause, message },
    note: memberNote(member, { reason: cause, message, level }),
  }
}

export interface RecycleWhy {
  readonly reason: PoolRecycleReason
  readonly cause: Reason
  readonly message: string
  readonly level?: Note['level']
}

/** A note about one member. */
export const memberNote = (
  member: Member,
  { reason, message, level = 'Info' }: { reason: Reason; message: string; level?: Note['level'] },
): Note => ({ reason, message, level, about: { kind: 'ClusterInstance', name: member.name, uid: member.uid } })

/** Oldest first; equal ages by number, as times on the wire have whole seconds. */
export const oldestFirst = (left: Member, right: Member): number =>
  left.createdAt - right.createdAt || left.index - right.index

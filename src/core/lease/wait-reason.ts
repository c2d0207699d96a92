/** Why a lease waits: one of Warming, AllLeased, QuotaReached, Quarantined, HostFull, UpgradeFloor, Backoff, Paused. First match. */
import { parseTimestamp } from '../../api/timestamp.ts'
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import { ConditionType, findCondition } from '../../api/v1alpha1/conditions.ts'
import { Reason } from '../../api/v1alpha1/reasons.ts'
import type { Bucket, Member } from '../pool/member.ts'
import { type PoolOptions, resolvePoolOptions } from '../pool/resolve-options.ts'
import type { LeaseCause } from './lease-status.ts'
import type { LeaseObserved } from './observed.ts'

interface Situation {
  readonly observed: LeaseObserved
  readonly pool: ClusterPool
  readonly options: PoolOptions
  readonly members: readonly Member[]
  readonly now: number
}

const RULES: ReadonlyArray<(situation: Situation) => LeaseCause | undefined> = [
  quotaReached,
  onItsWay,
  onlyStale,
  backoff,
  stalled,
  noPlace,
]

/** `members` are those of the pool, asked for when the pool exists. */
export function waitReason(observed: LeaseObserved, members: () => readonly Member[], now: number): LeaseCause {
  const { pool, lease } = observed
  if (pool === undefined) return { reason: Reason.PoolNotFound, message: `there is no pool ${lease.spec.poolRef} yet` }
  const situation = { observed, pool, options: resolvePoolOptions(pool.spec, 1), members: members(), now }
  for (const rule of RULES) {
    const cause = rule(situation)
    if (cause !== undefined) return cause
  }
  return { reason: Reason.Warming, message: 'a member is about to be created' }
}

/** A whole queue asks about the same members. */
const sorted = new WeakMap<readonly Member[], ReadonlyMap<Bucket, Member[]>>()

function inBucket({ members }: Situation, bucket: Bucket): readonly Member[] {
  const known = sorted.get(members) ?? Map.groupBy(members, (member) => member.bucket)
  sorted.set(members, known)
  return known.get(bucket) ?? []
}

function quotaReached({ observed }: Situation): LeaseCause | undefined {
  const { quota } = observed
  if (quota === undefined || quota.held < quota.cap) return undefined
  return { reason: Reason.QuotaReached, message: `the requester holds as many leases as it may (${quota.cap})` }
}

function onItsWay(situation: Situation): LeaseCause | undefined {
  const creating = inBucket(situation, 'creating').filter((member) => !member.drifted)
  if (creating.length === 0) return undefined
  const blocked = creating.find((member) => member.unschedulable)
  if (creating.some((member) => !member.unschedulable)) {
    return { reason: Reason.Warming, message: 'members are being created' }
  }
  return { reason: Reason.HostFull, message: `the host has no room for another member: ${blocked?.message ?? ''}` }
}

/** Something is free, but the lease refuses members of an earlier template. */
function onlyStale(situation: Situation): LeaseCause | undefined {
  const { options, observed } = situation
  const stale = inBucket(situation, 'ready').some((member) => member.drifted)
  if (!stale || observed.lease.spec.allowStale) return undefined
  if (options.maxRecycling === 0) {
    return {
      reason: Reason.Paused,
      message: 'only outdated members are free, and the upgrade is paused (maxRecycling 0)',
    }
  }
  return {
    reason: Reason.UpgradeFloor,
    message: `only outdated members are free; ${options.floor} must stay Ready while they are replaced`,
  }
}

function backoff({ pool, now }: Situation): LeaseCause | undefined {
  const until = pool.status?.nextAttemptAt
  if (until === undefined || now >= (parseTimestamp(until) ?? 0)) return undefined
  return {
    reason: Reason.Backoff,
    message: `members fail to come up; next attempt at ${until}: ${pool.status?.lastFailureReason ?? ''}`,
  }
}

function stalled({ pool }: Situation): LeaseCause | undefined {
  const condition = findCondition(pool.status?.conditions, ConditionType.Stalled)
  if (condition?.status !== 'True' || condition.reason !== Reason.Unsupported) return undefined
  return { reason: Reason.Paused, message: `the pool creates no members: ${condition.message}` }
}

function noPlace(situation: Situation): LeaseCause | undefined {
  const { members, options } = situation
  if (members.length < options.ceiling) return undefined
  const quarantined = inBucket(situation, 'quarantined').length
  if (quarantined > 0 && members.length - quarantined < options.ceiling) {
    return {
      reason: Reason.Quarantined,
      message: `${quarantined} quarantined member(s) hold places under the ceiling of ${options.ceiling}`,
    }
  }
  if (inBucket(situation, 'leased').length === 0) return undefined
  return {
    reason: Reason.AllLeased,
    message: `every member is in use, and the pool may have no more than ${options.ceiling}`,
  }
}

/**
 * Counts creation failures. A failure is a member of the present template that went to Failed or stayed Creating for longer
 * than `creatingTimeout`; a member that merely still boots is none. Each is recorded by UID in the pool status before the
 * member is recycled, so it counts once however often the operator restarts in between.
 *
 * Reset: a member that became usable after the last failure, or a changed template (a new template deserves a new try).
 */
import { formatTimestamp, parseTimestamp } from '../../api/timestamp.ts'
import type { ClusterPool, CreationFailure } from '../../api/v1alpha1/cluster-pool.ts'
import { Reason } from '../../api/v1alpha1/reasons.ts'
import { backoffDelayMs } from '../fleet/backoff.ts'
import type { Member } from './member.ts'
import type { SpecHashState } from './observed.ts'
import type { PoolOptions } from './resolve-options.ts'

/** The schema keeps that many records. */
const MAX_RECORDS = 64

export interface FailureAccount {
  readonly consecutive: number
  readonly records: readonly CreationFailure[]
  /** Failures first seen in this pass. */
  readonly fresh: readonly CreationFailure[]
  /** Epoch milliseconds before which nothing is created; absent without failures. */
  readonly nextAttemptAt?: number
  readonly lastReason?: string
}

export interface FailureInput {
  readonly status: ClusterPool['status']
  readonly members: readonly Member[]
  readonly options: PoolOptions
  readonly specHash: SpecHashState
  readonly now: number
}

export function accountFailures(input: FailureInput): FailureAccount {
  const { status, members, options, now } = input
  const before = status?.failures ?? []
  const known = new Set(before.map((record) => record.uid))
  const fresh = members.filter((member) => !known.has(member.uid)).flatMap((member) => failureOf(member, input))
  const base = isReset(input, before) ? 0 : (status?.consecutiveFailures ?? 0)
  const consecutive = base + fresh.length
  const records = keepRecords([...before, ...fresh], members, consecutive)
  if (consecutive === 0) return { consecutive, records, fresh }
  const recorded = status?.nextAttemptAt === undefined ? undefined : parseTimestamp(status.nextAttemptAt)
  // Rounded up: times on the wire have whole seconds, a pause must not end early, and every pass tells the same moment.
  const pausedUntil = Math.ceil((now + backoffDelayMs(consecutive, options.backoff)) / 1000) * 1000
  const nextAttemptAt = fresh.length > 0 ? pausedUntil : (recorded ?? now)
  const lastReason = reasonText(fresh.at(-1)) ?? status?.lastFailureReason
  return { consecutive, records, fresh, nextAttemptAt, ...(lastReason === undefined ? {} : { lastReason }) }
}

/** True when the member is Creating for longer than allowed. One that the host has no room for is held, not stuck. */
export const isStuckCreating = (member: Member, options: PoolOptions, now: number): boolean =>
  member.bucket === 'creating' && !member.unschedulable && now - member.since > options.creatingTimeoutMs

function failureOf(member: Member, { options, specHash, now }: FailureInput): CreationFailure[] {
  const stuck = isStuckCreating(member, options, now)
  const failed = member.bucket === 'unhealthy' && member.failed
  // A member of a superseded template says nothing about the present one.
  if ((!stuck && !failed) || member.drifted) return []
  const hash = member.specHash ?? (specHash.state === 'known' ? specHash.hash : undefined)
  const message = failed ? member.message : `still Creating after ${Math.round((now - member.since) / 1000)} s`
  return [
    {
      uid: member.uid,
      name: member.name,
      reason: failed ? Reason.CreateFailed : timeoutReason(member),
      at: formatTimestamp(now),
      ...(message === undefined ? {} : { message: message.slice(0, 4096) }),
      ...(hash === undefined ? {} : { specHash: hash }),
    },
  ]
}

/** A bootstrap that still runs is the likely culprit, so it is named. */
export const timeoutReason = (member: Member): Reason =>
  member.activeBootstrap === undefined ? Reason.CreatingTimeout : Reason.BootstrapTimeout

function isReset({ status, members, specHash }: FailureInput, records: readonly CreationFailure[]): boolean {
  const template = status?.currentSpecHash
  if (template !== undefined && specHash.state === 'known' && template !== specHash.hash) return true
  const lastFailure = Math.max(0, ...records.map((record) => parseTimestamp(record.at) ?? 0))
  // Strictly later: within one second nobody can tell which came first, and a reset too many would hide a failure.
  return lastFailure > 0 && members.some((member) => !member.drifted && (member.readySince ?? 0) > lastFailure)
}

/** Records outlive a reset while their member exists: forgetting one earlier would count it a second time. */
function keepRecords(
  records: readonly CreationFailure[],
  members: readonly Member[],
  consecutive: number,
): CreationFailure[] {
  const alive = new Set(members.map((member) => member.uid))
  const kept = consecutive === 0 ? records.filter((record) => alive.has(record.uid)) : records
  return kept.slice(-MAX_RECORDS)
}

const reasonText = (failure: CreationFailure | undefined): string | undefined =>
  failure && `${failure.name}: ${failure.message ?? failure.reason}`

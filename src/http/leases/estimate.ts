/**
 * How long a queued lease may still wait, from what was measured. Every cluster of the pool is a place that comes free: one that
 * is being created when it has taken as long as others did, a leased one when its lease ends and its successor is created. The
 * first places in the queue take the first of these; those behind wait for as many further rounds as there are in front of
 * them. Pure.
 */
import { parseTimestamp } from '../../api/timestamp.ts'
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { field } from '../../core/optional-field.ts'
import type { Clock } from '../../kube/clock.ts'
import { phaseOf } from './lease-state.ts'
import type { PoolTimes } from './wait-times.ts'

export interface OutlookInput {
  /** Members of the pool. */
  readonly instances: readonly ClusterInstance[]
  /** Leases of the pool, whoever holds them. */
  readonly leases: readonly ClusterLease[]
  readonly times: PoolTimes
  /** Epoch milliseconds. */
  readonly now: number
}

export interface Outlook {
  /** When clusters of the pool come free, epoch milliseconds, soonest first. */
  readonly places: readonly number[]
  /** From one lease of a place to the next, milliseconds; absent: nothing tells. */
  readonly roundMs?: number
  readonly basis: Estimate['basis']
}

export interface Estimate {
  /** Whole seconds, at least 1. */
  readonly seconds: number
  readonly basis: {
    readonly creations: Measure
    readonly holds: Measure
    /** Clusters on their way to Ready. */
    readonly coming: number
    /** Clusters that come free when their leases end. */
    readonly leased: number
  }
}

interface Measure {
  /** Mean; absent without samples. */
  readonly seconds?: number
  readonly samples: number
}

export function outlookOf({ instances, leases, times, now }: OutlookInput): Outlook {
  const createMs = mean(times.creations)
  const bound = leases.filter((lease) => phaseOf(lease) === 'Bound')
  const creating = instances.filter(({ status }) => (status?.phase ?? 'Creating') === 'Creating')
  const arriving = createMs === undefined ? [] : creating.flatMap((instance) => readyAt(instance, createMs, now))
  const ending = bound.flatMap((lease) => endsAt(lease, times, now).map((at) => at + (createMs ?? 0)))
  const holdMs = mean(times.holds) ?? mean(bound.flatMap(wholeLife))
  return {
    places: [...arriving, ...ending].sort((a, b) => a - b),
    ...field('roundMs', holdMs === undefined ? undefined : holdMs + (createMs ?? 0)),
    basis: {
      creations: measure(times.creations),
      holds: measure(times.holds),
      coming: creating.length,
      leased: bound.length,
    },
  }
}

/** `position` 1 is next. `undefined` when nothing is known to come, or nothing was measured that tells when. */
export function estimateWait(outlook: Outlook, position: number, now: number): Estimate | undefined {
  const { places, roundMs, basis } = outlook
  const before = Math.max(1, position) - 1
  const first = places[before % Math.max(1, places.length)]
  const rounds = Math.floor(before / Math.max(1, places.length))
  if (first === undefined || (rounds > 0 && roundMs === undefined)) return undefined
  const at = first + rounds * (roundMs ?? 0)
  return { seconds: Math.max(1, Math.ceil((at - now) / 1000)), basis }
}

const LONGEST_PAUSE_SECONDS = 10

/** When to ask again: no later than the estimate says, and often enough to see that it was wrong. */
export const retryAfterSeconds = (estimateSeconds: number | undefined): number =>
  Math.min(LONGEST_PAUSE_SECONDS, Math.max(1, estimateSeconds ?? 1))

const mean = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length

function measure(values: readonly number[]): Measure {
  const ms = mean(values)
  return { samples: values.length, ...field('seconds', ms === undefined ? undefined : Math.round(ms / 1000)) }
}

function readyAt({ metadata }: ClusterInstance, createMs: number, now: number): number[] {
  const created = parseTimestamp(metadata.creationTimestamp ?? '')
  return created === undefined ? [] : [Math.max(now, created + createMs)]
}

/** As long as leases that had lived as long as this one went on living, and never past its expiry. */
function endsAt({ status }: ClusterLease, { holds }: PoolTimes, now: number): number[] {
  const expiry = parseTimestamp(status?.expiresAt ?? '')
  if (expiry === undefined) return []
  const start = parseTimestamp(status?.boundAt ?? '') ?? now
  const whole = mean(holds.filter((hold) => hold > now - start))
  return [Math.max(now, whole === undefined ? expiry : Math.min(expiry, start + whole))]
}

function wholeLife({ status }: ClusterLease): number[] {
  const expiry = parseTimestamp(status?.expiresAt ?? '')
  const start = parseTimestamp(status?.boundAt ?? '')
  return expiry === undefined || start === undefined ? [] : [expiry - start]
}

export interface Outlooks {
  /** May be as old as `OUTLOOK_MS`: a burst of requests costs a few looks at the pool, not one for each. */
  of(pool: string): Outlook
}

const OUTLOOK_MS = 250
/** Names come from requests: those that were asked about long ago are let go. */
const MANY_POOLS = 1_000

export function createOutlooks(
  clock: Pick<Clock, 'now'>,
  partsOf: (pool: string) => Omit<OutlookInput, 'now'>,
): Outlooks {
  const made = new Map<string, { readonly at: number; readonly outlook: Outlook }>()
  return {
    of(pool) {
      const now = clock.now()
      const known = made.get(pool)
      if (known !== undefined && now - known.at < OUTLOOK_MS) return known.outlook
      if (made.size > MANY_POOLS) made.clear()
      const outlook = outlookOf({ ...partsOf(pool), now })
      made.set(pool, { at: now, outlook })
      return outlook
    },
  }
}

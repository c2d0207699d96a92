/**
 * How long a queued lease may still wait, from what was measured: members being created become Ready after the mean of the
 * recent creations of their pool, leased ones come free at their expiry at the latest. Pure.
 */
import { parseTimestamp } from '../../api/timestamp.ts'
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import type { Clock } from '../../kube/clock.ts'
import { phaseOf } from './lease-state.ts'

export interface OutlookInput {
  /** Members of the pool. */
  readonly instances: readonly ClusterInstance[]
  /** Leases of the pool, whoever holds them. */
  readonly leases: readonly ClusterLease[]
  readonly now: number
}

/** When members of a pool come free, epoch milliseconds, soonest first. */
export type Outlook = readonly number[]

export function outlookOf({ instances, leases, now }: OutlookInput): Outlook {
  const createMs = meanCreateMs(instances)
  const arriving = createMs === undefined ? [] : instances.flatMap((instance) => readyAt(instance, createMs, now))
  const ending = leases.flatMap((lease) => freeAt(lease, createMs ?? 0, now))
  return [...arriving, ...ending].sort((a, b) => a - b)
}

/** Whole seconds; `undefined` when nothing is known to come. `position` 1 is next. */
export function estimateWaitSeconds(outlook: Outlook, position: number, now: number): number | undefined {
  const at = outlook[Math.max(1, position) - 1]
  return at === undefined ? undefined : Math.max(1, Math.ceil((at - now) / 1000))
}

function meanCreateMs(instances: readonly ClusterInstance[]): number | undefined {
  const times = instances.flatMap(({ metadata, status }) => {
    const created = parseTimestamp(metadata.creationTimestamp ?? '')
    const ready = parseTimestamp(status?.readySince ?? '')
    return created === undefined || ready === undefined || ready < created ? [] : [ready - created]
  })
  return times.length === 0 ? undefined : times.reduce((sum, ms) => sum + ms, 0) / times.length
}

function readyAt({ metadata, status }: ClusterInstance, createMs: number, now: number): number[] {
  const created = parseTimestamp(metadata.creationTimestamp ?? '')
  if (status?.phase !== 'Creating' || created === undefined) return []
  return [Math.max(now, created + createMs)]
}

/** After its lease a member is destroyed, so its place serves the next lease only after another creation. */
function freeAt(lease: ClusterLease, createMs: number, now: number): number[] {
  const expiry = parseTimestamp(lease.status?.expiresAt ?? '')
  return phaseOf(lease) === 'Bound' && expiry !== undefined ? [Math.max(now, expiry) + createMs] : []
}

export interface Outlooks {
  /** May be as old as `OUTLOOK_MS`: a burst of requests costs a few looks at the pool, not one for each. */
  of(pool: string): Outlook
}

const OUTLOOK_MS = 250

export function createOutlooks(
  clock: Pick<Clock, 'now'>,
  membersOf: (pool: string) => Pick<OutlookInput, 'instances' | 'leases'>,
): Outlooks {
  const made = new Map<string, { readonly at: number; readonly outlook: Outlook }>()
  return {
    of(pool) {
      const now = clock.now()
      const known = made.get(pool)
      if (known !== undefined && now - known.at < OUTLOOK_MS) return known.outlook
      if (made.size > MANY_POOLS) made.clear()
      const outlook = outlookOf({ ...membersOf(pool), now })
      made.set(pool, { at: now, outlook })
      return outlook
    },
  }
}

/** Names come from requests: those that were asked about long ago are let go. */
const MANY_POOLS = 1_000

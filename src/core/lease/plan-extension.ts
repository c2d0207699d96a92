/** Extending a bound lease: at most `maxExtensions` times, and never past `boundAt` + the longest life the policy allows. [doc] */
import { formatDuration } from '../../api/duration.ts'
import { formatTimestamp, parseTimestamp } from '../../api/timestamp.ts'
import type { ClusterLease, LeaseStatus } from '../../api/v1alpha1/cluster-lease.ts'
import { LeasePhase } from '../../api/v1alpha1/phases.ts'
import { leaseStatusOf } from './lease-status.ts'
import type { LeasePolicy } from './observed.ts'

export type ExtensionRefusal = 'NotBound' | 'Expired' | 'MaxExtensions' | 'MaxTtl' | 'InvalidDuration' | 'InvalidState'

export type ExtensionPlan =
  /** Write this status, fenced by UID and resourceVersion. */
  | { readonly allowed: true; readonly status: LeaseStatus; readonly expiresAt: number }
  | { readonly allowed: false; readonly refusal: ExtensionRefusal; readonly message: string }

/** `extendMs` is added to the present expiry; `now` is epoch milliseconds. */
export function planExtension(lease: ClusterLease, policy: LeasePolicy, extendMs: number, now: number): ExtensionPlan {
  const status = leaseStatusOf(lease)
  const refused = refusalOf(status, policy, now)
  if (refused !== undefined) return refused
  if (!(extendMs > 0)) return refuse('InvalidDuration', 'Invalid duration: it must be longer than zero')
  const expiresAt = momentOf(status.expiresAt) + extendMs
  const { maxTtlMs = Number.POSITIVE_INFINITY, maxExtensions } = policy
  const longest = momentOf(status.boundAt) + maxTtlMs
  if (expiresAt > longest) return beyond(maxTtlMs, longest)
  const extended = { expiresAt: formatTimestamp(expiresAt), extensionsCount: status.extensionsCount + 1, maxExtensions }
  return { allowed: true, status: { ...status, ...extended }, expiresAt }
}

/** First match, in the documented order: phase, times, expiry, count. */
function refusalOf(status: LeaseStatus, { maxExtensions }: LeasePolicy, now: number): ExtensionPlan | undefined {
  if (status.phase !== LeasePhase.Bound) {
    return refuse('NotBound', `Cannot extend TTL: lease is not in Bound phase (current: ${status.phase})`)
  }
  const expiry = momentOf(status.expiresAt)
  if (Number.isNaN(expiry) || Number.isNaN(momentOf(status.boundAt))) {
    return refuse('InvalidState', 'Cannot extend TTL: the lease has no readable boundAt and expiresAt')
  }
  if (now >= expiry) return refuse('Expired', `Cannot extend TTL: the lease expired at ${formatTimestamp(expiry)}`)
  const used = status.extensionsCount >= maxExtensions
  return used ? refuse('MaxExtensions', `Maximum extensions (${maxExtensions}) reached`) : undefined
}

/** NaN when there is none. */
const momentOf = (text: string | undefined): number => parseTimestamp(text ?? '') ?? Number.NaN

const refuse = (refusal: ExtensionRefusal, message: string): ExtensionPlan => ({ allowed: false, refusal, message })

const beyond = (maxTtlMs: number, longest: number): ExtensionPlan =>
  refuse(
    'MaxTtl',
    `Extension would exceed maximum TTL (${formatDuration(maxTtlMs)}). Max expiry: ${formatTimestamp(longest)}`,
  )

/** Whether a lease may be extended: the rule of the requester's policy, then the plan of the core; refusals as API errors. */
import type { AccessPolicy } from '../../api/v1alpha1/access-policy.ts'
import type { ClusterLease, LeaseStatus } from '../../api/v1alpha1/cluster-lease.ts'
import { type ExtensionRefusal, planExtension } from '../../core/lease/plan-extension.ts'
import { maxTtlMs, ruleOfRequester } from '../auth/principal.ts'
import { ApiError, type ApiErrorReason } from '../errors.ts'

export interface ExtensionRequest {
  readonly lease: ClusterLease
  readonly extensionMs: number
  readonly policies: readonly AccessPolicy[]
  /** Epoch milliseconds. */
  readonly now: number
}

const REASONS: Readonly<Record<ExtensionRefusal, ApiErrorReason>> = {
  NotBound: 'lease_not_bound',
  Expired: 'lease_not_bound',
  MaxExtensions: 'extension_budget_exhausted',
  MaxTtl: 'extension_too_long',
  InvalidDuration: 'invalid_ttl',
  InvalidState: 'extension_refused',
}

/** The status to write, or why not. A policy that no longer covers the requester extends nothing. */
export function decideExtension({ lease, extensionMs, policies, now }: ExtensionRequest): LeaseStatus | ApiError {
  const { type } = lease.spec.requester
  const rule = ruleOfRequester(policies, type)
  if (rule === undefined) {
    return new ApiError('extension_refused', { detail: `No AccessPolicy covers requester type ${type} any more` })
  }
  const policy = { maxTtlMs: maxTtlMs(rule), maxExtensions: rule.maxExtensions }
  const plan = planExtension(lease, policy, extensionMs, now)
  if (plan.allowed) return plan.status
  return new ApiError(REASONS[plan.refusal], { error: plan.message, field: 'extend_ttl' })
}

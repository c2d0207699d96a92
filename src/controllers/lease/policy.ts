/** What the AccessPolicy of a requester grants, found again by what the lease says of its requester. */
import { parseDuration } from '../../api/duration.ts'
import type { AccessPolicy } from '../../api/v1alpha1/access-policy.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import type { LeaseObserved, LeasePolicy } from '../../core/lease/observed.ts'
import { requesterKey } from '../../core/lease/queue.ts'
import type { ControllerDeps } from '../deps.ts'

type Rule = AccessPolicy['spec']['rules'][number]

export function policyOf(deps: ControllerDeps, lease: ClusterLease): Pick<LeaseObserved, 'policy' | 'quota'> {
  const rule = ruleOf(deps, lease)
  if (rule === undefined) return {}
  const maxTtlMs = parseDuration(rule.maxTtl)
  const policy: LeasePolicy = { maxExtensions: rule.maxExtensions, ...(maxTtlMs === undefined ? {} : { maxTtlMs }) }
  return { policy, quota: { held: heldByOthers(deps, lease), cap: rule.maxConcurrentLeases } }
}

/** `requester.type` is `<policy>` or `<policy>:<value of the match>`. */
function ruleOf(deps: ControllerDeps, { metadata, spec }: ClusterLease): Rule | undefined {
  const colon = spec.requester.type.indexOf(':')
  const name = colon < 0 ? spec.requester.type : spec.requester.type.slice(0, colon)
  const value = colon < 0 ? undefined : spec.requester.type.slice(colon + 1)
  const rules = deps.caches.policies.get(metadata.namespace, name)?.spec.rules ?? []
  return rules.find(({ match }) => match?.value === value)
}

/** Leases of the same requester that hold a member or are about to; those that still wait do not count against this one. */
function heldByOthers(deps: ControllerDeps, lease: ClusterLease): number {
  const key = requesterKey(lease)
  return deps.caches.leases.list().filter((other) => {
    const { uid = '' } = other.metadata
    if (uid === lease.metadata.uid || requesterKey(other) !== key) return false
    if (deps.own.intents.has(uid)) return true
    const { phase, binding } = deps.own.leases.latest(other).status ?? {}
    return phase === 'Bound' || ((phase ?? 'Pending') === 'Pending' && binding !== undefined)
  }).length
}

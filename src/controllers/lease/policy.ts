/** What the AccessPolicy of a requester grants, found again by what the lease says of its requester. */
import { parseDuration } from '../../api/duration.ts'
import type { AccessPolicy } from '../../api/v1alpha1/access-policy.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import type { Allowance } from '../../core/lease/assign.ts'
import type { LeaseObserved, LeasePolicy } from '../../core/lease/observed.ts'
import { requesterKey } from '../../core/lease/queue.ts'
import type { ControllerDeps } from '../deps.ts'
import type { Holders } from './holders.ts'

type Rule = AccessPolicy['spec']['rules'][number]

export function policyOf(
  deps: ControllerDeps,
  holders: Holders,
  lease: ClusterLease,
): Pick<LeaseObserved, 'policy' | 'quota'> {
  const rule = ruleOf(deps, lease)
  if (rule === undefined) return {}
  const maxTtlMs = parseDuration(rule.maxTtl)
  const policy: LeasePolicy = { maxExtensions: rule.maxExtensions, ...(maxTtlMs === undefined ? {} : { maxTtlMs }) }
  return { policy, quota: { held: holders.heldByOthers(lease), cap: rule.maxConcurrentLeases } }
}

/** How many more members each requester may hold, for matching a whole queue: asked once per requester. */
export function allowanceOf(deps: ControllerDeps, holders: Holders): Allowance {
  const known = new Map<string, number>()
  return (lease) => {
    const key = requesterKey(lease)
    const before = known.get(key)
    if (before !== undefined) return before
    const cap = ruleOf(deps, lease)?.maxConcurrentLeases ?? Number.POSITIVE_INFINITY
    const left = Math.max(0, cap - holders.held(key))
    known.set(key, left)
    return left
  }
}

/** `requester.type` is `<policy>` or `<policy>:<value of the match>`. */
function ruleOf(deps: ControllerDeps, { metadata, spec }: ClusterLease): Rule | undefined {
  const colon = spec.requester.type.indexOf(':')
  const name = colon < 0 ? spec.requester.type : spec.requester.type.slice(0, colon)
  const value = colon < 0 ? undefined : spec.requester.type.slice(colon + 1)
  const rules = deps.caches.policies.get(metadata.namespace, name)?.spec.rules ?? []
  return rules.find(({ match }) => match?.value === value)
}

/**
 * What a principal may do to standing clusters. Deny by default; a cluster that it may not view is not there for it, and every
 * other verb counts only on clusters that it may view. `create` alone stands by itself: there is nothing to view yet.
 */
import type { AccessRule, ClusterVerb } from '../../api/v1alpha1/access-policy.ts'
import type { OperationType } from '../../api/v1alpha1/node-phases.ts'
import { ApiError } from '../errors.ts'
import { fitsPattern } from './pattern.ts'
import type { Principal } from './principal.ts'

export function mayOnCluster({ clusters = [] }: AccessRule, verb: ClusterVerb, cluster: string): boolean {
  return clusters.some(
    ({ names, verbs }) => verbs.includes(verb) && names.some((pattern) => fitsPattern(pattern, cluster)),
  )
}

/** For a cluster that the principal may view. @throws ApiError `cluster_forbidden`, naming the verb */
export function requireVerbs({ rule }: Principal, cluster: string, ...verbs: readonly ClusterVerb[]): void {
  const missing = verbs.filter((verb) => !mayOnCluster(rule, verb, cluster))
  if (missing.length === 0) return
  const asked = missing.map((verb) => `\`${verb}\``).join(' and ')
  const detail = `Your AccessPolicy does not grant ${asked} on cluster ${cluster}: ask for a rule with it under \`clusters\``
  throw new ApiError('cluster_forbidden', { detail, field: 'authorization' })
}

const VERBS: Readonly<Record<OperationType, ClusterVerb>> = {
  Rollout: 'rollout',
  Upgrade: 'rollout',
  Scale: 'rollout',
  Start: 'power',
  Stop: 'power',
  Destroy: 'destroy',
}

/** What it takes to ask for an operation, and to cancel it. */
export const verbsFor = (type: OperationType, withSettings = false): ClusterVerb[] =>
  withSettings ? [VERBS[type], 'set'] : [VERBS[type]]

/** Who calls, and what the AccessPolicy grants. */
import { parseDuration } from '../../api/duration.ts'
import type { AccessPolicy, AccessRule } from '../../api/v1alpha1/access-policy.ts'
import { ownerKey } from '../../core/lease/owner.ts'
import { fitsPattern } from './pattern.ts'

export interface Principal {
  readonly identity: string
  /** Written to `spec.requester.type`: `<policy>` or `<policy>:<matched claim value>`. */
  readonly type: string
  readonly policyName: string
  readonly rule: AccessRule
}

/** What a claim-less rule without a readable `maxTtl` grants. */
const FALLBACK_MAX_TTL_MS = 3_600_000

export function maxTtlMs(rule: AccessRule): number {
  return parseDuration(rule.maxTtl) ?? FALLBACK_MAX_TTL_MS
}

export function mayUsePool(rule: AccessRule, pool: string): boolean {
  return rule.pools.some((pattern) => fitsPattern(pattern, pool))
}

/** The same principal has the same key, that of the leases it asks for. */
export function principalKey({ policyName, identity }: Pick<Principal, 'policyName' | 'identity'>): string {
  return ownerKey({ type: policyName, identity })
}

export const requesterKey = ownerKey

/** The first rule that matches the claims; a rule without `match` matches everybody. */
export function ruleFor(policy: AccessPolicy, claims: Readonly<Record<string, unknown>>): AccessRule | undefined {
  return policy.spec.rules.find(({ match }) => match === undefined || claimEquals(claims[match.claim], match.value))
}

/** A claim may be one value or a list of them (groups). */
function claimEquals(claim: unknown, value: string): boolean {
  return Array.isArray(claim)
    ? claim.some((one) => String(one) === value)
    : claim !== undefined && String(claim) === value
}

export function requesterType(policyName: string, rule: AccessRule): string {
  return rule.match === undefined ? policyName : `${policyName}:${rule.match.value}`
}

/** The rule that covers a lease later on, when no credential is at hand: found by what `requesterType` wrote. */
export function ruleOfRequester(policies: readonly AccessPolicy[], type: string): AccessRule | undefined {
  const { policyName, value } = splitType(type)
  const rules = policies.find((policy) => policy.metadata.name === policyName)?.spec.rules
  const matching = value === undefined ? undefined : rules?.find((rule) => rule.match?.value === value)
  return matching ?? rules?.find((rule) => rule.match === undefined)
}

function splitType(type: string): { policyName: string; value?: string } {
  const colon = type.indexOf(':')
  return colon === -1 ? { policyName: type } : { policyName: type.slice(0, colon), value: type.slice(colon + 1) }
}

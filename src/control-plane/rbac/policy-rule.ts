/** One rule of a Role or ClusterRole, and what it allows `[k8s pkg/apis/rbac/v1/evaluation_helpers]`. */
import type { Attributes, ResourceAttributes } from '../auth/authorize.ts'
import { isObject } from '../schema/json.ts'

export interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

/** The rules of a role that was validated, or is about to be. */
export function readRules(role: { readonly [field: string]: unknown }): readonly PolicyRule[] {
  return Array.isArray(role['rules']) ? role['rules'].filter(isPolicyRule) : []
}

const known = new WeakMap<object, readonly PolicyRule[]>()

/** The rules of a stored role: nobody changes it. */
export function rulesOf(role: { readonly [field: string]: unknown }): readonly PolicyRule[] {
  let rules = known.get(role)
  if (rules === undefined) {
    rules = readRules(role)
    known.set(role, rules)
  }
  return rules
}

function isPolicyRule(rule: unknown): rule is PolicyRule {
  return isObject(rule) && Array.isArray(rule['verbs'])
}

export function ruleAllows(rule: PolicyRule, { verb, resource, path }: Attributes): boolean {
  if (!hasOrAll(rule.verbs, verb)) return false
  return resource === undefined ? urlAllowed(rule, path ?? '') : resourceAllowed(rule, resource)
}

function resourceAllowed(rule: PolicyRule, resource: ResourceAttributes): boolean {
  const { resourceNames = [], apiGroups = [], resources = [] } = rule
  return (
    hasOrAll(apiGroups, resource.group) &&
    matchesResource(resources, resource.plural, resource.subresource) &&
    (resourceNames.length === 0 || resourceNames.includes(resource.name ?? ''))
  )
}

function matchesResource(resources: readonly string[], plural: string, subresource: string | undefined): boolean {
  if (resources.includes('*')) return true
  if (subresource === undefined) return resources.includes(plural)
  return resources.includes(`${plural}/${subresource}`) || resources.includes(`*/${subresource}`)
}

function urlAllowed({ nonResourceURLs = [] }: PolicyRule, path: string): boolean {
  return nonResourceURLs.some((pattern) => urlCovers(pattern, path))
}

/** A `*` at the end stands for anything, also for nothing; elsewhere it means itself. */
export function urlCovers(pattern: string, path: string): boolean {
  if (pattern === path || pattern === '*') return true
  return pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, ''))
}

export function hasOrAll(values: readonly string[], value: string): boolean {
  return values.includes('*') || values.includes(value)
}

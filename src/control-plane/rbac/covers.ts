/** Whether rules that someone holds cover rules that they want to grant `[k8s component-helpers/auth/rbac/validation]`. */
import { type PolicyRule, urlCovers } from './policy-rule.ts'

/** One verb on one resource (of one name) or on one URL. */
interface Grain {
  readonly verb: string
  readonly apiGroup?: string
  readonly resource?: string
  readonly resourceName?: string
  readonly url?: string
}

/** The parts of `wanted` that none of `held` covers. */
export function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): Grain[] {
  return wanted.flatMap(grainsOf).filter((grain) => !held.some((rule) => ruleCovers(rule, grain)))
}

function grainsOf(rule: PolicyRule): Grain[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
  const names = resourceNames.length === 0 ? [{}] : resourceNames.map((resourceName) => ({ resourceName }))
  const onResources = apiGroups.flatMap((apiGroup) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) => names.map((name) => ({ verb, apiGroup, resource, ...name }))),
    ),
  )
  return [...onResources, ...nonResourceURLs.flatMap((url) => verbs.map((verb) => ({ verb, url })))]
}

function ruleCovers(rule: PolicyRule, grain: Grain): boolean {
  if (!rule.verbs.includes('*') && !rule.verbs.includes(grain.verb)) return false
  const { url, apiGroup, resource, resourceName } = grain
  if (url !== undefined) return (rule.nonResourceURLs ?? []).some((pattern) => urlCovers(pattern, url))
  const { apiGroups = [], resources = [], resourceNames = [] } = rule
  return (
    (apiGroups.includes('*') || apiGroups.includes(apiGroup ?? '')) &&
    resourceCovered(resources, resource ?? '') &&
    (resourceNames.length === 0 || (resourceName !== undefined && resourceNames.includes(resourceName)))
  )
}

function resourceCovered(resources: readonly string[], resource: string): boolean {
  if (resources.includes('*') || resources.includes(resource)) return true
  const slash = resource.indexOf('/')
  return slash >= 0 && resources.includes(`*${resource.slice(slash)}`)
}

/** Sorted lines such as `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}`: one per resource and name, or URL. */
export function describeGrains(grains: readonly Grain[]): string[] {
  const lines = new Map<string, { grain: Grain; verbs: string[] }>()
  for (const grain of grains) {
    const { verb, ...where } = grain
    const key = grain.url === undefined ? JSON.stringify(where) : JSON.stringify(grain)
    const line = lines.get(key)
    if (line === undefined) lines.set(key, { grain, verbs: [verb] })
    else line.verbs.push(verb)
  }
  const texts = [...lines.values()].map(({ grain, verbs }) => describe(grain, verbs))
  return [...new Set(texts)].sort()
}

function describe({ apiGroup, resource, url, resourceName }: Grain, verbs: readonly string[]): string {
  const parts = [
    apiGroup !== undefined && `APIGroups:${list([apiGroup])}`,
    resource !== undefined && `Resources:${list([resource])}`,
    url !== undefined && `NonResourceURLs:${list([url])}`,
    resourceName !== undefined && `ResourceNames:${list([resourceName])}`,
    `Verbs:${list(verbs)}`,
  ]
  return `{${parts.filter((part) => part !== false).join(', ')}}`
}

/** As Go prints a slice of quoted strings. */
export function list(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`
}

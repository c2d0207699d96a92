/** Definitions arranged by group and version, in the order of discovery. */
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import { compareVersions } from './version-order.ts'

export interface Group {
  /** Empty: the core group. */
  readonly name: string
  /** The preferred version first. */
  readonly versions: readonly GroupVersion[]
}

export interface GroupVersion {
  readonly version: string
  /** Sorted by plural name. */
  readonly definitions: readonly ResourceDefinition[]
}

export interface Subresource {
  readonly name: string
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly verbs: readonly string[]
}

const cache = new WeakMap<readonly ResourceDefinition[], readonly Group[]>()

/**
 * Built-in groups come in the order in which their definitions are given (that of the real server's priorities), then the
 * groups that custom kinds add, by name, each with its most stable and newest version first.
 */
export function groupsOf(definitions: readonly ResourceDefinition[]): readonly Group[] {
  const known = cache.get(definitions)
  if (known !== undefined) return known
  const groups = arrange(definitions)
  cache.set(definitions, groups)
  return groups
}

function arrange(definitions: readonly ResourceDefinition[]): Group[] {
  const byGroup = Map.groupBy(definitions, ({ group }) => group)
  const builtin = new Set(definitions.filter(({ origin }) => origin === 'builtin').map(({ group }) => group))
  const custom = [...byGroup.keys()].filter((group) => !builtin.has(group)).sort()
  return [...builtin, ...custom].map((name) => toGroup(name, byGroup.get(name) ?? []))
}

function toGroup(name: string, definitions: readonly ResourceDefinition[]): Group {
  const byVersion = Map.groupBy(definitions, ({ version }) => version)
  const isBuiltin = definitions.some(({ origin }) => origin === 'builtin')
  const versions = isBuiltin ? [...byVersion.keys()] : [...byVersion.keys()].sort(compareVersions)
  return {
    name,
    versions: versions.map((version) => ({
      version,
      definitions: (byVersion.get(version) ?? []).toSorted((left, right) => (left.plural < right.plural ? -1 : 1)),
    })),
  }
}

const STATUS_VERBS = ['get', 'patch', 'update']

/** A definition's subresources: those of built-in kinds sorted by name, those of custom kinds status first. */
export function resourcesOf({ subresources, group, version, kind, origin }: ResourceDefinition): Subresource[] {
  const found: Subresource[] = Object.entries(subresources.other ?? {}).map(([name, other]) => ({ name, ...other }))
  if (subresources.status) found.push({ name: 'status', group, version, kind, verbs: STATUS_VERBS })
  if (subresources.scale) {
    found.push({ name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: STATUS_VERBS })
  }
  return origin === 'custom' ? found : found.sort((left, right) => (left.name < right.name ? -1 : 1))
}

/** Discovery documents -> the table of served resources, in the order in which discovery lists them. */
import { readFileSync } from 'node:fs'
import path from 'node:path'

export interface ResourceRow {
  readonly plural: string
  readonly singular: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly subresources?: readonly SubresourceRow[]
}

export interface SubresourceRow {
  readonly name: string
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly verbs: readonly string[]
}

export interface GroupVersionRow {
  readonly group: string
  readonly version: string
  readonly resources: readonly ResourceRow[]
}

interface DiscoveryItem {
  metadata: { name?: string }
  versions: Array<{ version: string }>
}

/** One entry of an APIResourceList; a subresource's name is `plural/subresource`. */
interface ApiResource {
  name: string
  singularName: string
  kind: string
  namespaced: boolean
  verbs: string[]
  shortNames?: string[]
  categories?: string[]
  group?: string
  version?: string
}

/** Since 1.24 no new alpha or beta version is served unless asked for, and no older one is left. */
const servedByDefault = (version: string): boolean => /^v\d+$/.test(version)

export function readResources(kubernetes: string): GroupVersionRow[] {
  const folder = path.join(kubernetes, 'api/discovery')
  const aggregated: { items: DiscoveryItem[] } = readJson(folder, 'aggregated_v2.json')
  const rows = [groupVersion(folder, '', 'v1')]
  for (const { metadata, versions } of aggregated.items) {
    for (const { version } of versions.filter((candidate) => servedByDefault(candidate.version))) {
      rows.push(groupVersion(folder, metadata.name ?? '', version))
    }
  }
  return rows
}

function groupVersion(folder: string, group: string, version: string): GroupVersionRow {
  const file = group === '' ? `api__${version}.json` : `apis__${group}__${version}.json`
  const { resources }: { resources: ApiResource[] } = readJson(folder, file)
  const main = resources.filter(({ name }) => !name.includes('/'))
  return { group, version, resources: main.map((resource) => toRow(resource, resources, { group, version })) }
}

function toRow(resource: ApiResource, all: ApiResource[], at: { group: string; version: string }): ResourceRow {
  const subresources = all
    .filter(({ name }) => name.startsWith(`${resource.name}/`))
    .map(({ name, kind, verbs, group, version }) => ({
      name: name.slice(resource.name.length + 1),
      group: group ?? at.group,
      version: version ?? at.version,
      kind,
      verbs,
    }))
  return {
    plural: resource.name,
    singular: resource.singularName,
    kind: resource.kind,
    namespaced: resource.namespaced,
    verbs: resource.verbs,
    ...(resource.shortNames && { shortNames: resource.shortNames }),
    ...(resource.categories && { categories: resource.categories }),
    ...(subresources.length > 0 && { subresources }),
  }
}

function readJson<T>(folder: string, file: string): T {
  return JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as T
}

/**
 * What is served, as clients discover it: `/api`, `/apis`, `/api/v1`, `/apis/G`, `/apis/G/V`. The first two also in the
 * aggregated form, which names everything in one answer; its content type must carry all parameters, or clients take the
 * answer for the old form.
 */
import { createHash } from 'node:crypto'
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import { aggregated } from './aggregated.ts'
import { type Group, type GroupVersion, groupsOf, resourcesOf } from './groups.ts'

export interface DiscoveryResponse {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

const JSON_TYPE = 'application/json'
const AGGREGATED_VERSIONS = ['v2', 'v2beta1'] as const
type AggregatedVersion = (typeof AGGREGATED_VERSIONS)[number]

/** Undefined when the path is none of discovery, or names a group or version that is not served. `path` is without query. */
export function discoveryResponse(
  path: string,
  accept: string,
  definitions: readonly ResourceDefinition[],
  serverAddress = '',
): DiscoveryResponse | undefined {
  const segments = path.split('/').filter(Boolean)
  const groups = groupsOf(definitions)
  const [root, first, second] = segments
  if (segments.length === 1) return rootResponse(root ?? '', accept, groups, serverAddress)
  if (root === 'api' && segments.length === 2) return versionResponse(groups, '', first ?? '')
  if (root !== 'apis' || first === undefined || segments.length > 3) return undefined
  return second === undefined ? groupResponse(groups, first) : versionResponse(groups, first, second)
}

function rootResponse(
  root: string,
  accept: string,
  groups: readonly Group[],
  serverAddress: string,
): DiscoveryResponse | undefined {
  if (root !== 'api' && root !== 'apis') return undefined
  const served = groups.filter(({ name }) => (name === '') === (root === 'api'))
  const version = acceptedVersion(accept)
  if (version !== undefined) {
    const contentType = `${JSON_TYPE};g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`
    return { status: 200, contentType, body: JSON.stringify(aggregated(served, version)) }
  }
  return respond(root === 'api' ? apiVersions(served, serverAddress) : apiGroupList(served))
}

const PLAIN_TYPES = [JSON_TYPE, 'application/*', '*/*']

/** The first acceptable form that is known here; undefined: the old one. */
function acceptedVersion(accept: string): AggregatedVersion | undefined {
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
    const version = aggregatedVersion(type, new Set(parameters))
    if (version !== undefined) return version
    if (PLAIN_TYPES.includes(type) && !parameters.some((parameter) => parameter.startsWith('as='))) return undefined
  }
  return undefined
}

function aggregatedVersion(type: string, parameters: ReadonlySet<string>): AggregatedVersion | undefined {
  const isAggregated =
    type === JSON_TYPE && parameters.has('as=APIGroupDiscoveryList') && parameters.has('g=apidiscovery.k8s.io')
  return isAggregated ? AGGREGATED_VERSIONS.find((version) => parameters.has(`v=${version}`)) : undefined
}

function respond(body: object): DiscoveryResponse {
  return { status: 200, contentType: JSON_TYPE, body: JSON.stringify(body) }
}

function apiVersions(groups: readonly Group[], serverAddress: string): object {
  return {
    kind: 'APIVersions',
    versions: groups.flatMap(({ versions }) => versions.map(({ version }) => version)),
    serverAddressByClientCIDRs: serverAddress === '' ? [] : [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  }
}

function apiGroupList(groups: readonly Group[]): object {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(apiGroup) }
}

function groupResponse(groups: readonly Group[], name: string): DiscoveryResponse | undefined {
  const group = groups.find((candidate) => candidate.name === name)
  return group && respond({ kind: 'APIGroup', apiVersion: 'v1', ...apiGroup(group) })
}

function apiGroup({ name, versions }: Group): object {
  const described = versions.map(({ version }) => ({ groupVersion: `${name}/${version}`, version }))
  return { name, versions: described, preferredVersion: described[0] }
}

function versionResponse(groups: readonly Group[], name: string, version: string): DiscoveryResponse | undefined {
  const found = groups
    .find((candidate) => candidate.name === name)
    ?.versions.find((candidate) => candidate.version === version)
  return found && respond(apiResourceList(name, found))
}

function apiResourceList(group: string, { version, definitions }: GroupVersion): object {
  return {
    kind: 'APIResourceList',
    // The core group's list has none: it is older than the field.
    ...(group !== '' && { apiVersion: 'v1' }),
    groupVersion: group === '' ? version : `${group}/${version}`,
    resources: definitions.flatMap((definition) => [mainResource(definition), ...subresources(definition)]),
  }
}

function mainResource(definition: ResourceDefinition): object {
  return {
    name: definition.plural,
    singularName: definition.singular,
    namespaced: definition.namespaced,
    kind: definition.kind,
    verbs: definition.verbs,
    ...(definition.shortNames.length > 0 && { shortNames: definition.shortNames }),
    ...(definition.categories.length > 0 && { categories: definition.categories }),
    ...(definition.verbs.includes('watch') && { storageVersionHash: storageVersionHash(definition) }),
  }
}

/** Tells clients when the version that objects are stored in changes. */
function storageVersionHash({ group, storageVersion, kind }: ResourceDefinition): string {
  // Events are stored in their first group, whichever they come by.
  const storageGroup = group === 'events.k8s.io' ? '' : group
  // The real server still names the version that CRDs were first stored in.
  const version = group === 'apiextensions.k8s.io' ? 'v1beta1' : storageVersion
  const hash = createHash('sha256').update(`${storageGroup}/${version}/${kind}`)
  return hash.digest().subarray(0, 8).toString('base64')
}

function subresources(definition: ResourceDefinition): object[] {
  return resourcesOf(definition).map(({ name, group, version, kind, verbs }) => ({
    name: `${definition.plural}/${name}`,
    singularName: '',
    namespaced: definition.namespaced,
    // Of a kind of the resource's own group version these are left out.
    ...((group !== definition.group || version !== definition.version) && { group, version }),
    kind,
    verbs,
  }))
}

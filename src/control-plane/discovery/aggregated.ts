/** The aggregated form of discovery: one APIGroupDiscoveryList with every group, version, resource and subresource. */
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import { type Group, resourcesOf, type Subresource } from './groups.ts'

export function aggregated(groups: readonly Group[], version: string): object {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === '' ? { creationTimestamp: null } : { name, creationTimestamp: null },
      versions: versions.map(({ version, definitions }) => ({
        version,
        resources: definitions.map(describeResource),
        freshness: 'Current',
      })),
    })),
  }
}

function describeResource(definition: ResourceDefinition): object {
  const subresources = resourcesOf(definition).map(describeSubresource)
  return {
    resource: definition.plural,
    responseKind: { group: definition.group, version: definition.version, kind: definition.kind },
    scope: definition.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: definition.singular,
    verbs: definition.verbs,
    ...(definition.shortNames.length > 0 && { shortNames: definition.shortNames }),
    ...(definition.categories.length > 0 && { categories: definition.categories }),
    ...(subresources.length > 0 && { subresources }),
  }
}

function describeSubresource({ name, group, version, kind, verbs }: Subresource): object {
  return { subresource: name, responseKind: { group, version, kind }, verbs }
}

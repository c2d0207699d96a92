/** The aggregated form of discovery: one APIGroupDiscoveryList with every group, version, resource and subresource. */
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import { type Group, resourcesOf, type Subresource } from './groups.ts'

export function aggregated(groups: readonly Group[], version: string): object {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === '' ? {} : { name },
      versions: versions.map(({ version, definitions }) => ({
        version,
        resources: definitions.map(describeResource),
        freshness: 'Current',
      })),
    })),
  }
}

function describeResource(definition: ResourceDefinition): object {
  const subresources = resourcesOf(definition).map((subresource) => describeSubresource(definition, subresource))
  return {
    resource: definition.plural,
    responseKind: responseKind(definition, definition),
    scope: definition.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: definition.singular,
    verbs: definition.verbs,
    ...(definition.shortNames.length > 0 && { shortNames: definition.shortNames }),
    ...(definition.categories.length > 0 && { categories: definition.categories }),
    ...(subresources.length > 0 && { subresources }),
  }
}

function describeSubresource(definition: ResourceDefinition, { name, verbs, ...kind }: Subresource): object {
  return { subresource: name, responseKind: responseKind(definition, kind), verbs }
}

interface Kind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** Built-in kinds leave out their own group version, as the real server does; clients fill it in. */
function responseKind(definition: ResourceDefinition, { group, version, kind }: Kind): Kind {
  const isOwn = group === definition.group && version === definition.version
  return isOwn && definition.origin === 'builtin' ? { group: '', version: '', kind } : { group, version, kind }
}

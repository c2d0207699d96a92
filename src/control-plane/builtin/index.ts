/** All resources that a Kubernetes API server of the pinned release serves by default, in discovery order. */
import type { ResourceDefinition, StorageConversion, Subresources } from '../registry/resource-definition.ts'
import { builtinColumns } from '../table/columns/index.ts'
import { completeStrategy } from './complete-strategy.ts'
import { autoscalerFromStorage, autoscalerToStorage } from './convert-autoscaler.ts'
import type { PriorityClasses } from './priority-classes.ts'
import { REF_PREFIX, resolveBuiltin } from './schemas.ts'
import { selectableFields, selectableValue } from './selectable-fields.ts'
import type { ServiceAddresses } from './service-addresses.ts'
import { strategyOf } from './strategies/index.ts'
import { createPodStrategy } from './strategies/pod.ts'
import { createServiceStrategy } from './strategies/service.ts'
import { type ResourceRow, resourceTable } from './tables.ts'

let definitions: readonly ResourceDefinition[] | undefined

/** Always the same array. Schemas are read from disk when `schema()` is first called for a group version. */
export function builtinResources(): readonly ResourceDefinition[] {
  definitions ??= resourceTable().groupVersions.flatMap(({ group, version, resources }) =>
    resources.map((row) => toDefinition(group, version, row)),
  )
  return definitions
}

const CONVERSIONS: Readonly<Record<string, StorageConversion>> = {
  'autoscaling/v1/HorizontalPodAutoscaler': { fromStorage: autoscalerFromStorage, toStorage: autoscalerToStorage },
}

function toDefinition(group: string, version: string, row: ResourceRow): ResourceDefinition {
  const name = resourceTable().kinds[`${group}/${version}/${row.kind}`] ?? ''
  const ref = `${REF_PREFIX}${name}`
  const conversion = CONVERSIONS[`${group}/${version}/${row.kind}`]
  return {
    group,
    version,
    kind: row.kind,
    listKind: `${row.kind}List`,
    plural: row.plural,
    singular: row.singular,
    shortNames: row.shortNames ?? [],
    categories: row.categories ?? [],
    namespaced: row.namespaced,
    verbs: row.verbs,
    subresources: toSubresources(row),
    schema: () => resolveBuiltin(ref),
    resolve: resolveBuiltin,
    columns: builtinColumns(group, row.kind),
    origin: 'builtin',
    ...deprecationOf(group, version, row.kind),
    storageVersion: storageVersion(group),
    prune: true,
    selectableFields: selectableFields(group, row.kind),
    selectableValue: (path) => selectableValue(group, row.kind, path),
    ...(conversion && { conversion }),
    strategy: completeStrategy(name, strategyOf(group, row.kind)),
  }
}

const DEPRECATED: Readonly<Record<string, string>> = {
  '/v1/ComponentStatus': 'v1 ComponentStatus is deprecated in v1.19+',
  '/v1/Endpoints': 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
}

function deprecationOf(group: string, version: string, kind: string): { deprecationWarning?: string } {
  const deprecationWarning = DEPRECATED[`${group}/${version}/${kind}`]
  return deprecationWarning === undefined ? {} : { deprecationWarning }
}

/** The version that discovery lists first is the one that objects are stored in. */
function storageVersion(group: string): string {
  const preferred = resourceTable().groupVersions.find((candidate) => candidate.group === group)
  if (preferred === undefined) throw new Error(`the built-in group ${group} has no version`)
  return preferred.version
}

const SCALE = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
}

function toSubresources({ subresources = [] }: ResourceRow): Subresources {
  const names = new Set(subresources.map(({ name }) => name))
  const others = subresources.filter(({ name }) => name !== 'status' && name !== 'scale')
  return {
    ...(names.has('status') && { status: true }),
    ...(names.has('scale') && { scale: SCALE }),
    ...(others.length > 0 && {
      other: Object.fromEntries(
        others.map(({ name, group, version, kind, verbs }) => [name, { group, version, kind, verbs }]),
      ),
    }),
  }
}

/** The definition of pods, with priorities from the classes that exist. */
export function withPriorityClasses(definition: ResourceDefinition, classes: PriorityClasses): ResourceDefinition {
  return { ...definition, strategy: completeStrategy('io.k8s.api.core.v1.Pod', createPodStrategy(classes)) }
}

/** The definition of Services, with cluster IPs and node ports allocated so that none is taken twice. */
export function withServiceAddresses(definition: ResourceDefinition, addresses: ServiceAddresses): ResourceDefinition {
  return { ...definition, strategy: completeStrategy('io.k8s.api.core.v1.Service', createServiceStrategy(addresses)) }
}

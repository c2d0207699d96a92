/** Ways in which built-in kinds differ from each other in the generic handlers `[k8s registry strategies]`. */
import { isNewEvent } from './event-versions.ts'
import type { ResourceDefinition } from './resource-definition.ts'

/** `plural.group`, `plural` in the core group: the name under which all versions of a resource are stored. */
export function storageName(definition: Pick<ResourceDefinition, 'group' | 'plural' | 'origin'>): string {
  if (isNewEvent(definition)) return definition.plural
  return definition.group === '' ? definition.plural : `${definition.plural}.${definition.group}`
}

/** Built-in kinds that count generations; custom kinds always do. */
const WITH_GENERATION: ReadonlySet<string> = new Set([
  'pods',
  'podtemplates',
  'replicationcontrollers',
  'deployments.apps',
  'daemonsets.apps',
  'statefulsets.apps',
  'replicasets.apps',
  'jobs.batch',
  'cronjobs.batch',
  'poddisruptionbudgets.policy',
  'ingresses.networking.k8s.io',
  'ingressclasses.networking.k8s.io',
  'networkpolicies.networking.k8s.io',
  'customresourcedefinitions.apiextensions.k8s.io',
  'flowschemas.flowcontrol.apiserver.k8s.io',
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
  'priorityclasses.scheduling.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
  'validatingadmissionpolicies.admissionregistration.k8s.io',
  'validatingadmissionpolicybindings.admissionregistration.k8s.io',
  'mutatingadmissionpolicies.admissionregistration.k8s.io',
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
  'endpointslices.discovery.k8s.io',
  'deviceclasses.resource.k8s.io',
])

export function countsGenerations(definition: ResourceDefinition): boolean {
  return definition.origin === 'custom' || WITH_GENERATION.has(storageName(definition))
}

/** PUT to an absent object creates it. */
const CREATED_BY_UPDATE: ReadonlySet<string> = new Set([
  'events',
  'leases.coordination.k8s.io',
  'services',
  'endpoints',
  'endpointslices.discovery.k8s.io',
  'limitranges',
  'roles.rbac.authorization.k8s.io',
  'rolebindings.rbac.authorization.k8s.io',
  'clusterroles.rbac.authorization.k8s.io',
  'clusterrolebindings.rbac.authorization.k8s.io',
])

export function isCreatedByUpdate(definition: ResourceDefinition): boolean {
  return CREATED_BY_UPDATE.has(storageName(definition))
}

/** A PUT must name the resourceVersion it replaces. */
const FENCED_UPDATE: ReadonlySet<string> = new Set([
  'customresourcedefinitions.apiextensions.k8s.io',
  'leases.coordination.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
  'validatingadmissionpolicies.admissionregistration.k8s.io',
  'validatingadmissionpolicybindings.admissionregistration.k8s.io',
])

export function needsRevisionOnUpdate(definition: ResourceDefinition): boolean {
  return definition.origin === 'custom' || FENCED_UPDATE.has(storageName(definition))
}

/** Deleted without a wish for their dependents, these leave them alive: what their first API versions did. */
const ORPHANS_BY_DEFAULT: ReadonlySet<string> = new Set(['replicationcontrollers', 'jobs.batch'])

export function orphansByDefault(definition: ResourceDefinition): boolean {
  return ORPHANS_BY_DEFAULT.has(storageName(definition))
}

/** Their deletion answers the object and not a Status. */
const ANSWERED_WHEN_DELETED: ReadonlySet<string> = new Set([
  'pods',
  'podtemplates',
  'persistentvolumes',
  'persistentvolumeclaims',
  'resourcequotas',
  'serviceaccounts',
  'services',
  'storageclasses.storage.k8s.io',
  'volumeattachments.storage.k8s.io',
  'csinodes.storage.k8s.io',
  'csidrivers.storage.k8s.io',
  'csistoragecapacities.storage.k8s.io',
])

export function isAnsweredWhenDeleted(definition: ResourceDefinition): boolean {
  return ANSWERED_WHEN_DELETED.has(storageName(definition))
}

/** A kubelet registers its Node with the status in it. */
export function keepsStatusOnCreate(definition: ResourceDefinition): boolean {
  return storageName(definition) === 'nodes'
}

/** `/status` of custom kinds and of CRDs writes the status alone; of other kinds also labels and annotations. */
export function statusWriteKeepsMetadata(definition: ResourceDefinition): boolean {
  return definition.origin === 'custom' || definition.group === 'apiextensions.k8s.io'
}

export type NameRule = 'subdomain' | 'label' | 'path'

export function nameRuleOf(definition: ResourceDefinition): NameRule {
  if (definition.group === 'rbac.authorization.k8s.io') return 'path'
  const name = storageName(definition)
  return name === 'namespaces' || name === 'services' ? 'label' : 'subdomain'
}

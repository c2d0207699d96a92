/** Fields that an endpoint does not write, and that nobody comes to own through it `[k8s GetResetFields]`. */
import { storageName } from '../registry/kind-traits.ts'
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import { type FieldSet, fieldSetOf } from './field-set.ts'

const SPEC = ['f:spec']
const STATUS = ['f:status']
const METADATA = ['f:metadata']

const MAIN = fieldSetOf([STATUS])
const STATUS_OF_BUILTIN = fieldSetOf([SPEC])
const STATUS_AND_METADATA = fieldSetOf([SPEC, METADATA])

/** Their `/status` takes no metadata; that of other built-in kinds takes labels and annotations. */
const STATUS_ALONE: ReadonlySet<string> = new Set([
  'servicecidrs.networking.k8s.io',
  'resourceclaims.resource.k8s.io',
  'volumeattachments.storage.k8s.io',
  'flowschemas.flowcontrol.apiserver.k8s.io',
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
  'validatingadmissionpolicies.admissionregistration.k8s.io',
])

const OTHERS: Readonly<Record<string, FieldSet>> = {
  'deployments.apps/status': fieldSetOf([SPEC, ['f:metadata', 'f:labels']]),
  'pods/status': fieldSetOf([SPEC, ['f:metadata', 'f:deletionTimestamp'], ['f:metadata', 'f:ownerReferences']]),
  'certificatesigningrequests.certificates.k8s.io/': fieldSetOf([SPEC, STATUS]),
  'certificatesigningrequests.certificates.k8s.io/status': fieldSetOf([SPEC, ['f:status', 'f:conditions']]),
  'certificatesigningrequests.certificates.k8s.io/approval': fieldSetOf([SPEC, ['f:status', 'f:certificate']]),
}

/** `subresource` is empty for the object itself. */
export function ignoredFields(definition: ResourceDefinition, subresource: string): FieldSet | undefined {
  const name = storageName(definition)
  const special = OTHERS[`${name}/${subresource}`]
  if (special !== undefined) return special
  if (subresource === 'status') {
    return definition.origin === 'custom' || STATUS_ALONE.has(name) ? STATUS_AND_METADATA : STATUS_OF_BUILTIN
  }
  if (subresource !== '' && subresource !== 'finalize') return undefined
  return definition.subresources.status === true ? MAIN : undefined
}

/** What is nobody's, whoever writes it. */
export const UNOWNED = fieldSetOf([
  ['f:apiVersion'],
  ['f:kind'],
  METADATA,
  ...['name', 'namespace', 'creationTimestamp', 'selfLink', 'uid', 'clusterName'].map((name) => [
    ...METADATA,
    `f:${name}`,
  ]),
  ...['generation', 'managedFields', 'resourceVersion'].map((name) => [...METADATA, `f:${name}`]),
])

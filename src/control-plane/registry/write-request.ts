/** What the create, update and delete of an object have in common. */
import { badRequest } from '../errors.ts'
import type { Entry } from '../store/entry.ts'
import type { FieldFindings } from './field-findings.ts'
import type { FieldOwners } from './field-owners.ts'
import type { DraftMeta } from './object-meta.ts'
import type { ResourceDefinition, StoredMeta, StoredObject } from './resource-definition.ts'

export interface WriteRequest {
  readonly definition: ResourceDefinition
  /** From the URL; absent for cluster-scoped kinds. */
  readonly namespace?: string | undefined
  readonly findings: FieldFindings
  /** Everything but the write itself happens. */
  readonly dryRun: boolean
  /** Of a client's write; without it `managedFields` stays as it is. */
  readonly owners?: FieldOwners
}

export interface Written {
  readonly object: StoredObject
  /** As stored; absent for a dry run. */
  readonly entry?: Entry
  /** False when nothing had to change. */
  readonly changed: boolean
}

/** The namespace of a draft is that of the URL. @throws ApiError 400 when it names another. */
export function placeInNamespace(request: WriteRequest, meta: DraftMeta): string | undefined {
  const { definition, namespace } = request
  if (!definition.namespaced) {
    if (meta.namespace === undefined) return undefined
    throw badRequest('namespace is not allowed on cluster-scoped resources')
  }
  if (meta.namespace !== undefined && meta.namespace !== namespace) {
    throw badRequest(`the namespace of the provided object does not match the namespace sent on the request`)
  }
  return namespace
}

/** Metadata in the order in which it is shown, without absent fields. */
export function orderMeta(meta: StoredMeta): StoredMeta {
  const { name, generateName, namespace, uid, resourceVersion, generation, creationTimestamp, ...rest } = meta
  return {
    name,
    ...(generateName === undefined ? {} : { generateName }),
    ...(namespace === undefined ? {} : { namespace }),
    uid,
    resourceVersion,
    ...(generation === undefined ? {} : { generation }),
    creationTimestamp,
    ...rest,
  }
}

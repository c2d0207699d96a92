/** One served resource in one version: what discovery, OpenAPI, storage, validation and printing need to know of it. */
import type { ResolveRef, Schema } from '../schema/schema.ts'

export interface ResourceDefinition {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly listKind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  /** create, delete, deletecollection, get, list, patch, update, watch; a review kind has create only. */
  readonly verbs: readonly string[]
  readonly subresources: Subresources
  /** Schema of the whole object. Loaded on first use: built-in schemas are large. */
  schema(): Schema
  readonly resolve: ResolveRef
  readonly columns: readonly PrinterColumn[]
  readonly origin: 'builtin' | 'custom'
  /** Told to whoever uses this version. */
  readonly deprecationWarning?: string
  /** The version objects are stored in; the group's other versions convert to it. */
  readonly storageVersion: string
  /** Unknown fields are dropped (custom: unless preserved; built-in: always). */
  readonly prune: boolean
  /** Field paths that may be selected on, besides metadata.name and metadata.namespace. */
  readonly selectableFields: readonly string[]
  /** How a selectable field's value is found where it is not simply the text at its path; undefined for other paths. */
  readonly selectableValue?: (path: string) => ((object: unknown) => string) | undefined
  /** Of a built-in version whose objects are stored in another form than it shows. */
  readonly conversion?: StorageConversion
  /** What the built-in kind does beyond its schema; absent for custom kinds. */
  readonly strategy?: Strategy
}

/** Neither function changes its argument; both answer whole objects, with the other apiVersion. */
export interface StorageConversion {
  fromStorage(stored: StoredObject): StoredObject
  toStorage(object: StoredObject): StoredObject
}

export interface Subresources {
  /** The main endpoint ignores `status`, `/status` ignores everything else. */
  readonly status?: boolean
  readonly scale?: {
    readonly specReplicasPath: string
    readonly statusReplicasPath: string
    readonly labelSelectorPath?: string
  }
  /** Others by name (`eviction`, `binding`, `token`, `log`, `approval`): kind of the body, verbs. */
  readonly other?: Readonly<Record<string, { group: string; version: string; kind: string; verbs: readonly string[] }>>
}

export interface PrinterColumn {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  /** 0: always shown; greater: only with `-o wide`. */
  readonly priority?: number
  /** A custom kind's column: where the value is. */
  readonly jsonPath?: string
  /** A built-in kind's column: how to compute the value. `now` is epoch milliseconds. */
  readonly value?: (object: StoredObject, now: number) => string | number | boolean | null
}

/** Hooks of a built-in kind. All mutate `object` in place; `validate` answers findings. */
export interface Strategy {
  /** Fills what the real server fills on create (defaults that depend on other fields, allocated values, status phase). */
  prepareForCreate?(object: StoredObject): void
  prepareForUpdate?(object: StoredObject, old: StoredObject): void
  /** Defaults, applied on create and on update. */
  defaults?(object: StoredObject): void
  validate?(object: StoredObject): import('../schema/schema.ts').FieldError[]
  validateUpdate?(object: StoredObject, old: StoredObject): import('../schema/schema.ts').FieldError[]
}

/** An object as it is kept: anything below `metadata` is the kind's own business. */
export interface StoredObject {
  apiVersion: string
  kind: string
  metadata: StoredMeta
  [field: string]: unknown
}

export interface StoredMeta {
  name: string
  namespace?: string
  uid: string
  resourceVersion: string
  generation?: number
  generateName?: string
  creationTimestamp: string
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  finalizers?: string[]
  ownerReferences?: Array<{
    apiVersion: string
    kind: string
    name: string
    uid: string
    controller?: boolean
    blockOwnerDeletion?: boolean
  }>
  managedFields?: unknown[]
}

/**
 * The one door to a Kubernetes API. Controllers, HTTP and backends receive a `KubeClient`;
 * `createKubeClient` (kube-client.ts) makes the real one over HTTPS.
 */
import type { KubeObject, ResourceType } from '../api/resource.ts'

export interface ObjectRef {
  readonly name: string
  /** Required for namespaced kinds. */
  readonly namespace?: string
}

export interface ListOptions {
  /** Absent: all namespaces. */
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly limit?: number
  readonly continue?: string
  readonly resourceVersion?: string
  readonly signal?: AbortSignal
}

export interface ListResult<T> {
  readonly items: T[]
  readonly resourceVersion: string
  readonly continue?: string
}

export interface WatchOptions extends ListOptions {
  readonly allowBookmarks?: boolean
  /** Seconds after which the server ends the watch. */
  readonly timeoutSeconds?: number
  /** Watch-list: the server first sends the present objects, then a bookmark with `k8s.io/initial-events-end`. */
  readonly sendInitialEvents?: boolean
  /** Called when the server has accepted the watch: from now on it tells every change. */
  readonly opened?: () => void
}

export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject }

/** A failed request is thrown as `KubeError`; an `ERROR` event in a watch too (410 as code `Gone`). */
export interface KubeClient {
  get<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef): Promise<T>
  list<T extends KubeObject>(type: ResourceType<T>, options?: ListOptions): Promise<ListResult<T>>
  watch<T extends KubeObject>(type: ResourceType<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>>
  create<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T>
  /** PUT; `metadata.resourceVersion` of the object is the fence. */
  replace<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T>
  patch<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, patch: Patch, options?: WriteOptions): Promise<T>
  /**
   * A missing object is `NotFound`, another UID or resourceVersion `Conflict`. The answer of the server: what is left of the
   * object while finalizers hold it, a Status otherwise; a client may keep it to itself.
   */
  delete<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options?: DeleteOptions): Promise<unknown>
  /** Any other path (`/version`, `/readyz`, reviews). Answers the parsed JSON, or the text when it is not JSON. */
  raw(method: string, path: string, body?: unknown): Promise<unknown>
}

export interface Patch {
  readonly type: 'merge' | 'json' | 'strategic' | 'apply'
  /** `json`: RFC 6902 operations; the others: a partial object. */
  readonly body: unknown
}

export interface WriteOptions {
  /** The path segment after the object: the usual writes of a controller go to `status`. */
  readonly subresource?: 'status' | 'scale'
  /** Default `kobe-operator`. */
  readonly fieldManager?: string
  readonly force?: boolean
  readonly dryRun?: boolean
  readonly signal?: AbortSignal
}

export interface DeleteOptions {
  readonly uid?: string
  readonly resourceVersion?: string
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan'
  readonly gracePeriodSeconds?: number
}

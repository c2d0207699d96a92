/** The URL path and query of every request. */
import type { KubeObject, ResourceType } from '../api/resource.ts'
import type { ListOptions, ObjectRef, WatchOptions, WriteOptions } from './client.ts'

const DEFAULT_FIELD_MANAGER = 'kobe-operator'

function groupPath(type: ResourceType): string {
  return type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`
}

/** The path of all objects of a kind, of one namespace when given. */
export function collectionPath(type: ResourceType, namespace: string | undefined): string {
  const scope = type.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : ''
  return `${groupPath(type)}${scope}/${type.plural}`
}

/** @throws TypeError when a name, or the namespace of a namespaced kind, is missing: the path would mean another object. */
export function objectPath(type: ResourceType, ref: ObjectRef, subresource?: string): string {
  if (ref.name === '') throw new TypeError(`${type.kind}: a request for one object needs its name`)
  requireNamespace(type, ref.namespace)
  const tail = subresource === undefined ? '' : `/${subresource}`
  return `${collectionPath(type, ref.namespace)}/${encodeURIComponent(ref.name)}${tail}`
}

export function requireNamespace(type: ResourceType, namespace: string | undefined): void {
  if (type.namespaced && (namespace === undefined || namespace === '')) {
    throw new TypeError(`${type.kind} is namespaced: the request needs a namespace`)
  }
}

export function refOf(object: KubeObject): ObjectRef {
  const { name = '', namespace } = object.metadata
  return namespace === undefined ? { name } : { name, namespace }
}

type QueryValue = string | number | boolean | undefined

export function withQuery(path: string, query: Record<string, QueryValue>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value))
  }
  const text = parameters.toString()
  return text === '' ? path : `${path}?${text}`
}

export function listQuery(options: ListOptions): Record<string, QueryValue> {
  const { labelSelector, fieldSelector, limit, resourceVersion } = options
  return { labelSelector, fieldSelector, limit, continue: options.continue, resourceVersion }
}

export function watchQuery(options: WatchOptions): Record<string, QueryValue> {
  return {
    ...listQuery(options),
    watch: true,
    allowWatchBookmarks: options.allowBookmarks,
    timeoutSeconds: options.timeoutSeconds,
    sendInitialEvents: options.sendInitialEvents,
    // The server refuses `sendInitialEvents` without saying how fresh the initial state must be.
    resourceVersionMatch: options.sendInitialEvents === undefined ? undefined : 'NotOlderThan',
  }
}

export function writeQuery(options: WriteOptions | undefined): Record<string, QueryValue> {
  return {
    fieldManager: options?.fieldManager ?? DEFAULT_FIELD_MANAGER,
    force: options?.force,
    dryRun: options?.dryRun ? 'All' : undefined,
  }
}

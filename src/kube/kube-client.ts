/** The real `KubeClient`: JSON over HTTPS. */
import type { KubeObject, ResourceType } from '../api/resource.ts'
import { apiVersionOf } from '../api/resource.ts'
import type { DeleteOptions, KubeClient, ListOptions, ListResult, Patch, WatchEvent, WatchOptions } from './client.ts'
import { systemClock } from './clock.ts'
import { type Connection, KubeconfigError } from './connection.ts'
import { exchange, exchangeObject, openStream } from './exchange.ts'
import { type HttpRequest, requestName } from './http-request.ts'
import { inClusterConnection } from './in-cluster.ts'
import { kubeconfigConnection, readKubeconfigFile } from './kubeconfig.ts'
import {
  collectionPath,
  listQuery,
  objectPath,
  refOf,
  requireNamespace,
  watchQuery,
  withQuery,
  writeQuery,
} from './request-path.ts'
import { createTransport, type Transport } from './transport.ts'
import { readWatch } from './watch-stream.ts'

export interface KubeClientOptions {
  /** Path of a kubeconfig; its current context is used. */
  readonly kubeconfigPath?: string
  /** The text of a kubeconfig, YAML or JSON. Goes before `kubeconfigPath`. */
  readonly kubeconfig?: string
  /** Use the service account of the pod. Goes before both. */
  readonly inCluster?: boolean
  /** Another API server of the same cluster, instead of the one the kubeconfig names. */
  readonly server?: string
  /** Default `kobe`. */
  readonly userAgent?: string
  /** For one whole request, retries of reads not counted; of a watch, for its head. Milliseconds, default 30 000. */
  readonly requestTimeoutMs?: number
}

/** A client that owns connections. */
export interface ClosableKubeClient extends KubeClient {
  /** Closes every connection; requests under way fail as `Unreachable`. Abort informers first. */
  close(): void
  /** Ends every connection, as they may be dead; requests under way fail as `Unreachable`. The next one opens a new connection. */
  disconnect(): void
  /** URL of the API server. */
  readonly server: string
}

const CONTENT_TYPES: Readonly<Record<Patch['type'], string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  // JSON is YAML, and this name is understood by every server that knows server-side apply.
  apply: 'application/apply-patch+yaml',
}

const DEFAULT_TIMEOUT_MS = 30_000

/** @throws KubeconfigError when the connection cannot be made out of the options. Nothing is sent yet. */
export function createKubeClient(options: KubeClientOptions): ClosableKubeClient {
  const connection = { ...connectionOf(options), ...(options.server === undefined ? {} : { server: options.server }) }
  const transport = createTransport({
    connection,
    userAgent: options.userAgent ?? 'kobe',
    requestTimeoutMs: options.requestTimeoutMs ?? DEFAULT_TIMEOUT_MS,
  })
  return {
    ...clientOver(transport),
    server: connection.server,
    close: () => transport.close(),
    disconnect: () => transport.disconnect(),
  }
}

function connectionOf({ inCluster, kubeconfig, kubeconfigPath }: KubeClientOptions): Connection {
  if (inCluster) return inClusterConnection(systemClock)
  if (kubeconfig !== undefined) return kubeconfigConnection({ text: kubeconfig }, systemClock)
  if (kubeconfigPath === undefined) throw new KubeconfigError('no kubeconfig was given, and inCluster is not set')
  return kubeconfigConnection(readKubeconfigFile(kubeconfigPath), systemClock)
}

function clientOver(transport: Transport): KubeClient {
  const json = <R>(request: HttpRequest): Promise<R> => exchangeObject<R>(transport, request)
  const write = <R>(method: string, path: string, body: unknown, rest: Partial<HttpRequest> = {}): Promise<R> =>
    json({ method, path, body: JSON.stringify(body), ...rest })
  return {
    get: async (type, ref) => json({ method: 'GET', path: objectPath(type, ref) }),
    list: (type, listOptions = {}) => list(transport, type, listOptions),
    watch: (type, watchOptions) => watch(transport, type, watchOptions),
    create: async (type, object, writeOptions) => {
      requireNamespace(type, object.metadata.namespace)
      const path = withQuery(collectionPath(type, object.metadata.namespace), writeQuery(writeOptions))
      return write('POST', path, withKind(type, object), { signal: writeOptions?.signal })
    },
    replace: async (type, object, writeOptions) => {
      const path = objectPath(type, refOf(object), writeOptions?.subresource)
      const signal = writeOptions?.signal
      return write('PUT', withQuery(path, writeQuery(writeOptions)), withKind(type, object), { signal })
    },
    patch: async (type, ref, patch, writeOptions) => {
      const path = withQuery(objectPath(type, ref, writeOptions?.subresource), writeQuery(writeOptions))
      const contentType = CONTENT_TYPES[patch.type]
      return write('PATCH', path, patch.body, { contentType, signal: writeOptions?.signal })
    },
    delete: async (type, ref, deleteOptions) =>
      write<unknown>('DELETE', objectPath(type, ref), deleteBody(deleteOptions)),
    raw: (method, path, body) =>
      exchange(transport, body === undefined ? { method, path } : { method, path, body: JSON.stringify(body) }),
  }
}

function withKind<T extends KubeObject>(type: ResourceType<T>, object: T): T {
  return { ...object, apiVersion: apiVersionOf(type), kind: type.kind }
}

function deleteBody(options: DeleteOptions = {}): object {
  const { uid, resourceVersion, propagationPolicy, gracePeriodSeconds } = options
  const fenced = uid !== undefined || resourceVersion !== undefined
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(fenced ? { preconditions: { uid, resourceVersion } } : {}),
    propagationPolicy,
    gracePeriodSeconds,
  }
}

interface WireList<T> {
  items?: T[] | null
  metadata?: { resourceVersion?: string; continue?: string }
}

async function list<T extends KubeObject>(
  transport: Transport,
  type: ResourceType<T>,
  options: ListOptions,
): Promise<ListResult<T>> {
  const path = withQuery(collectionPath(type, options.namespace), listQuery(options))
  const { items, metadata } = await exchangeObject<WireList<T>>(transport, {
    method: 'GET',
    path,
    signal: options.signal,
  })
  return {
    // Items of a list carry no kind, events of a watch do: both look alike from here on.
    items: (items ?? []).map((item) => withKind(type, item)),
    resourceVersion: metadata?.resourceVersion ?? '',
    ...(metadata?.continue ? { continue: metadata.continue } : {}),
  }
}

async function* watch<T extends KubeObject>(
  transport: Transport,
  type: ResourceType<T>,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const { signal } = options
  if (signal?.aborted) return
  const request: HttpRequest = {
    method: 'GET',
    path: withQuery(collectionPath(type, options.namespace), watchQuery(options)),
    signal,
  }
  const response = await openStream(transport, request).catch((error: unknown) => {
    if (signal?.aborted) return undefined
    throw error
  })
  if (response === undefined) return
  options.opened?.()
  yield* readWatch<T>(response, requestName(request), signal)
}

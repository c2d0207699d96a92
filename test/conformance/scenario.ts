/**
 * What a conformance scenario is made of: requests, in order, to a namespace that no other scenario touches. `{ns}` stands
 * for it; `{x}` for what an earlier step saved as `x`.
 */

export interface Scenario {
  /** File name of its recording, and with `c-` before it the name of its namespace. */
  readonly name: string
  readonly steps: readonly Step[]
  /** Default false: managedFields are left out of the transcripts of all scenarios that are not about them. */
  readonly showsManagedFields?: boolean
  /** Default true. False: the scenario has no namespace made for it. */
  readonly needsNamespace?: boolean
  /** Why the scenario waits: it is neither recorded nor compared. */
  readonly switchedOff?: string
}

export type Step = RequestStep | OpenWatch | CloseWatch

export interface RequestStep extends RequestOptions {
  readonly kind: 'request'
  readonly method: string
  readonly path: string
  /** Text goes out as it is, everything else as JSON. */
  readonly body?: unknown
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** Name for later steps -> dotted path in the answer. */
  readonly save?: Readonly<Record<string, string>>
  /** Sends the request again until this status is answered, at most ten seconds; only the last answer counts. */
  readonly until?: number
  /** Sends the request again until the value at this path of the answer is that; undefined: until it is gone. */
  readonly untilValue?: readonly [path: string, value: unknown]
  /** Only this part of the answer is compared: for documents too large to keep. */
  // biome-ignore lint/suspicious/noExplicitAny: reaches into answers of any kind.
  readonly pick?: (body: any) => unknown
}

/** Opens a watch; the steps after it run while it is open. */
export interface OpenWatch {
  readonly kind: 'open'
  readonly id: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Waits for that many events (or for the server's end of the watch), then records what came. */
export interface CloseWatch {
  readonly kind: 'close'
  readonly id: string
  readonly events: number | 'end'
}

type Options = RequestOptions

export const get = (path: string, options: Options = {}): Step => ({ kind: 'request', method: 'GET', path, ...options })

export const post = (path: string, body: unknown, options: Options = {}): Step => ({
  kind: 'request',
  method: 'POST',
  path,
  body,
  ...options,
})

export const put = (path: string, body: unknown, options: Options = {}): Step => ({
  kind: 'request',
  method: 'PUT',
  path,
  body,
  ...options,
})

export const del = (path: string, body?: unknown, options: Options = {}): Step => ({
  kind: 'request',
  method: 'DELETE',
  path,
  ...(body === undefined ? {} : { body }),
  ...options,
})

export const send = (method: string, path: string, options: Options & { body?: unknown } = {}): Step => ({
  kind: 'request',
  method,
  path,
  ...options,
})

type PatchKind = 'merge-patch+json' | 'strategic-merge-patch+json' | 'json-patch+json' | 'apply-patch+yaml'

function patchOf(type: PatchKind) {
  return (path: string, body: unknown, options: Options = {}): Step => ({
    kind: 'request',
    method: 'PATCH',
    path,
    body,
    ...options,
    headers: { 'content-type': `application/${type}`, ...options.headers },
  })
}

export const mergePatch = patchOf('merge-patch+json')
export const strategicPatch = patchOf('strategic-merge-patch+json')
export const jsonPatch = patchOf('json-patch+json')
export const applyPatch = patchOf('apply-patch+yaml')

export const open = (id: string, path: string, headers: Readonly<Record<string, string>> = {}): Step => ({
  kind: 'open',
  id,
  path,
  headers,
})

export const close = (id: string, events: number | 'end'): Step => ({ kind: 'close', id, events })

/** A whole watch that the server ends by itself after a second. */
export const watch = (path: string, headers: Readonly<Record<string, string>> = {}): readonly Step[] => {
  const id = path
  return [open(id, `${path}${path.includes('?') ? '&' : '?'}watch=1&timeoutSeconds=1`, headers), close(id, 'end')]
}

export const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json'
export const METADATA = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'
export const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'

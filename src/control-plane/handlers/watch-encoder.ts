/** Writes watch events as lines of JSON in the form that was asked for. */
import { apiVersionOf } from '../registry/api-version.ts'
import type { StoredObject } from '../registry/resource-definition.ts'
import type { Entry, StoreEventType } from '../store/entry.ts'
import { Entry as StoreEntry } from '../store/entry.ts'
import type { ApiRequest } from './api-request.ts'
import { includeObjectOf, metadataText } from './encode.ts'

export type WatchEventType = StoreEventType | 'BOOKMARK'

/** One line, with its line feed. */
export type WatchEncoder = (type: WatchEventType, view: Entry) => Buffer

export const INITIAL_EVENTS_END = 'k8s.io/initial-events-end'

export async function watchEncoder(request: ApiRequest): Promise<WatchEncoder> {
  const { media } = request
  switch (media.form) {
    case 'table':
      return await tableEncoder(request)
    case 'metadata':
      return (type, view) => line(type, metadataText(view, media))
    case 'object':
      return objectLine
  }
}

function line(type: string, text: string): Buffer {
  return Buffer.from(`{"type":"${type}","object":${text}}\n`)
}

let last: { type: string; view: Entry; bytes: Buffer } | undefined

/** All watchers of an event are told one after the other: what was written for the first serves the rest. */
function objectLine(type: WatchEventType, view: Entry): Buffer {
  if (last?.view === view && last.type === type) return last.bytes
  const bytes = line(type, view.text)
  last = { type, view, bytes }
  return bytes
}

/** Every event is a Table of one row; only the first names the columns. */
async function tableEncoder({ definition, core, query, media }: ApiRequest): Promise<WatchEncoder> {
  const { renderTable } = await import('../table/table.ts')
  const includeObject = includeObjectOf(query)
  let withColumns = true
  return (type, view) => {
    const { object } = view
    const listMeta = { resourceVersion: object.metadata.resourceVersion }
    const table = renderTable(definition, [object], { includeObject, now: core.now(), listMeta, withColumns })
    withColumns = false
    return line(type, JSON.stringify({ ...table, apiVersion: `meta.k8s.io/${media.version}` }))
  }
}

/** An object that carries nothing but a revision. */
export function bookmarkEntry({ definition, core }: ApiRequest, endsInitial: boolean): Entry {
  const metadata = {
    resourceVersion: String(core.store.revision),
    ...(endsInitial ? { annotations: { [INITIAL_EVENTS_END]: 'true' } } : {}),
  }
  const object = { kind: definition.kind, apiVersion: apiVersionOf(definition.group, definition.version), metadata }
  const text = JSON.stringify(object)
  return new StoreEntry('', core.store.revision, text)
}

export function errorLine(status: Record<string, unknown>): Buffer {
  return line('ERROR', JSON.stringify(status))
}

/** The earlier state under the revision of the event that made it leave the selection. */
export function withRevision(view: Entry, revision: number): Entry {
  const object: StoredObject = view.copy()
  object.metadata.resourceVersion = String(revision)
  return new StoreEntry(view.key, revision, JSON.stringify(object), object)
}

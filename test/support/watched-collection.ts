/**
 * A list-and-watch endpoint of ConfigMaps over real HTTP that misbehaves on demand: cuts, half-written lines, lost
 * history, repeated events. What it holds is the truth that an informer must arrive at.
 */
import type { ServerResponse } from 'node:http'
import type { ConfigMap } from '../../src/api/core-resources.ts'
import {
  type ScriptedRequest,
  type ScriptedServer,
  sendJson,
  sendStatus,
  startScriptedServer,
} from './scripted-server.ts'

interface StoredEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: ConfigMap
  readonly version: number
}

export interface WatchedCollection extends AsyncDisposable {
  readonly server: ScriptedServer
  readonly objects: ReadonlyMap<string, ConfigMap>
  readonly version: () => number
  put(name: string, value: string): void
  remove(name: string): void
  /** Removes, and no watch will ever tell. */
  removeUnseen(name: string): void
  /** Forgets all history: a watch from an older version is told 410. */
  compact(): void
  bookmark(): void
  /** Sends the last event once more to every watch. */
  repeatLast(): void
  /** Writes half of a line to every watch, then cuts all. */
  cutMidLine(): void
  /** Tells every watch `ERROR` with this code. */
  fail(code: number, reason: string): void
  /** Watches and lists asked for so far. */
  watches(): number
  lists(): number
  /** Watches that are open now. */
  openWatches(): number
}

export async function startWatchedCollection(options: { pageSize?: number } = {}): Promise<WatchedCollection> {
  const objects = new Map<string, ConfigMap>()
  const open = new Set<ServerResponse>()
  let events: StoredEvent[] = []
  let version = 100
  let compactedAt = 0
  let uids = 0

  const send = (type: string, object: unknown): void => {
    for (const response of open) response.write(`${JSON.stringify({ type, object })}\n`)
  }
  const record = (type: StoredEvent['type'], object: ConfigMap): void => {
    events.push({ type, object, version })
    send(type, object)
  }
  const list = ({ query }: ScriptedRequest, response: ServerResponse): void => {
    const [at, start] = (query.get('continue') ?? `${version}/0`).split('/').map(Number) as [number, number]
    if (at < compactedAt) {
      sendStatus(response, 410, 'Expired')
      return
    }
    const all = [...objects.values()]
    const limit = query.has('limit') ? (options.pageSize ?? Number(query.get('limit'))) : all.length
    const more = start + limit < all.length ? { continue: `${at}/${start + limit}` } : {}
    sendJson(response, 200, {
      kind: 'ConfigMapList',
      metadata: { resourceVersion: String(at), ...more },
      items: all.slice(start, start + limit),
    })
  }
  const watch = ({ query }: ScriptedRequest, response: ServerResponse): void => {
    const from = Number(query.get('resourceVersion'))
    if (from < compactedAt) {
      sendStatus(response, 410, 'Expired')
      return
    }
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
    for (const { type, object } of events.filter((event) => event.version > from)) {
      response.write(`${JSON.stringify({ type, object })}\n`)
    }
    open.add(response)
    response.on('close', () => open.delete(response))
  }
  const server = await startScriptedServer((request, response) =>
    request.query.has('watch') ? watch(request, response) : list(request, response),
  )
  const isWatch = ({ query }: ScriptedRequest): boolean => query.has('watch')
  return {
    server,
    objects,
    version: () => version,
    put(name, value) {
      version++
      const held = objects.get(name)
      const uid = held?.metadata.uid ?? `uid-${++uids}`
      const object = { metadata: { namespace: 'n', name, uid, resourceVersion: String(version) }, data: { value } }
      objects.set(name, object)
      record(held === undefined ? 'ADDED' : 'MODIFIED', object)
    },
    remove(name) {
      const held = objects.get(name)
      if (held === undefined) return
      version++
      objects.delete(name)
      record('DELETED', { ...held, metadata: { ...held.metadata, resourceVersion: String(version) } })
    },
    removeUnseen: (name) => objects.delete(name),
    compact() {
      compactedAt = ++version
      events = []
    },
    bookmark: () => send('BOOKMARK', { metadata: { resourceVersion: String(version) } }),
    repeatLast() {
      const last = events.at(-1)
      if (last !== undefined) send(last.type, last.object)
    },
    cutMidLine() {
      for (const response of open) response.write('{"type":"MODIFIED","object":{"metada', () => response.destroy())
    },
    fail: (code, reason) => send('ERROR', { kind: 'Status', code, reason, message: reason }),
    watches: () => server.requests.filter(isWatch).length,
    openWatches: () => open.size,
    lists: () => server.requests.filter((request) => !isWatch(request)).length,
    [Symbol.asyncDispose]: server.close,
  }
}

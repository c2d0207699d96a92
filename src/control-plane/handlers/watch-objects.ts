/** `?watch=true`: what happened to the objects of a list since a revision, and goes on happening. */
import { randomInt } from 'node:crypto'
import { expired, invalid, notAcceptable } from '../errors.ts'
import { storageName } from '../registry/kind-traits.ts'
import { viewOf } from '../registry/view.ts'
import { forbiddenError, notSupportedError } from '../schema/field-error.ts'
import type { Entry, StoreEvent } from '../store/entry.ts'
import { type ApiRequest, isTrue, JSON_TYPE, wholeNumber } from './api-request.ts'
import { type RevisionParameter, requireReached, revisionParameter } from './revision-parameter.ts'
import { selectionOf } from './selection.ts'
import { bookmarkEntry, errorLine, watchEncoder, withRevision } from './watch-encoder.ts'
import { type Line, WatchStream } from './watch-stream.ts'

/** Without a wish a watch ends after 30 to 60 minutes, spread so that clients do not come back all at once. */
const MIN_TIMEOUT_SECONDS = 1800
/** A timer holds no more than 24 days. */
const MAX_TIMEOUT_SECONDS = 86_400

interface Scope {
  readonly request: ApiRequest
  readonly storage: string
  /** The event as this client sees it; undefined when it concerns none of its objects. */
  readonly see: (event: StoreEvent) => Line | undefined
  readonly selects: (entry: Entry) => boolean
}

export async function watchObjects(request: ApiRequest): Promise<undefined> {
  const { core, definition, query, response } = request
  if (request.media.encoding !== 'json') throw notAcceptable([`${JSON_TYPE};stream=watch`])
  const revision = revisionParameter(query, 'watch')
  const sendInitial = sendInitialEvents(query, revision)
  if (sendInitial === true && revision.revision !== undefined) requireReached(core, revision.revision)
  const timeoutSeconds = wholeNumber(query, 'timeoutSeconds') || MIN_TIMEOUT_SECONDS + randomInt(MIN_TIMEOUT_SECONDS)
  const scope = scopeOf(request)
  const encode = await watchEncoder(request)
  const stream = new WatchStream({
    core,
    storage: storageName(definition),
    response,
    encode,
    timeoutMs: Math.min(timeoutSeconds, MAX_TIMEOUT_SECONDS) * 1000,
    makeBookmark: isTrue(query.get('allowWatchBookmarks')) ? () => bookmarkEntry(request, false) : undefined,
  })
  start(stream, scope, revision.revision, sendInitial)
  return undefined
}

function start(stream: WatchStream, scope: Scope, from: number | undefined, sendInitial: boolean | undefined): void {
  const { core } = scope.request
  const collection = core.store.collection(scope.storage)
  const subscribe = () =>
    core.store.watch(scope.storage, (event) => {
      const line = scope.see(event)
      if (line !== undefined) stream.push(line)
    })
  const fromState = sendInitial ?? (from === undefined || from === 0)
  if (fromState) {
    stream.start(initialLines(scope, sendInitial === true), subscribe)
  } else if (from !== undefined && from !== 0 && from < collection.compacted) {
    stream.fail(errorLine(expired(`too old resource version: ${from} (${collection.compacted})`).toStatus()))
  } else {
    const events = from === undefined || from === 0 ? [] : collection.eventsAfter(from)
    const lines = events.map((event) => scope.see(event)).filter((line) => line !== undefined)
    stream.start(lines, subscribe)
  }
}

/** The state now; taken at once, since it is written bit by bit. */
function initialLines(scope: Scope, watchList: boolean): Line[] {
  const { request } = scope
  const { core, definition, namespace, query } = request
  const entries = core.store.collection(scope.storage).entries(namespace === undefined ? '' : `${namespace}/`)
  const lines: Line[] = []
  for (const entry of entries) {
    if (scope.selects(entry)) lines.push({ type: 'ADDED', view: viewOf(definition, entry) })
  }
  if (watchList && isTrue(query.get('allowWatchBookmarks'))) {
    lines.push({ type: 'BOOKMARK', view: bookmarkEntry(request, true) })
  }
  return lines
}

function scopeOf(request: ApiRequest): Scope {
  const { definition, namespace, name, query } = request
  const matches = selectionOf(definition, query)
  const prefix = namespace === undefined ? '' : `${namespace}/`
  const key = name === undefined ? undefined : prefix + name
  const inScope = (entry: Entry) => (key === undefined ? entry.key.startsWith(prefix) : entry.key === key)
  const selects = (entry: Entry) =>
    inScope(entry) && (matches === undefined || matches(viewOf(definition, entry).object))
  return {
    request,
    storage: storageName(definition),
    selects,
    see: (event) => (inScope(event.entry) ? seenAs(request, event, selects) : undefined),
  }
}

/** An object that starts to match appears, one that stops to match disappears. */
function seenAs({ definition }: ApiRequest, event: StoreEvent, selects: (entry: Entry) => boolean): Line | undefined {
  const { type, entry, previous } = event
  const was = previous !== undefined && selects(previous)
  if (type === 'DELETED') return was ? { type: 'DELETED', view: viewOf(definition, entry) } : undefined
  const is = selects(entry)
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', view: viewOf(definition, entry) }
  if (!was || previous === undefined) return undefined
  return { type: 'DELETED', view: withRevision(viewOf(definition, previous), entry.revision) }
}

/** @throws ApiError 422 */
function sendInitialEvents(query: URLSearchParams, { match }: RevisionParameter): boolean | undefined {
  const text = query.get('sendInitialEvents')
  if (text === null || text === '') return undefined
  if (match !== 'NotOlderThan') {
    const why = 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'
    throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', [
      forbiddenError('resourceVersionMatch', why),
      ...(match === undefined ? [] : [notSupportedError('resourceVersionMatch', match, ['NotOlderThan'])]),
    ])
  }
  return isTrue(text)
}

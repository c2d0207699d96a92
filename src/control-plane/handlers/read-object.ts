/** `GET` of one object, and of lists, page by page. */
import { badRequest, expired, invalidOptions } from '../errors.ts'
import { storageName } from '../registry/kind-traits.ts'
import { viewOf } from '../registry/view.ts'
import { forbiddenError } from '../schema/field-error.ts'
import type { Collection, Page } from '../store/collection.ts'
import { type ContinueToken, decodeContinue, encodeContinue } from '../store/continue-token.ts'
import type { Answer, ApiRequest } from './api-request.ts'
import { currentEntry } from './current-entry.ts'
import { answerList, answerObject } from './encode.ts'
import { requireReached, revisionParameter } from './revision-parameter.ts'
import { selectionOf } from './selection.ts'

export function getObject(request: ApiRequest): Promise<Answer> {
  const { revision } = revisionParameter(request.query, 'get')
  if (revision !== undefined) requireReached(request.core, revision)
  return answerObject(request, 200, currentEntry(request))
}

const TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
  'deleted between the time the first chunk was returned and now may show up in the list.'

export function listObjects(request: ApiRequest): Promise<Answer> {
  const { core, definition, query, namespace } = request
  const collection = core.store.collection(storageName(definition))
  const limit = limitOf(query)
  const matches = selectionOf(definition, query)
  if (query.has('sendInitialEvents')) {
    throw invalidOptions('ListOptions', [
      forbiddenError('sendInitialEvents', 'sendInitialEvents is forbidden for list'),
    ])
  }
  const start = startOf(request, collection)
  const wanted = {
    prefix: namespace === undefined ? '' : `${namespace}/`,
    limit,
    ...(start.lastKey === '' ? {} : { after: start.lastKey }),
    ...(matches === undefined
      ? {}
      : { matches: (entry: Parameters<typeof viewOf>[1]) => matches(viewOf(definition, entry).object) }),
  }
  const page = start.past ? collection.pageAt(start.revision, wanted) : collection.page(wanted)
  return answerPage(request, page, start.revision, matches === undefined)
}

/** 0: no limit. A list of any state is answered whole, as from the real server's cache. @throws ApiError 400 */
function limitOf(query: URLSearchParams): number {
  const text = query.get('limit') ?? ''
  if (text === '' || query.get('resourceVersion') === '0') return 0
  if (!/^-?\d{1,15}$/.test(text)) throw badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`)
  return Math.max(0, Number(text))
}

interface Start {
  readonly revision: number
  /** The state is not the present one. */
  readonly past: boolean
  readonly lastKey: string
}

function startOf({ core, query }: ApiRequest, collection: Collection): Start {
  const { revision, match } = revisionParameter(query, 'list')
  const text = query.get('continue') ?? ''
  if (text !== '') return continued(core.store.revision, collection, readToken(text, revision))
  if (revision !== undefined) requireReached(core, revision)
  // A page of a stated revision has always meant exactly that one.
  const paged = match === undefined && limitOf(query) > 0
  if (revision !== undefined && revision > 0 && (match === 'Exact' || paged)) {
    if (revision < collection.compacted) throw expired(`The resourceVersion for the provided list is too old.`)
    return { revision, past: true, lastKey: '' }
  }
  return { revision: core.store.revision, past: false, lastKey: '' }
}

function readToken(text: string, revision: number | undefined): ContinueToken {
  const token = decodeContinue(text)
  if (token === undefined)
    throw badRequest('invalid continue token: continue key is not valid: it was not made by this server')
  if (revision !== undefined && revision !== 0) {
    throw badRequest('specifying resource version is not allowed when using continue')
  }
  return token
}

function continued(present: number, collection: Collection, token: ContinueToken): Start {
  if (token.revision < 0) return { revision: present, past: false, lastKey: token.lastKey }
  if (token.revision < collection.compacted || token.revision > present) {
    throw expired(TOO_OLD, encodeContinue({ revision: -1, lastKey: token.lastKey }))
  }
  return { revision: token.revision, past: true, lastKey: token.lastKey }
}

function answerPage(request: ApiRequest, page: Page, revision: number, countRest: boolean): Promise<Answer> {
  return answerList(request, page.entries, {
    resourceVersion: String(revision),
    ...(page.lastKey === undefined ? {} : { continue: encodeContinue({ revision, lastKey: page.lastKey }) }),
    // With a selector the rest is not counted: the real server would have to read it all.
    ...(page.lastKey !== undefined && countRest ? { remainingItemCount: page.remaining } : {}),
  })
}

/** Writes objects and lists in the form that was asked for. */
import { ApiError, badRequest } from '../errors.ts'
import { apiVersionOf } from '../registry/api-version.ts'
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import { viewOf } from '../registry/view.ts'
import type { Entry } from '../store/entry.ts'
import { type Answer, type ApiRequest, JSON_TYPE } from './api-request.ts'
import type { MediaChoice } from './negotiate.ts'

export interface ListMeta {
  readonly resourceVersion: string
  readonly continue?: string
  readonly remainingItemCount?: number
}

/** One object of a kind. `entry` may be one that was never stored (dry run). */
export async function answerObject(request: ApiRequest, status: number, entry: Entry): Promise<Answer> {
  const { definition, media } = request
  const view = viewOf(definition, entry)
  if (media.form === 'table') return encodeAnswer(media, status, await tableText(request, [view], {}))
  return encodeAnswer(media, status, media.form === 'metadata' ? metadataText(view, media) : view.text)
}

export async function answerList(request: ApiRequest, entries: readonly Entry[], meta: ListMeta): Promise<Answer> {
  const { definition, media } = request
  const views = entries.map((entry) => viewOf(definition, entry))
  if (media.form === 'table') return encodeAnswer(media, 200, await tableText(request, views, meta))
  if (media.of === 'object') throw isAList(definition)
  return encodeAnswer(media, 200, listText(definition, media, views, meta))
}

function isAList({ group, listKind }: ResourceDefinition): ApiError {
  const type = `*${group === '' ? 'core' : (group.split('.')[0] ?? '')}.${listKind}`
  const message = `you requested PartialObjectMetadata, but the requested object is a list (${type})`
  return new ApiError(406, 'NotAcceptable', message)
}

function listText(definition: ResourceDefinition, media: MediaChoice, views: readonly Entry[], meta: ListMeta): string {
  const metadata = media.form === 'metadata'
  const kind = metadata ? 'PartialObjectMetadataList' : definition.listKind
  const apiVersion = metadata ? `meta.k8s.io/${media.version}` : apiVersionOf(definition.group, definition.version)
  const itemText = metadata ? (view: Entry) => metadataText(view, media) : itemTextOf(definition)
  const items = views.map(itemText)
  return `{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":${JSON.stringify(metadata ? meta : listMeta(definition, meta))},"items":[${items.join(',')}]}`
}

/** Lists of custom kinds always name where to go on, be it nowhere. */
function listMeta({ origin }: ResourceDefinition, meta: ListMeta): ListMeta {
  return origin === 'custom' && meta.continue === undefined ? { continue: '', ...meta } : meta
}

/** In lists of built-in kinds the items do not repeat what the list says of them. */
function itemTextOf({ origin, group, version, kind }: ResourceDefinition): (view: Entry) => string {
  if (origin === 'custom') return ({ text }) => text
  const prefix = `{"apiVersion":"${apiVersionOf(group, version)}","kind":"${kind}",`
  return ({ text }) => (text.startsWith(prefix) ? `{${text.slice(prefix.length)}` : text)
}

export function metadataText(view: Entry, media: MediaChoice): string {
  return `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${media.version}","metadata":${JSON.stringify(view.object.metadata)}}`
}

export type IncludeObject = 'None' | 'Metadata' | 'Object'

/** @throws ApiError 400 */
export function includeObjectOf(query: URLSearchParams): IncludeObject {
  const value = query.get('includeObject')
  if (value === null || value === '' || value === 'Metadata') return 'Metadata'
  if (value === 'None' || value === 'Object') return value
  const rule = "must be 'Metadata', 'Object', 'None', or empty"
  throw badRequest(`Unable to convert to Table as requested: includeObject: Invalid value: "${value}": ${rule}`)
}

export async function tableText(
  request: ApiRequest,
  views: readonly Entry[],
  listMeta: Partial<ListMeta>,
  withColumns = true,
): Promise<string> {
  const { renderTable } = await import('../table/table.ts')
  const { definition, core, query, media } = request
  const first = views.length === 1 ? views[0]?.object.metadata.resourceVersion : undefined
  const table = renderTable(
    definition,
    views.map((view) => view.object),
    {
      includeObject: includeObjectOf(query),
      now: core.now(),
      listMeta: listMeta.resourceVersion === undefined && first !== undefined ? { resourceVersion: first } : listMeta,
      withColumns,
    },
  )
  return JSON.stringify({ ...table, apiVersion: `meta.k8s.io/${media.version}` })
}

/** @param text JSON */
export async function encodeAnswer(media: MediaChoice, status: number, text: string): Promise<Answer> {
  if (media.encoding === 'json') return { status, contentType: JSON_TYPE, body: text }
  const { stringify } = await import('yaml')
  return { status, contentType: 'application/yaml', body: stringify(JSON.parse(text)) }
}

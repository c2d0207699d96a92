/** `resourceVersion` and `resourceVersionMatch` of a list or watch `[k8s docs: resource versions]`. */
import { ApiError, badRequest, invalid, revisionTooLarge } from '../errors.ts'
import type { Core } from '../registry/core.ts'
import { forbiddenError, notSupportedError } from '../schema/field-error.ts'
import type { FieldError } from '../schema/schema.ts'

export interface RevisionParameter {
  /** Undefined: not stated, which means the most recent state. */
  readonly revision: number | undefined
  readonly match: 'Exact' | 'NotOlderThan' | undefined
}

/** `reader`: a list answers 400 to what is no revision, the others 500 `[k8s]`. @throws ApiError 400, 422, 500 */
export function revisionParameter(query: URLSearchParams, reader: 'list' | 'get' | 'watch'): RevisionParameter {
  const text = query.get('resourceVersion') ?? ''
  const match = query.get('resourceVersionMatch') ?? ''
  if (text !== '' && !/^\d{1,15}$/.test(text)) throw notARevision(text, reader)
  const errors = reader === 'watch' ? watchMatchErrors(query, match) : matchErrors(query, text, match)
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors)
  return {
    revision: text === '' ? undefined : Number(text),
    match: match === 'Exact' || match === 'NotOlderThan' ? match : undefined,
  }
}

function notARevision(text: string, reader: 'list' | 'get' | 'watch'): ApiError {
  const why = `resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`
  return reader === 'list' ? badRequest(`invalid resource version: ${why}`) : new ApiError(500, '', why)
}

function matchErrors(query: URLSearchParams, revision: string, match: string): FieldError[] {
  const field = 'resourceVersionMatch'
  if (match === '' || query.has('sendInitialEvents')) return []
  if (revision === '')
    return [forbiddenError(field, 'resourceVersionMatch is forbidden unless resourceVersion is provided')]
  if ((query.get('continue') ?? '') !== '') {
    return [forbiddenError(field, 'resourceVersionMatch is forbidden when continue is provided')]
  }
  if (match !== 'Exact' && match !== 'NotOlderThan') {
    return [notSupportedError(field, match, ['Exact', 'NotOlderThan', ''])]
  }
  if (match === 'Exact' && revision === '0') {
    return [forbiddenError(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"')]
  }
  return []
}

function watchMatchErrors(query: URLSearchParams, match: string): FieldError[] {
  const field = 'resourceVersionMatch'
  const why = `${field} is forbidden for watch unless sendInitialEvents is provided`
  return [
    ...(match === '' || query.has('sendInitialEvents') ? [] : [forbiddenError(field, why)]),
    ...((query.get('continue') ?? '') === ''
      ? []
      : [forbiddenError(field, `${field} is forbidden when continue is provided`)]),
  ]
}

/** @throws ApiError 504 when the state asked for has not happened yet */
export function requireReached(core: Core, revision: number): void {
  if (revision > core.store.revision) throw revisionTooLarge(revision, core.store.revision)
}

/** `resourceVersion` and `resourceVersionMatch` of a list or watch `[k8s docs: resource versions]`. */
import { badRequest, invalid, revisionTooLarge } from '../errors.ts'
import type { Core } from '../registry/core.ts'
import { forbiddenError, notSupportedError } from '../schema/field-error.ts'
import type { FieldError } from '../schema/schema.ts'

export interface RevisionParameter {
  /** Undefined: not stated, which means the most recent state. */
  readonly revision: number | undefined
  readonly match: 'Exact' | 'NotOlderThan' | undefined
}

/** @throws ApiError 400, 422 */
export function revisionParameter(query: URLSearchParams): RevisionParameter {
  const text = query.get('resourceVersion') ?? ''
  if (text !== '' && !/^\d{1,15}$/.test(text)) {
    throw badRequest(`resourceVersion: Invalid value: "${text}": must be a whole number`)
  }
  const match = query.get('resourceVersionMatch') ?? ''
  const errors = matchErrors(query, text, match)
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors)
  return {
    revision: text === '' ? undefined : Number(text),
    match: match === 'Exact' || match === 'NotOlderThan' ? match : undefined,
  }
}

function matchErrors(query: URLSearchParams, revision: string, match: string): FieldError[] {
  const field = 'resourceVersionMatch'
  if (match === '') return []
  if (query.has('sendInitialEvents')) return []
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

/** @throws ApiError 504 when the state asked for has not happened yet */
export function requireReached(core: Core, revision: number): void {
  if (revision > core.store.revision) throw revisionTooLarge(revision, core.store.revision)
}

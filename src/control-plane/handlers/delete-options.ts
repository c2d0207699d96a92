/** `DeleteOptions` from the body or the query of a DELETE. */
import { badRequest, invalidOptions } from '../errors.ts'
import type { DeleteOptions, PropagationPolicy } from '../registry/delete-object.ts'
import { invalidError, notSupportedError } from '../schema/field-error.ts'
import { isObject } from '../schema/json.ts'
import { type ApiRequest, isDryRun, isDryRunList, wholeNumber } from './api-request.ts'
import { readObject } from './read-body.ts'

const POLICIES: readonly PropagationPolicy[] = ['Background', 'Foreground', 'Orphan']

/** The body wins over the query, as in the real server. @throws ApiError 400, 413, 415 */
export async function readDeleteOptions(request: ApiRequest): Promise<DeleteOptions> {
  const { http, query } = request
  const hasBody = Number(http.headers['content-length'] ?? 0) > 0 || http.headers['transfer-encoding'] !== undefined
  if (!hasBody) return fromQuery(query)
  const body = await readObject(http)
  if (!isObject(body)) throw badRequest('the body of a DELETE must be DeleteOptions')
  const given = deleteOptionsOf(body)
  return isDryRun(query, 'DeleteOptions') ? { ...given, dryRun: true } : given
}

function fromQuery(query: URLSearchParams): DeleteOptions {
  const grace = wholeNumber(query, 'gracePeriodSeconds')
  const policy = query.get('propagationPolicy') ?? orphanPolicy(query.get('orphanDependents'))
  return {
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(policy === undefined ? {} : { propagationPolicy: policyOf(policy) }),
    dryRun: isDryRun(query, 'DeleteOptions'),
  }
}

function orphanPolicy(orphan: unknown): string | undefined {
  if (orphan === 'true' || orphan === true) return 'Orphan'
  return orphan === 'false' || orphan === false ? 'Background' : undefined
}

export function deleteOptionsOf(body: Readonly<Record<string, unknown>>): DeleteOptions {
  const { gracePeriodSeconds, propagationPolicy, orphanDependents, preconditions, dryRun } = body
  refuseBoth(propagationPolicy, orphanDependents)
  const policy = propagationPolicy ?? orphanPolicy(orphanDependents)
  const grace = typeof gracePeriodSeconds === 'number' ? gracePeriodSeconds : undefined
  if (gracePeriodSeconds !== undefined && gracePeriodSeconds !== null && grace === undefined) {
    throw badRequest('gracePeriodSeconds must be a whole number')
  }
  return {
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(policy === undefined || policy === null ? {} : { propagationPolicy: policyOf(policy) }),
    ...preconditionsOf(preconditions),
    dryRun: isDryRunBody(dryRun),
  }
}

/** The old and the new way to say the same. @throws ApiError 422 */
function refuseBoth(policy: unknown, orphan: unknown): void {
  if (typeof policy !== 'string' || typeof orphan !== 'boolean') return
  const why = 'orphanDependents and deletionPropagation cannot be both set'
  throw invalidOptions('DeleteOptions', [invalidError('propagationPolicy', policy, why)])
}

function isDryRunBody(value: unknown): boolean {
  return Array.isArray(value) && isDryRunList(value, 'DeleteOptions')
}

function preconditionsOf(value: unknown): { uid?: string; resourceVersion?: string } {
  if (!isObject(value)) return {}
  const { uid, resourceVersion } = value
  return {
    ...(typeof uid === 'string' && uid !== '' ? { uid } : {}),
    ...(typeof resourceVersion === 'string' && resourceVersion !== '' ? { resourceVersion } : {}),
  }
}

function policyOf(value: unknown): PropagationPolicy {
  const policy = POLICIES.find((known) => known === value)
  if (policy === undefined) {
    throw invalidOptions('DeleteOptions', [
      notSupportedError('propagationPolicy', value, ['Foreground', 'Background', 'Orphan', 'nil']),
    ])
  }
  return policy
}

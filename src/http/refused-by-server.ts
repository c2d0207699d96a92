/** An object that the API server refuses, as an answer to whoever asked for it. */
import { isKubeError } from '../kube/errors.ts'
import { ApiError } from './errors.ts'

/** `invalid_request`, naming the field as the body has it; any other error as it is. */
export function refusedByServer(error: unknown, what: string): unknown {
  if (!isKubeError(error, 'Invalid', 'BadRequest')) return error
  const [cause] = error.details.causes ?? []
  const detail = cause?.message ?? `The API server refused the ${what}`
  const field = (cause?.field ?? 'body').replace(/^spec\./, '')
  return new ApiError('invalid_request', { detail, field, cause: error })
}

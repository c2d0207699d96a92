/** Any failure on the way as an answer. What is not foreseen says nothing about its cause to the caller. */
import { isKubeError } from '../../kube/errors.ts'
import { ConnectError, type Refusal } from './status-body.ts'

export function refusalOf(error: unknown): Refusal {
  if (error instanceof ConnectError) return error.refusal
  if (isKubeError(error)) {
    const message = 'the operator cannot read the lease right now; try again in a moment'
    return { status: 503, message, outcome: 'backend_error', reason: 'lease_lookup', retryAfterSeconds: 1 }
  }
  return { status: 500, message: 'internal error in the proxy', outcome: 'backend_error', reason: 'other' }
}

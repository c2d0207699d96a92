/** Asks for a cluster, and asks again where the server says that this helps: the idempotency key makes it one lease. */
import type { Answer, Input, KobeApi } from './api.ts'
import { type RetryOptions, retryRequest } from './retry-request.ts'

export type LeaseBody = Input<'createLease'>['body']

/** Throws `KobeError`: whatever a repetition does not cure, and the last error once the budget is used up. */
export function requestLease(
  api: KobeApi,
  body: LeaseBody & { readonly idempotencyKey: string },
  options: RetryOptions = {},
): Promise<Answer<'createLease'>> {
  return retryRequest((signal) => api.call('createLease', { body }, { signal }), options)
}

/** Refusals of the proxy, as the Kubernetes `Status` that kubectl knows how to print. */
import { STATUS_CODES } from 'node:http'

/** Outcome label of `kobe_connect_proxy_request_outcome_total`. */
export type ConnectOutcome =
  | 'ok'
  | 'missing_token'
  | 'invalid_token'
  | 'lease_not_found'
  | 'phase_not_bound'
  | 'expired'
  | 'backend_error'

/** Reason label of `kobe_connect_proxy_error_reason_total`. */
export type ConnectErrorReason =
  | 'kubeconfig_unavailable'
  | 'kubeconfig_parse'
  | 'lease_lookup'
  | 'upstream_response'
  | 'upgrade_dial'
  | 'upgrade_handshake'
  | 'upgrade_timeout'
  | 'upgrade_capacity'
  | 'upgrade_request'
  | 'upstream_unreachable'
  | 'upstream_timeout'
  | 'binding_resolution'
  | 'other'

export interface Refusal {
  readonly status: number
  /** A sentence for the person at kubectl: what is wrong and what to do. */
  readonly message: string
  readonly outcome: ConnectOutcome
  readonly reason?: ConnectErrorReason
  readonly retryAfterSeconds?: number
}

/** A request that the proxy does not pass on. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError'
  readonly refusal: Refusal

  constructor(refusal: Refusal, cause?: unknown) {
    super(refusal.message, cause === undefined ? undefined : { cause })
    this.refusal = refusal
  }
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Gone',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

export function statusBody(refusal: Refusal): string {
  const reason = REASONS[refusal.status]
  return JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: refusal.message,
    ...(reason === undefined ? {} : { reason }),
    code: refusal.status,
    ...(refusal.retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds: refusal.retryAfterSeconds } }),
  })
}

/** Headers that go with `statusBody`. */
export function refusalHeaders(refusal: Refusal, requestId: string, body: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    ...(refusal.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(refusal.retryAfterSeconds === undefined ? {} : { 'retry-after': String(refusal.retryAfterSeconds) }),
  }
}

/** The whole answer as bytes, for a socket that has left the HTTP server (a failed upgrade). */
export function rawRefusal(refusal: Refusal, requestId: string): string {
  const body = statusBody(refusal)
  const headers = { ...refusalHeaders(refusal, requestId, body), connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}`, ...lines, '', body].join('\r\n')
}

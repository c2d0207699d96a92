/** Errors of a Kubernetes API, told apart by `code`, never by text. */

export type KubeErrorCode =
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Invalid'
  | 'TooManyRequests'
  | 'Timeout'
  /** No answer: refused, reset, TLS failure. Whether a write was applied is unknown. */
  | 'Unreachable'
  | 'ServerError'
  | 'Unknown'

export interface KubeErrorDetails {
  /** HTTP status; absent when there was no answer. */
  readonly status?: number
  /** `reason` of the Status object. */
  readonly reason?: string
  readonly causes?: ReadonlyArray<{ reason?: string; message?: string; field?: string }>
  /** Seconds the server asks to wait. */
  readonly retryAfterSeconds?: number
}

export class KubeError extends Error {
  override readonly name = 'KubeError'
  readonly code: KubeErrorCode
  readonly details: KubeErrorDetails

  constructor(code: KubeErrorCode, message: string, details: KubeErrorDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.details = details
  }
}

export function isKubeError(error: unknown, ...codes: KubeErrorCode[]): error is KubeError {
  return error instanceof KubeError && (codes.length === 0 || codes.includes(error.code))
}

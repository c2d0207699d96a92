/** The one error of the client: what happened, why, and what to do, with a code to decide by. */

/** What went wrong, in the coarse. `reason` has the exact code of the API where the server answered. */
export const CLIENT_ERROR_CODES = [
  /** Endpoint, token or a file with them is missing or cannot be used. */
  'config',
  /** A file cannot be written. */
  'file',
  /** No answer: nothing listens, the certificate is not trusted, the connection broke, or time ran out. */
  'unreachable',
  /** The server refused the request; `status` and `reason` say how. */
  'refused',
  /** Waited for as long as asked. */
  'timeout',
  /** The lease ended before it could be used, or while it was. */
  'ended',
  /** What is waited for cannot come true without a person. */
  'stalled',
] as const
export type ClientErrorCode = (typeof CLIENT_ERROR_CODES)[number]

export interface ClientErrorDetails {
  readonly why?: string | undefined
  readonly fix?: string | undefined
  readonly status?: number
  readonly reason?: string | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly cause?: unknown
}

export class KobeError extends Error {
  override readonly name = 'KobeError'
  readonly code: ClientErrorCode
  /** Why it happened, where that is not plain from the message. */
  readonly why: string | undefined
  /** What to do about it. */
  readonly fix: string | undefined
  /** HTTP status; absent without an answer. */
  readonly status: number | undefined
  /** Stable code of the API, see docs/reference/errors.md. */
  readonly reason: string | undefined
  /** How long the server asks to wait before the same request is sent again. */
  readonly retryAfterSeconds: number | undefined

  constructor(code: ClientErrorCode, message: string, details: ClientErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.why = details.why
    this.fix = details.fix
    this.status = details.status
    this.reason = details.reason
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}

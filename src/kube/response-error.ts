/** Answers and connection failures as `KubeError`. Texts carry what the server said, never what we sent. */
import { KubeError, type KubeErrorCode, type KubeErrorDetails } from './errors.ts'

/** An `ERROR` event inside a watch: the server gave up on it, so its position is not to be trusted. */
export class WatchEventError extends KubeError {}

const CODE_BY_REASON: Readonly<Record<string, KubeErrorCode>> = {
  BadRequest: 'BadRequest',
  Unauthorized: 'Unauthorized',
  Forbidden: 'Forbidden',
  NotFound: 'NotFound',
  AlreadyExists: 'AlreadyExists',
  Conflict: 'Conflict',
  Gone: 'Gone',
  Expired: 'Gone',
  Invalid: 'Invalid',
  TooManyRequests: 'TooManyRequests',
  Timeout: 'Timeout',
  ServerTimeout: 'Timeout',
  ServiceUnavailable: 'ServerError',
  InternalError: 'ServerError',
}

const CODE_BY_STATUS: Readonly<Record<number, KubeErrorCode>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'BadRequest',
  406: 'BadRequest',
  408: 'Timeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'BadRequest',
  415: 'BadRequest',
  422: 'Invalid',
  429: 'TooManyRequests',
  504: 'Timeout',
}

/** The fields of a `Status` object (meta.k8s.io/v1) that are read. */
interface Status {
  code?: number
  reason?: string
  message?: string
  details?: { causes?: { reason?: string; message?: string; field?: string }[]; retryAfterSeconds?: number }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function asStatus(body: unknown): Status {
  return isRecord(body) && body['kind'] === 'Status' ? body : {}
}

/** The reason is more exact than the status (409 is `AlreadyExists` or `Conflict`), so it goes first. */
function codeOf(httpStatus: number | undefined, reason: string | undefined): KubeErrorCode {
  const byReason = reason === undefined ? undefined : CODE_BY_REASON[reason]
  if (byReason !== undefined) return byReason
  if (httpStatus === undefined) return 'Unknown'
  return CODE_BY_STATUS[httpStatus] ?? (httpStatus >= 500 ? 'ServerError' : 'Unknown')
}

function detailsOf(status: Status, httpStatus: number | undefined, retryAfterSeconds?: number): KubeErrorDetails {
  const retryAfter = retryAfterSeconds ?? status.details?.retryAfterSeconds
  const causes = status.details?.causes
  return {
    ...(httpStatus === undefined ? {} : { status: httpStatus }),
    ...(status.reason ? { reason: status.reason } : {}),
    ...(causes ? { causes } : {}),
    ...(retryAfter ? { retryAfterSeconds: retryAfter } : {}),
  }
}

export interface ErrorAnswer {
  readonly status: number
  /** Parsed JSON, or the text. */
  readonly body: unknown
  /** From the `Retry-After` header. */
  readonly retryAfterSeconds?: number
}

/** Health endpoints list their checks, `[+]` those that pass and `[-]` those that do not, most of which are of no interest. */
function essenceOf(text: string): string {
  const failed = text.split('\n').filter((line) => line.startsWith('[-]'))
  return (failed.length === 0 ? text : failed.join('; ')).trim().slice(0, 200)
}

/** @param request such as `GET /api/v1/pods`, for the message. */
export function errorOfAnswer(request: string, answer: ErrorAnswer): KubeError {
  const status = asStatus(answer.body)
  const text = typeof answer.body === 'string' ? essenceOf(answer.body) : ''
  const said = status.message || text || 'no explanation in the answer'
  const code = codeOf(answer.status, status.reason)
  return new KubeError(
    code,
    `${request}: ${answer.status}: ${said}`,
    detailsOf(status, answer.status, answer.retryAfterSeconds),
  )
}

export function errorOfWatchEvent(request: string, object: unknown): WatchEventError {
  const status = asStatus(object)
  const code = codeOf(status.code, status.reason)
  const message = `${request}: the server ended the watch: ${status.message || 'no explanation in the event'}`
  return new WatchEventError(code, message, detailsOf(status, status.code))
}

export function unreachable(request: string, cause: unknown): KubeError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new KubeError('Unreachable', `${request}: no answer: ${why}`, {}, cause)
}

/** Failures of the API, each carrying the `Status` object that kubectl and client libraries read. */
import type { FieldError } from './schema/schema.ts'

export interface StatusCause {
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}

export interface StatusDetails {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly StatusCause[]
  readonly retryAfterSeconds?: number
}

/** What an error message calls a resource (`deployments` in `apps`), or a kind. */
export interface Qualified {
  readonly group: string
  readonly plural: string
}

export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** HTTP status code. */
  readonly code: number
  /** Machine-readable reason of the Status, such as `NotFound`; empty where the real server leaves it out. */
  readonly reason: string
  readonly details: StatusDetails | undefined
  /** `metadata.continue` of the Status: how an expired list may go on inconsistently. */
  readonly continueToken: string | undefined

  constructor(code: number, reason: string, message: string, extra: ApiErrorExtra = {}) {
    super(message, extra.cause === undefined ? undefined : { cause: extra.cause })
    this.code = code
    this.reason = reason
    this.details = extra.details
    this.continueToken = extra.continueToken
  }

  /** The body that is sent. */
  toStatus(): Record<string, unknown> {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.continueToken === undefined ? {} : { continue: this.continueToken },
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    }
  }
}

export interface ApiErrorExtra {
  readonly details?: StatusDetails
  readonly continueToken?: string
  readonly cause?: unknown
}

/** `pods`, `deployments.apps`. */
export function qualifiedResource(resource: Qualified): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`
}

function named(name: string): { name?: string } {
  return name === '' ? {} : { name }
}

function resourceDetails(resource: Qualified, name: string): StatusDetails {
  return { ...named(name), ...(resource.group === '' ? {} : { group: resource.group }), kind: resource.plural }
}

export function badRequest(message: string, cause?: unknown): ApiError {
  return new ApiError(400, 'BadRequest', message, { cause })
}

export function unauthorized(message = 'Unauthorized'): ApiError {
  return new ApiError(401, 'Unauthorized', message)
}

export function notFound(resource: Qualified, name: string): ApiError {
  return new ApiError(404, 'NotFound', `${qualifiedResource(resource)} "${name}" not found`, {
    details: resourceDetails(resource, name),
  })
}

/** Nothing is served below this path at all, not even a group version: plain text, as a web server would answer. */
export class NoSuchPage extends ApiError {
  readonly text: string

  constructor(text = '404 page not found\n') {
    super(404, 'NotFound', 'the server could not find the requested resource', { details: {} })
    this.text = text
  }
}

/** No such path: no group, version or resource is served there. */
export function noSuchPath(): ApiError {
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource', { details: {} })
}

export function alreadyExists(resource: Qualified, name: string): ApiError {
  return new ApiError(409, 'AlreadyExists', `${qualifiedResource(resource)} "${name}" already exists`, {
    details: resourceDetails(resource, name),
  })
}

export function conflict(resource: Qualified, name: string, why: string): ApiError {
  return new ApiError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualifiedResource(resource)} "${name}": ${why}`,
    { details: resourceDetails(resource, name) },
  )
}

export const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again'

export function forbidden(resource: Qualified, name: string, why: string, causes?: readonly StatusCause[]): ApiError {
  const subject =
    name === ''
      ? `${qualifiedResource(resource)} is forbidden`
      : `${qualifiedResource(resource)} "${name}" is forbidden`
  return new ApiError(403, 'Forbidden', `${subject}: ${why}`, {
    details: { ...resourceDetails(resource, name), ...(causes === undefined ? {} : { causes }) },
  })
}

export interface QualifiedKind {
  readonly group: string
  readonly kind: string
}

/** 422 with one cause per finding. */
export function invalid(kind: QualifiedKind, name: string, findings: readonly FieldError[]): ApiError {
  const subject = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`
  const sentences = [...new Set(findings.map((finding) => `${finding.field}: ${finding.message}`))]
  const summary = sentences.length === 1 ? sentences[0] : `[${sentences.join(', ')}]`
  return new ApiError(422, 'Invalid', `${subject} "${name}" is invalid: ${summary}`, {
    details: {
      ...named(name),
      ...(kind.group === '' ? {} : { group: kind.group }),
      ...(kind.kind === '' ? {} : { kind: kind.kind }),
      causes: findings.map(({ reason, message, field }) => ({ reason, message, field })),
    },
  })
}

export function methodNotAllowed(): ApiError {
  const message = 'the server does not allow this method on the requested resource'
  return new ApiError(405, 'MethodNotAllowed', message, { details: {} })
}

/** 422 for a parameter of the request itself. `options` is the kind that the parameters make up. */
export function invalidOptions(options: string, findings: readonly FieldError[]): ApiError {
  return invalid({ group: 'meta.k8s.io', kind: options }, '', findings)
}

export function notAcceptable(offered: readonly string[]): ApiError {
  return new ApiError(406, 'NotAcceptable', `only the following media types are accepted: ${offered.join(', ')}`)
}

export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  return new ApiError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  )
}

export function tooLarge(limitBytes: number): ApiError {
  return new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${limitBytes}`)
}

/** 410: the revision asked for is no longer kept. */
export function expired(message: string, continueToken?: string): ApiError {
  return new ApiError(410, 'Expired', message, continueToken === undefined ? {} : { continueToken })
}

/** 504: the revision asked for lies in the future. */
export function revisionTooLarge(asked: number, current: number): ApiError {
  return new ApiError(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  })
}

/** 507: the store could not be written; nothing was changed. */
export function storageFailed(message: string, cause: unknown): ApiError {
  return new ApiError(507, 'InsufficientStorage', message, { cause })
}

export function internalError(message: string, cause?: unknown): ApiError {
  return new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, {
    details: { causes: [{ message }] },
    cause,
  })
}

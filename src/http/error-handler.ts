/** The one place that turns a failure into an answer, and the one that reports it. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isKubeError } from '../kube/errors.ts'
import type { Log } from '../kube/log.ts'
import { ApiError, type ApiErrorReason, errorBody } from './errors.ts'

/** Failures of the framework before a handler runs, by its codes. */
const FRAMEWORK: Readonly<Record<string, ApiErrorReason>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'bad_request',
  FST_ERR_BAD_URL: 'bad_request',
  FST_ERR_MAX_PARAM_LENGTH: 'route_not_found',
  FST_ERR_ASYNC_CONSTRAINT: 'bad_request',
}

export function installErrorHandler(app: FastifyInstance, log: Log): void {
  app.setErrorHandler((error: FastifyError, request, reply) => answer(error, request, reply, log))
  app.setNotFoundHandler((request, reply) => {
    const detail = `${request.method} ${pathOf(request)} is not part of this API; GET /openapi.json describes it`
    return answer(new ApiError('route_not_found', { detail, field: 'path' }), request, reply, log)
  })
}

export function answer(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): FastifyReply {
  const apiError = withStorageHint(toApiError(error))
  if (apiError.status >= 500) {
    const cause = apiError.cause ?? error
    log.error({ requestId: request.id, reason: apiError.reason, err: cause }, apiError.message)
  }
  const { retryAfterSeconds } = apiError.details
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
  if (apiError.status === 401) reply.header('www-authenticate', 'Bearer')
  return reply.status(apiError.status).header('x-request-id', request.id).send(errorBody(apiError))
}

/** A full disk under the host cluster is the one infrastructure failure that whoever reads the answer may be able to mend. */
function withStorageHint(error: ApiError): ApiError {
  if (!isKubeError(error.cause) || error.cause.details.status !== INSUFFICIENT_STORAGE) return error
  const detail = 'The host cluster cannot store anything: its disk is full. Free some space there, then ask again'
  return new ApiError(error.reason, { ...error.details, detail, cause: error.cause })
}

const INSUFFICIENT_STORAGE = 507

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isKubeError(error)) {
    const detail = 'The request was not carried out, or its outcome is unknown; send it again'
    return new ApiError('kubernetes_unavailable', { detail, retryAfterSeconds: 1, cause: error })
  }
  const reason = frameworkReason(error)
  if (reason !== undefined)
    return new ApiError(reason, { field: reason === 'unsupported_media_type' ? 'content-type' : 'body', cause: error })
  const shape = shapeProblem(error)
  return shape ?? new ApiError('internal', { cause: error })
}

function frameworkReason(error: unknown): ApiErrorReason | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return FRAMEWORK[String(error.code)]
}

/** The first finding of the schema check, naming the field by its dotted path. */
function shapeProblem(error: unknown): ApiError | undefined {
  if (!(error instanceof Error) || !('validation' in error) || !Array.isArray(error.validation)) return undefined
  const [finding] = error.validation
  const path = String(finding?.instancePath ?? '')
    .replace(/^\//, '')
    .replaceAll('/', '.')
  const missing = finding?.params?.missingProperty
  const field = [path, typeof missing === 'string' ? missing : ''].filter(Boolean).join('.') || 'body'
  const detail =
    typeof missing === 'string' ? `${field} is required` : `${field} ${finding?.message ?? 'has the wrong shape'}`
  return new ApiError('invalid_request', { detail, field })
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?')[0] ?? request.url
}

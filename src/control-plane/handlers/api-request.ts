/** One request on a resource, and the answers to it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Authenticator } from '../auth/authenticate.ts'
import type { UserInfo } from '../auth/user.ts'
import { badRequest, invalidOptions } from '../errors.ts'
import type { Rbac } from '../rbac/rbac.ts'
import type { Core } from '../registry/core.ts'
import { FieldFindings, type FieldValidation } from '../registry/field-findings.ts'
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import { notSupportedError } from '../schema/field-error.ts'
import type { TokenService } from '../tokens/token-service.ts'
import type { MediaChoice } from './negotiate.ts'

export interface ApiRequest {
  readonly core: Core
  readonly definition: ResourceDefinition
  /** From the path; absent for cluster-scoped kinds and for lists over all namespaces. */
  readonly namespace?: string
  readonly name?: string
  readonly subresource?: string
  readonly query: URLSearchParams
  readonly user: UserInfo
  /** What reviews are answered from. */
  readonly authenticator: Authenticator
  readonly rbac: Rbac
  readonly tokens: TokenService
  readonly http: IncomingMessage
  /** Only a watch writes to it. */
  readonly response: ServerResponse
  readonly media: MediaChoice
}

export interface Answer {
  readonly status: number
  readonly contentType: string
  readonly body: string | Buffer
  /** Default: `no-cache, private`. */
  readonly cacheControl?: string
  /** When a client that was refused may come back. */
  readonly retryAfterSeconds?: number
  /** Texts of `Warning` headers. */
  readonly warnings?: readonly string[]
}

/** Answers undefined when it has taken over the response. */
export type Handler = (request: ApiRequest) => Promise<Answer | undefined>

export const JSON_TYPE = 'application/json'

export function jsonAnswer(status: number, value: unknown): Answer {
  return { status, contentType: JSON_TYPE, body: JSON.stringify(value) }
}

/** The kind that the query parameters of a write make up. */
export type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions'

/** Unless told otherwise the server warns of fields it drops. @throws ApiError 422 */
export function findingsOf(query: URLSearchParams, options: OptionsKind): FieldFindings {
  const mode = query.get('fieldValidation') || 'Warn'
  if (mode !== 'Strict' && mode !== 'Warn' && mode !== 'Ignore') {
    throw invalidOptions(options, [notSupportedError('fieldValidation', mode, ['', 'Ignore', 'Strict', 'Warn'])])
  }
  return new FieldFindings(mode satisfies FieldValidation)
}

/** @throws ApiError 422 */
export function isDryRun(query: URLSearchParams, options: OptionsKind): boolean {
  return isDryRunList(
    query.getAll('dryRun').filter((value) => value !== ''),
    options,
  )
}

/** @throws ApiError 422 */
export function isDryRunList(values: readonly unknown[], options: OptionsKind): boolean {
  if (values.some((value) => value !== 'All')) {
    throw invalidOptions(options, [notSupportedError('dryRun', values, ['All'])])
  }
  return values.length > 0
}

export function isTrue(value: string | null): boolean {
  return value === 'true' || value === '1'
}

/** @throws ApiError 400 */
export function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null || text === '') return undefined
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`${name}: Invalid value: "${text}": must be a whole number`)
  return Number(text)
}

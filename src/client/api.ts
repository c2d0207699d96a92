/** Calls of the HTTP API, each by the name and with the types of its operation in the OpenAPI document. */
import { KobeError } from './errors.ts'
import type { Operations } from './generated/api.ts'
import { ROUTES } from './generated/routes.ts'
import { type ApiResponse, type ApiTarget, exchange } from './transport.ts'

export type OperationId = keyof Operations
/** What an operation takes: `params` of its path, `query`, `body`, each only where it has them. */
export type Input<Id extends OperationId> = Omit<Operations[Id], 'answer'>
/** What an operation answers; undefined where the answer has no JSON body. */
export type Answer<Id extends OperationId> = Operations[Id] extends { answer: infer A } ? A : undefined

export type LeaseSummary = Answer<'listLeases'>[number]
export type LeaseDetail = Answer<'getLease'>
export type PoolView = Answer<'getPool'>

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** Milliseconds without a sign of life; default 90 s. */
  readonly timeoutMs?: number | undefined
}

export interface KobeApi {
  readonly target: ApiTarget
  /** Throws `KobeError`: `refused` for a status of 400 or more, `unreachable` without an answer. */
  call<Id extends OperationId>(id: Id, input: Input<Id>, options?: CallOptions): Promise<Answer<Id>>
}

export function createApi(target: ApiTarget): KobeApi {
  return {
    target,
    async call(id, input, options = {}) {
      const { method, path } = ROUTES[id]
      const { params, query, body }: Parts = input
      const response = await exchange(target, { method, path: pathOf(path, params, query), body, ...options })
      if (response.status >= 400) throw refusal(response, target)
      return response.body as Answer<typeof id>
    },
  }
}

interface Parts {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
}

function pathOf(template: string, params: Parts['params'] = {}, query: Parts['query'] = {}): string {
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}

/** What the API says of an error, see docs/reference/errors.md. */
interface ErrorBody {
  readonly error?: string
  readonly detail?: string
  readonly reason?: string
}

function refusal(response: ApiResponse, target: ApiTarget): KobeError {
  const { status, headers } = response
  const body: ErrorBody = typeof response.body === 'object' && response.body !== null ? response.body : {}
  const retryAfter = Number(headers['retry-after'])
  return new KobeError('refused', body.error ?? `the server answered ${status}`, {
    status,
    why: body.detail ?? (body.error === undefined ? `${target.endpoint} does not answer like Kobe` : undefined),
    reason: body.reason,
    fix: status === 401 ? tokenFix(target) : undefined,
    retryAfterSeconds: Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter : undefined,
  })
}

function tokenFix({ token, source }: ApiTarget): string {
  return token === undefined
    ? `no token is known for this endpoint (from ${source}); set KOBE_TOKEN or --token-file`
    : 'the token is not accepted: it is wrong, or its AccessPolicy is gone; set KOBE_TOKEN or --token-file'
}

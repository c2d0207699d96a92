/** Calls of the HTTP API, each by the name and with the types of its operation in the OpenAPI document. */
import { KobeError } from './errors.ts'
import { createEventParser, type ServerEvent } from './event-parser.ts'
import type { Operations } from './generated/api.ts'
import { ROUTES } from './generated/routes.ts'
import { type ApiRequest, type ApiResponse, type ApiTarget, exchange, exchangeStream } from './transport.ts'

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

export interface EventOptions {
  readonly signal?: AbortSignal | undefined
  /** Milliseconds without a sign of life after which the connection counts as broken; default 90 s. */
  readonly timeoutMs?: number | undefined
  /** Id of the last event that was heard: the stream goes on after it, where the server can. */
  readonly lastEventId?: string | undefined
  onEvent(event: ServerEvent): void
}

export interface KobeApi {
  readonly target: ApiTarget
  /** Throws `KobeError`: `refused` for a status of 400 or more, `unreachable` without an answer. */
  call<Id extends OperationId>(id: Id, input: Input<Id>, options?: CallOptions): Promise<Answer<Id>>
  /** Server-sent events, one after the other, until the server ends the stream. Throws as `call` does. */
  events<Id extends OperationId>(id: Id, input: Input<Id>, options: EventOptions): Promise<void>
}

export function createApi(target: ApiTarget): KobeApi {
  const checked = (response: ApiResponse): ApiResponse => {
    if (response.status >= 400) throw refusal(response, target)
    return response
  }
  return {
    target,
    async call(id, input, options = {}) {
      const response = checked(await exchange(target, { ...requestOf(id, input), ...options }))
      return response.body as Answer<typeof id>
    },
    async events(id, input, { onEvent, lastEventId, ...options }) {
      const headers = {
        accept: 'text/event-stream',
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      }
      const parser = createEventParser()
      // What a listener throws is no fault of the connection.
      let failure: { readonly error: unknown } | undefined
      const tell = (event: ServerEvent): void => {
        try {
          onEvent(event)
        } catch (error) {
          failure = { error }
          throw error
        }
      }
      const onText = (text: string): void => parser.push(text).forEach(tell)
      try {
        checked(await exchangeStream(target, { ...requestOf(id, input), headers, ...options }, onText))
      } catch (error) {
        throw failure === undefined ? error : failure.error
      }
    },
  }
}

function requestOf(id: OperationId, { params, query, body }: Parts): Pick<ApiRequest, 'method' | 'path' | 'body'> {
  const { method, path } = ROUTES[id]
  return { method, path: pathOf(path, params, query), body }
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

/** Client of the HTTP API over plain `node:http(s)`: small, starts at once, trusts the given CA only. */
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { EXIT, type ExitCode, UserError } from './user-error.ts'

export interface ApiTarget {
  /** Base URL, such as `http://127.0.0.1:7080`. */
  readonly endpoint: string
  readonly token?: string
  /** PEM of the CA that signed an https endpoint; absent: the system's. */
  readonly ca?: string
  /** Where the target came from, for error messages. */
  readonly source: string
}

export interface ApiResponse {
  readonly status: number
  readonly body: unknown
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export interface ApiClient {
  readonly target: ApiTarget
  /** Any status is an answer; no answer at all is a `UserError`. */
  send(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<ApiResponse>
  /** A status of 400 or more is thrown as `UserError` with the server's words and a way out. */
  call(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<unknown>
}

/** Longer than the longest wait a request may ask of the server (60 s). */
const ANSWER_TIMEOUT_MS = 90_000

export function createApiClient(target: ApiTarget): ApiClient {
  const send: ApiClient['send'] = (method, path, body, signal) => exchange(target, { method, path, body, signal })
  return {
    target,
    send,
    async call(method, path, body, signal) {
      const response = await send(method, path, body, signal)
      if (response.status < 400) return response.body
      throw errorOf(response, target)
    },
  }
}

interface Exchange {
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly signal: AbortSignal | undefined
}

function exchange(target: ApiTarget, { method, path, body, signal }: Exchange): Promise<ApiResponse> {
  const url = new URL(path.replace(/^\//, ''), target.endpoint.endsWith('/') ? target.endpoint : `${target.endpoint}/`)
  const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
  const headers: Record<string, string | number> = { accept: 'application/json' }
  if (target.token !== undefined) headers['authorization'] = `Bearer ${target.token}`
  if (payload !== undefined) {
    headers['content-type'] = 'application/json'
    headers['content-length'] = payload.length
  }
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        method,
        headers,
        timeout: ANSWER_TIMEOUT_MS,
        ...(signal ? { signal } : {}),
        ...(target.ca ? { ca: target.ca } : {}),
      },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: parse(text) })
        })
      },
    )
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${ANSWER_TIMEOUT_MS / 1000} s`)))
    outgoing.on('error', (error: Error) => reject(signal?.aborted ? error : unreachable(target, error)))
    outgoing.end(payload)
  })
}

function parse(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON (a proxy's error page, /metrics): the caller gets the text as it is.
    return text
  }
}

function unreachable(target: ApiTarget, error: Error): UserError {
  return new UserError(`cannot reach Kobe at ${target.endpoint}`, {
    why: `${error.message} (endpoint from ${target.source})`,
    fix: 'start it with `npm start` (or `kobe up`), or name another one with --endpoint or KOBE_ENDPOINT',
    exitCode: EXIT.unavailable,
    cause: error,
  })
}

/** What the API says of an error, see docs/reference/errors.md. */
interface ErrorBody {
  readonly error?: string
  readonly detail?: string
  readonly reason?: string
}

export function errorOf(response: ApiResponse, target: ApiTarget): UserError {
  const body: ErrorBody = typeof response.body === 'object' && response.body !== null ? response.body : {}
  const message = body.error ?? `the server answered ${response.status}`
  const { exitCode, fix } = meaningOf(response.status, body.reason, target)
  return new UserError(message, {
    exitCode,
    ...(body.detail === undefined ? {} : { why: body.detail }),
    ...(fix === undefined ? {} : { fix }),
  })
}

function meaningOf(
  status: number,
  reason: string | undefined,
  target: ApiTarget,
): { exitCode: ExitCode; fix?: string } {
  if (status === 401)
    return {
      exitCode: EXIT.auth,
      fix: `the token from ${target.source} is not accepted; set KOBE_TOKEN or --token-file`,
    }
  if (status === 403) return { exitCode: EXIT.auth, fix: 'ask for an AccessPolicy that allows it' }
  if (status === 404) return { exitCode: EXIT.notFound, fix: '`kobe pools` and `kobe list` show what there is' }
  if (status === 429) {
    return reason === 'quota_exhausted'
      ? { exitCode: EXIT.quota, fix: 'release a lease you no longer need: `kobe list`, then `kobe release <id>`' }
      : { exitCode: EXIT.unavailable, fix: 'try again in a moment' }
  }
  if (status >= 500) return { exitCode: EXIT.unavailable, fix: '`kobe status` and the operator log say more' }
  return { exitCode: EXIT.failure }
}

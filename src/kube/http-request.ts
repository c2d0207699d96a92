/** What goes out and what comes back, whichever connection it takes. */
import type { Credentials } from './connection.ts'

export interface HttpRequest {
  readonly method: string
  /** Starts with a slash; may hold a query. */
  readonly path: string
  readonly body?: string
  readonly contentType?: string
  readonly signal?: AbortSignal | undefined
}

export interface HttpAnswer {
  readonly status: number
  readonly contentType: string
  readonly text: string
  readonly retryAfterSeconds?: number
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** `GET /api/v1/pods` without the query, for messages. */
export function requestName(request: Pick<HttpRequest, 'method' | 'path'>): string {
  return `${request.method} ${request.path.split('?', 1)[0]}`
}

/** The path under which the API is served, before that of a request. */
export function pathPrefix(server: string): string {
  const { pathname } = new URL(server)
  return pathname === '/' ? '' : pathname
}

export function headersOf(
  request: HttpRequest,
  userAgent: string,
  credentials: Credentials,
): Record<string, string | string[]> {
  const body =
    request.body === undefined
      ? {}
      : {
          'content-type': request.contentType ?? 'application/json',
          'content-length': String(Buffer.byteLength(request.body)),
        }
  return { accept: 'application/json', 'user-agent': userAgent, ...body, ...credentials.headers }
}

export function answerOf(status: number, headers: Headers, text: string): HttpAnswer {
  const retryAfter = retryAfterSeconds(headers['retry-after'])
  return {
    status,
    contentType: String(headers['content-type'] ?? ''),
    text,
    ...(retryAfter === undefined ? {} : { retryAfterSeconds: retryAfter }),
  }
}

export function retryAfterSeconds(header: string | string[] | undefined): number | undefined {
  const seconds = header === undefined ? Number.NaN : Number(header)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined
}

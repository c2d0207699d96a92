/** One HTTP exchange with the API server, over node:https with kept connections. Knows no Kubernetes but its headers. */
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { systemClock } from './clock.ts'
import type { Connection, Credentials } from './connection.ts'
import { KubeError } from './errors.ts'
import { unreachable } from './response-error.ts'

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

export interface Transport {
  /** The whole answer. @throws KubeError `Unreachable` or `Timeout`, or the reason of the signal. */
  send(request: HttpRequest): Promise<HttpAnswer>
  /** The head of an answer whose body goes on, on a connection of its own. Aborting the signal ends it. */
  open(request: HttpRequest): Promise<IncomingMessage>
  /** Ends every connection; the next request opens a new one. */
  disconnect(): void
  close(): void
}

export interface TransportOptions {
  readonly connection: Connection
  readonly userAgent: string
  /** For a whole exchange, milliseconds. */
  readonly requestTimeoutMs: number
}

/** Shorter than the idle time of servers and of the load balancers before them, which close without a word. */
const IDLE_CONNECTION_MS = 30_000
const KEEP_ALIVE_PROBE_MS = 30_000

/** A connection that failed before an answer. On a reused one the server may simply have closed it while it was idle. */
class ConnectionFailure extends Error {
  readonly reusedSocket: boolean
  constructor(cause: unknown, reusedSocket: boolean) {
    super('connection failed', { cause })
    this.reusedSocket = reusedSocket
  }
}

/** `GET /api/v1/pods` without the query, for messages. */
export function requestName(request: Pick<HttpRequest, 'method' | 'path'>): string {
  return `${request.method} ${request.path.split('?', 1)[0]}`
}

function retryAfterSeconds(response: IncomingMessage): number | undefined {
  const header = response.headers['retry-after']
  const seconds = header === undefined ? Number.NaN : Number(header)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined
}

/** By events: an iterator over a stream costs more than most answers do. */
function readText(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    response.on('error', reject)
    response.on('close', () => {
      if (!response.complete) reject(new Error('the answer was cut'))
    })
  })
}

function headersOf(request: HttpRequest, userAgent: string, credentials: Credentials): http.OutgoingHttpHeaders {
  const body =
    request.body === undefined
      ? {}
      : {
          'content-type': request.contentType ?? 'application/json',
          'content-length': Buffer.byteLength(request.body),
        }
  return { accept: 'application/json', 'user-agent': userAgent, ...body, ...credentials.headers }
}

/** What ends an exchange from outside. An AbortSignal could do it; one for each request is a good part of its cost. */
interface Cancellation {
  /** Replaces what was given before. Called at once when it is too late. */
  onCancel(destroy: (reason: Error) => void): void
  readonly isCancelled: boolean
  cancel(reason: Error): void
}

function createCancellation(): Cancellation {
  let destroyCurrent: ((reason: Error) => void) | undefined
  let cancelled: Error | undefined
  return {
    onCancel(destroy) {
      destroyCurrent = destroy
      if (cancelled !== undefined) destroy(cancelled)
    },
    get isCancelled() {
      return cancelled !== undefined
    },
    cancel(reason) {
      cancelled = reason
      destroyCurrent?.(reason)
    },
  }
}

type Opener = (request: HttpRequest, agent: http.Agent, cancellation: Cancellation) => Promise<IncomingMessage>

function createOpener({ connection, userAgent }: TransportOptions): Opener {
  const base = new URL(connection.server)
  const module = base.protocol === 'http:' ? http : https
  const prefix = base.pathname === '/' ? '' : base.pathname
  const tls = { minVersion: 'TLSv1.2' as const, ...connection.trust }
  return async (request, agent, cancellation) => {
    const credentials = await connection.credentials()
    const { cert, key } = credentials
    return new Promise((resolve, reject) => {
      const outgoing = module.request({
        host: base.hostname.replace(/^\[|\]$/g, ''),
        port: base.port === '' ? undefined : base.port,
        method: request.method,
        path: prefix + request.path,
        headers: headersOf(request, userAgent, credentials),
        agent: credentials.agent ?? agent,
        ...(base.protocol === 'https:' ? { ...tls, cert, key } : {}),
      })
      outgoing.on('response', resolve)
      outgoing.on('error', (error) => reject(new ConnectionFailure(error, outgoing.reusedSocket)))
      outgoing.end(request.body)
      cancellation.onCancel((reason) => outgoing.destroy(reason))
    })
  }
}

function createAgents(server: string): { kept: http.Agent; watches: http.Agent } {
  const Agent = server.startsWith('http:') ? http.Agent : https.Agent
  const kept = new Agent({
    keepAlive: true,
    keepAliveMsecs: KEEP_ALIVE_PROBE_MS,
    maxSockets: 32,
    timeout: IDLE_CONNECTION_MS,
    scheduling: 'lifo',
  })
  return { kept: Object.assign(kept, { getName: shortNames() }), watches: new Agent({ keepAlive: false }) }
}

/**
 * Under which name an agent keeps a connection. Its own name is made of the certificates themselves, kilobytes for each
 * request; one agent has one server here, so all that can differ is the client certificate, when it is rotated.
 */
function shortNames(): (options?: { readonly cert?: unknown }) => string {
  let last: unknown
  let count = 0
  return ({ cert } = {}) => {
    if (cert !== last) {
      last = cert
      count += 1
    }
    return `certificate ${count}`
  }
}

/** Runs one exchange under a deadline; says which of the two ended it. */
async function underDeadline<R>(
  request: HttpRequest,
  timeoutMs: number,
  exchange: (cancellation: Cancellation) => Promise<R>,
): Promise<R> {
  request.signal?.throwIfAborted()
  const cancellation = createCancellation()
  let late = false
  const cancelTimer = systemClock.setTimer(timeoutMs, () => {
    late = true
    cancellation.cancel(new Error('no answer in time'))
  })
  const abort = (): void => cancellation.cancel(new Error('aborted'))
  request.signal?.addEventListener('abort', abort, { once: true })
  try {
    return await exchange(cancellation)
  } catch (error) {
    request.signal?.throwIfAborted()
    const cause = error instanceof ConnectionFailure ? error.cause : error
    if (late) throw new KubeError('Timeout', `${requestName(request)}: no answer within ${timeoutMs} ms`, {}, cause)
    throw unreachable(requestName(request), cause)
  } finally {
    cancelTimer()
    request.signal?.removeEventListener('abort', abort)
  }
}

/**
 * A read may be sent again on a fresh connection; whether a write was applied is unknown, so it may not. What was
 * cancelled looks like a cut connection too: it must not go out again, or it would be sent for ever.
 */
async function openAgain(
  open: () => Promise<IncomingMessage>,
  isRead: boolean,
  cancellation: Cancellation,
): Promise<IncomingMessage> {
  for (;;) {
    try {
      return await open()
    } catch (error) {
      if (cancellation.isCancelled || !isRead || !(error instanceof ConnectionFailure) || !error.reusedSocket)
        throw error
    }
  }
}

export function createTransport(options: TransportOptions): Transport {
  const agents = createAgents(options.connection.server)
  const open = createOpener(options)
  const timeoutMs = options.requestTimeoutMs
  let isClosed = false
  const disconnect = (): void => {
    agents.kept.destroy()
    agents.watches.destroy()
  }
  const refuseWhenClosed = (request: HttpRequest): void => {
    if (isClosed) throw unreachable(requestName(request), new Error('the client was closed'))
  }
  return {
    async send(request) {
      refuseWhenClosed(request)
      return underDeadline(request, timeoutMs, async (cancellation) => {
        const response = await openAgain(
          () => open(request, agents.kept, cancellation),
          request.method === 'GET',
          cancellation,
        )
        const text = await readText(response)
        const retryAfter = retryAfterSeconds(response)
        return {
          status: response.statusCode ?? 0,
          contentType: response.headers['content-type'] ?? '',
          text,
          ...(retryAfter === undefined ? {} : { retryAfterSeconds: retryAfter }),
        }
      })
    },
    async open(request) {
      refuseWhenClosed(request)
      const { signal } = request
      // The deadline covers the head only; after that the caller alone ends it.
      const response = await underDeadline(request, timeoutMs, (cancellation) =>
        open(request, agents.watches, cancellation),
      )
      const end = (): void => {
        response.destroy()
      }
      signal?.addEventListener('abort', end, { once: true })
      response.once('close', () => signal?.removeEventListener('abort', end))
      if (signal?.aborted) end()
      return response
    },
    disconnect,
    close() {
      isClosed = true
      disconnect()
    },
  }
}

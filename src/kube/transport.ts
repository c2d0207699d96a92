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

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
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

type Opener = (request: HttpRequest, agent: http.Agent, signal: AbortSignal | undefined) => Promise<IncomingMessage>

function createOpener({ connection, userAgent }: TransportOptions): Opener {
  const base = new URL(connection.server)
  const module = base.protocol === 'http:' ? http : https
  const prefix = base.pathname === '/' ? '' : base.pathname
  const tls = { minVersion: 'TLSv1.2' as const, ...connection.trust }
  return async (request, agent, signal) => {
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
        ...(signal === undefined ? {} : { signal }),
      })
      outgoing.on('response', resolve)
      outgoing.on('error', (error) => reject(new ConnectionFailure(error, outgoing.reusedSocket)))
      outgoing.end(request.body)
    })
  }
}

function createAgents(server: string): { kept: http.Agent; watches: http.Agent } {
  const Agent = server.startsWith('http:') ? http.Agent : https.Agent
  return {
    kept: new Agent({
      keepAlive: true,
      keepAliveMsecs: KEEP_ALIVE_PROBE_MS,
      maxSockets: 32,
      timeout: IDLE_CONNECTION_MS,
      scheduling: 'lifo',
    }),
    watches: new Agent({ keepAlive: false }),
  }
}

/** Runs one exchange under a deadline; says which of the two ended it. */
async function underDeadline<R>(
  request: HttpRequest,
  timeoutMs: number,
  exchange: (signal: AbortSignal) => Promise<R>,
): Promise<R> {
  request.signal?.throwIfAborted()
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  let late = false
  const cancelTimer = systemClock.setTimer(timeoutMs, () => {
    late = true
    abort()
  })
  request.signal?.addEventListener('abort', abort, { once: true })
  try {
    return await exchange(controller.signal)
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

/** A read may be sent again on a fresh connection; whether a write was applied is unknown, so it may not. */
async function openAgain(open: () => Promise<IncomingMessage>, isRead: boolean): Promise<IncomingMessage> {
  for (;;) {
    try {
      return await open()
    } catch (error) {
      if (!isRead || !(error instanceof ConnectionFailure) || !error.reusedSocket) throw error
    }
  }
}

export function createTransport(options: TransportOptions): Transport {
  const agents = createAgents(options.connection.server)
  const open = createOpener(options)
  const timeoutMs = options.requestTimeoutMs
  let isClosed = false
  const refuseWhenClosed = (request: HttpRequest): void => {
    if (isClosed) throw unreachable(requestName(request), new Error('the client was closed'))
  }
  return {
    async send(request) {
      refuseWhenClosed(request)
      return underDeadline(request, timeoutMs, async (signal) => {
        const response = await openAgain(() => open(request, agents.kept, signal), request.method === 'GET')
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
      // The deadline covers the head only: the signal of `underDeadline` is dropped once it has come.
      const controller = new AbortController()
      const end = (): void => controller.abort()
      signal?.addEventListener('abort', end, { once: true })
      const release = (): void => signal?.removeEventListener('abort', end)
      try {
        const response = await underDeadline(request, timeoutMs, (deadline) => {
          deadline.addEventListener('abort', end, { once: true })
          return open(request, agents.watches, controller.signal)
        })
        response.once('close', release)
        return response
      } catch (error) {
        release()
        throw error
      }
    },
    close() {
      isClosed = true
      agents.kept.destroy()
      agents.watches.destroy()
    },
  }
}

/**
 * Short exchanges over kept connections, through undici: they are most of what an operator sends, and node:https takes more
 * than twice the processor time for each. Watches and ways through a proxy are `own-connections.ts`.
 */
import { Client, type Dispatcher, Pool } from 'undici'
import { type Cancellation, ConnectionFailure } from './cancellation.ts'
import type { Connection, Credentials } from './connection.ts'
import { answerOf, type HttpAnswer, type HttpRequest, headersOf, pathPrefix } from './http-request.ts'

/** Shorter than the idle time of servers and of the load balancers before them, which close without a word. */
const IDLE_CONNECTION_MS = 30_000
const KEEP_ALIVE_PROBE_MS = 30_000
const MAX_CONNECTIONS = 32

export interface KeptConnections {
  /** The whole answer. @throws ConnectionFailure when there was none. */
  send(request: HttpRequest, credentials: Credentials, cancellation: Cancellation): Promise<HttpAnswer>
  /** Ends every connection and what is under way on it; the next request opens a new one. */
  disconnect(): void
}

export interface KeptConnectionsOptions {
  readonly connection: Connection
  readonly userAgent: string
  /** For opening a connection. Milliseconds. */
  readonly connectTimeoutMs: number
}

/** One connection at a time, which knows whether it has carried an answer. */
class KeptClient extends Client {
  hasAnswered = false

  constructor(origin: URL, options: Client.Options) {
    super(origin, options)
    this.on('connect', () => {
      this.hasAnswered = false
    })
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (handler instanceof Exchange) handler.client = this
    return super.dispatch(options, handler)
  }
}

/** One request under way. */
class Exchange implements Dispatcher.DispatchHandler {
  client: KeptClient | undefined
  readonly #answered = Promise.withResolvers<HttpAnswer>()
  readonly #chunks: Buffer[] = []
  readonly #cancellation: Cancellation
  #isReused = false
  #head: { readonly status: number; readonly headers: Dispatcher.ResponseData['headers'] } | undefined

  /** Cancelled while it still waits for a connection it is not sent at all. */
  constructor(cancellation: Cancellation) {
    this.#cancellation = cancellation
    cancellation.onCancel(this.#answered.reject)
  }

  get answer(): Promise<HttpAnswer> {
    return this.#answered.promise
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#isReused = this.client?.hasAnswered === true
    this.#cancellation.onCancel((reason) => {
      this.#answered.reject(reason)
      controller.abort(reason)
    })
  }

  onResponseStart(_: unknown, status: number, headers: Dispatcher.ResponseData['headers']): void {
    // 1xx only announces an answer.
    if (status >= 200) this.#head = { status, headers }
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    if (this.client !== undefined) this.client.hasAnswered = true
    const { status = 0, headers = {} } = this.#head ?? {}
    this.#answered.resolve(answerOf(status, headers, Buffer.concat(this.#chunks).toString('utf8')))
  }

  onResponseError(_: unknown, error: Error): void {
    this.#answered.reject(this.#head === undefined ? new ConnectionFailure(error, this.#isReused) : error)
  }
}

export function createKeptConnections(options: KeptConnectionsOptions): KeptConnections {
  const { connection, userAgent } = options
  const prefix = pathPrefix(connection.server)
  let current: { readonly cert: string | undefined; readonly pool: Pool } | undefined
  /** A rotated client certificate takes new connections; the ones of the old end with what they carry. */
  const poolFor = (credentials: Credentials): Pool => {
    const { cert } = credentials
    if (current !== undefined && current.cert === cert) return current.pool
    if (current !== undefined) ended(current.pool.close())
    current = { cert, pool: createPool(options, credentials) }
    return current.pool
  }
  return {
    send(request, credentials, cancellation) {
      const exchange = new Exchange(cancellation)
      if (cancellation.isCancelled) return exchange.answer
      const { method, path, body } = request
      const outgoing = {
        method: method as Dispatcher.HttpMethod,
        path: prefix + path,
        headers: headersOf(request, userAgent, credentials),
        ...(body === undefined ? {} : { body }),
      }
      poolFor(credentials).dispatch(outgoing, exchange)
      return exchange.answer
    },
    disconnect() {
      if (current !== undefined) ended(current.pool.destroy(new Error('the client ended its connections')))
      current = undefined
    },
  }
}

/** Ending a pool cannot fail in a way that matters: its requests have heard of it themselves. */
function ended(end: Promise<void>): void {
  end.catch(() => undefined)
}

function createPool({ connection, connectTimeoutMs }: KeptConnectionsOptions, { cert, key }: Credentials): Pool {
  return new Pool(new URL(connection.server).origin, {
    connections: MAX_CONNECTIONS,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: IDLE_CONNECTION_MS,
    keepAliveMaxTimeout: IDLE_CONNECTION_MS,
    // The deadline of the exchange is kept by who sends it.
    headersTimeout: 0,
    bodyTimeout: 0,
    connectTimeout: connectTimeoutMs,
    connect: {
      minVersion: 'TLSv1.2',
      ...connection.trust,
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
    },
    factory: (origin, clientOptions) => new KeptClient(origin, clientOptions),
  })
}

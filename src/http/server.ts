/**
 * The listeners: HTTPS with `/connect`, and, for clients that speak the plain API only, HTTP on loopback without it. Both
 * serve the routes of one app. kubectl sends no bearer token to an `http://` server, so `/connect` is always HTTPS.
 */
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { answerClientErrors } from './client-error.ts'

export interface HttpsListener {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** PEM. */
  readonly cert: string
  readonly key: string
}

export interface HttpListener {
  readonly host: string
  readonly port: number
}

export interface RunningHttp {
  /** `https://<host>:<port>` as listened on. */
  readonly httpsUrl: string
  /** Absent without a plain listener. */
  readonly httpUrl?: string
  /** Stops listening, ends waits, streams, tunnels and proxied requests, lets other requests finish. */
  close(): Promise<void>
}

/** Headers must be complete in this time. */
const HEADERS_TIMEOUT_MS = 10_000
/** How often connections are looked at; the timeout of the headers is no more exact than this. */
const LIMITS = { connectionsCheckingInterval: 1_000 }
/** Longer than clients keep an idle connection (90 s is common): the client closes first, so no request meets a closing socket. */
const KEEP_ALIVE_MS = 120_000
/** How long requests in progress may take after `close`. */
const GRACE_MS = 5_000

/** Rejects when a port cannot be taken; the error's `code` says why (`EADDRINUSE`, `EACCES`). */
export async function startHttp(
  app: FastifyInstance,
  listeners: {
    readonly https: HttpsListener
    readonly http?: HttpListener
    /** Default 10 s. */
    readonly headersTimeoutMs?: number
  },
): Promise<RunningHttp> {
  await app.ready()
  const { https, http, headersTimeoutMs = HEADERS_TIMEOUT_MS } = listeners
  const secure = createHttpsServer(
    { cert: https.cert, key: https.key, minVersion: 'TLSv1.2', ...LIMITS },
    withConnect(app),
  )
  acceptUpgrades(app, secure)
  const servers: Server[] = [secure]
  secure.headersTimeout = headersTimeoutMs
  try {
    await listen(secure, https)
    if (http === undefined) return { httpsUrl: urlOf('https', secure), close: () => closeAll(app, servers) }
    const plain = createHttpServer(LIMITS, app.routing)
    plain.headersTimeout = headersTimeoutMs
    servers.push(plain)
    await listen(plain, http)
    return { httpsUrl: urlOf('https', secure), httpUrl: urlOf('http', plain), close: () => closeAll(app, servers) }
  } catch (error) {
    await closeAll(app, servers)
    throw error
  }
}

function withConnect(app: FastifyInstance): RequestListener {
  return (incoming, outgoing) => {
    if (!app.connectProxy.owns(incoming.url)) return app.routing(incoming, outgoing)
    // Everything that can go wrong is answered inside; what is left is a defect, and a socket must not stay open for it.
    app.connectProxy.handle(incoming, outgoing).catch((error: unknown) => outgoing.destroy(asError(error)))
  }
}

function acceptUpgrades(app: FastifyInstance, server: Server): void {
  server.on('upgrade', (incoming, socket, head) => {
    if (app.connectProxy.owns(incoming.url)) {
      app.connectProxy.handleUpgrade(incoming, socket, head).catch((error: unknown) => socket.destroy(asError(error)))
    } else {
      socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
    }
  })
}

function listen(server: Server, { host, port }: HttpListener): Promise<void> {
  answerClientErrors(server)
  server.keepAliveTimeout = KEEP_ALIVE_MS
  // Uploads through `/connect` may take as long as they take; bodies under /v1 have a deadline of their own.
  server.requestTimeout = 0
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** First no new connections, then everything that would go on for ever, then the rest within the grace. */
async function closeAll(app: FastifyInstance, servers: readonly Server[]): Promise<void> {
  const closed = servers
    .filter((server) => server.listening)
    .map((server) => new Promise<void>((resolve) => server.close(() => resolve())))
  await app.close()
  for (const server of servers) server.closeIdleConnections()
  const force = setTimeout(() => {
    for (const server of servers) server.closeAllConnections()
  }, GRACE_MS)
  await Promise.all(closed)
  clearTimeout(force)
}

function urlOf(scheme: 'http' | 'https', server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

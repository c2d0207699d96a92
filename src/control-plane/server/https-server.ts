/** HTTPS with optional client certificates. HTTP/1.1 with keep-alive: enough for every client, and the cheapest. */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { Dispatch } from './dispatch.ts'

export interface HttpsOptions {
  readonly host: string
  readonly port: number
  readonly cert: string
  readonly key: string
  readonly clientCa: string
  readonly onError: (error: unknown, context: string) => void
}

export interface RunningServer {
  readonly port: number
  close(): Promise<void>
}

/** Go clients keep idle connections for 90 s: ours must not be the end that closes first. */
const KEEP_ALIVE_MS = 120_000
const CLOSE_TIMEOUT_MS = 2000

/** @throws the error of `listen` (`EADDRINUSE`, `EACCES`) or of unusable certificates */
export async function listenHttps(options: HttpsOptions, dispatch: Dispatch): Promise<RunningServer> {
  const open = new Set<ServerResponse>()
  const server = createServer(
    {
      cert: options.cert,
      key: options.key,
      ca: options.clientCa,
      requestCert: true,
      // Who has no certificate may have a token; a certificate that does not verify is refused at authentication.
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      ALPNProtocols: ['http/1.1'],
      keepAliveTimeout: KEEP_ALIVE_MS,
      requestTimeout: 120_000,
      noDelay: true,
    },
    (request, response) => {
      open.add(response)
      response.on('close', () => open.delete(response))
      dispatch(request, response).catch((error: unknown) => options.onError(error, 'sending an answer'))
    },
  )
  // A client that hangs up during the handshake is its own problem.
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  server.on('clientError', (_error, socket) => socket.destroy())
  await listen(server, options)
  return { port: (server.address() as AddressInfo).port, close: () => close(server, open) }
}

function listen(server: Server, { host, port }: HttpsOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Requests in flight get their answer; who takes too long is cut off. */
async function close(server: Server, open: ReadonlySet<ServerResponse>): Promise<void> {
  const closed = new Promise<void>((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)))
  })
  const answered = Promise.all([...open].map((response) => once(response, 'close')))
  const timer = new AbortController()
  const tooLong = setTimeout(CLOSE_TIMEOUT_MS, undefined, { signal: timer.signal, ref: false })
  await Promise.race([answered, tooLong])
  timer.abort()
  // It rejects when it was not needed.
  await tooLong.catch(() => undefined)
  server.closeAllConnections()
  await closed
}

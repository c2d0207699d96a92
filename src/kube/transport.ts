/** HTTP exchanges with the API server. Knows no Kubernetes but its headers. */
import type { IncomingMessage } from 'node:http'
import { type Cancellation, sendAgain, underDeadline } from './cancellation.ts'
import type { Connection } from './connection.ts'
import { type HttpAnswer, type HttpRequest, requestName } from './http-request.ts'
import { createKeptConnections } from './kept-connections.ts'
import { createOwnConnections, readAnswer } from './own-connections.ts'
import { unreachable } from './response-error.ts'

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

export function createTransport({ connection, userAgent, requestTimeoutMs: timeoutMs }: TransportOptions): Transport {
  const kept = createKeptConnections({ connection, userAgent, connectTimeoutMs: timeoutMs })
  const own = createOwnConnections(connection, userAgent)
  let isClosed = false
  const disconnect = (): void => {
    kept.disconnect()
    own.disconnect()
  }
  const refuseWhenClosed = (request: HttpRequest): void => {
    if (isClosed) throw unreachable(requestName(request), new Error('the client was closed'))
  }
  const limitsOf = (request: HttpRequest) => ({ name: requestName(request), timeoutMs, signal: request.signal })
  const sendOnce = async (request: HttpRequest, cancellation: Cancellation): Promise<HttpAnswer> => {
    const credentials = await connection.credentials()
    // A read that is sent again, or whose credentials took their time, may come after the end.
    refuseWhenClosed(request)
    if (credentials.agent === undefined) return await kept.send(request, credentials, cancellation)
    return await readAnswer(await own.open(request, credentials, cancellation))
  }
  return {
    async send(request) {
      refuseWhenClosed(request)
      const isRead = request.method === 'GET'
      return underDeadline(limitsOf(request), (cancellation) =>
        sendAgain(() => sendOnce(request, cancellation), { isRead, cancellation }),
      )
    },
    async open(request) {
      refuseWhenClosed(request)
      const { signal } = request
      // The deadline covers the head only; after that the caller alone ends it.
      const response = await underDeadline(limitsOf(request), async (cancellation) =>
        own.open(request, await connection.credentials(), cancellation),
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

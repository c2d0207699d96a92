/** One ordinary request through the proxy: both directions are streamed as they come, nothing is collected or decoded. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Guest } from './guest.ts'
import { requestHeaders, responseHeaders, valuesOf } from './headers.ts'
import { ConnectError, type ConnectErrorReason } from './status-body.ts'

export interface ForwardRequest {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly guest: Guest
  /** Path and query as the client wrote them, after `/connect/<lease>`. */
  readonly target: string
  readonly requestId: string
  /** Time for the connection to the cluster; not for its answer, which for a watch takes as long as it takes. */
  readonly dialTimeoutMs: number
  /** Aborted when the client goes away or the lease ends. */
  readonly signal: AbortSignal
  /** Called when the cluster has answered and nothing of it has been passed on yet. */
  readonly onAnswered: () => void
}

/** Resolves when the answer is complete. Rejects with `ConnectError` while nothing has been answered yet. */
export async function forward(request: ForwardRequest): Promise<void> {
  const { incoming } = request
  const upstream = openUpstream(request)
  const answered = answerOf(upstream, request.dialTimeoutMs)
  // The body may fail after the cluster has answered (it need not read it all), so only the answer decides.
  const sent = pipeline(incoming, upstream).catch((error: unknown) => upstream.destroy(toError(error)))
  const answer = await answered
  request.onAnswered()
  try {
    await passOn(answer, request)
  } finally {
    if (!incoming.complete) incoming.resume()
    await sent
  }
}

/** Rejects with `ConnectError` when the cluster broke off, with another error when client or lease ended it. */
async function passOn(answer: IncomingMessage, { outgoing, requestId, signal }: ForwardRequest): Promise<void> {
  let brokenOff: Error | undefined
  answer.once('error', (error) => {
    // After an abort the error is only its echo.
    if (!signal.aborted) brokenOff = error
  })
  outgoing.writeHead(answer.statusCode ?? 502, [...responseHeaders(answer.rawHeaders), 'x-request-id', requestId])
  outgoing.flushHeaders()
  try {
    await pipeline(answer, outgoing)
  } catch (error) {
    throw brokenOff === undefined ? error : unreachable(brokenOff, 'upstream_response')
  }
}

function openUpstream({ incoming, guest, target, signal }: ForwardRequest) {
  const headers = requestHeaders(incoming.rawHeaders)
  headers.push(
    'Host',
    guest.hostname.includes(':') ? `[${guest.hostname}]:${guest.port}` : `${guest.hostname}:${guest.port}`,
  )
  if (guest.token !== undefined) headers.push('Authorization', `Bearer ${guest.token}`)
  // Without a length the body came in chunks; a DELETE would otherwise be sent without one.
  if (valuesOf(incoming.rawHeaders, 'transfer-encoding').length > 0) headers.push('Transfer-Encoding', 'chunked')
  return httpsRequest({
    host: guest.hostname,
    port: guest.port,
    method: incoming.method,
    path: guest.basePath + target,
    headers,
    agent: guest.agent,
    setHost: false,
    signal,
  })
}

function answerOf(upstream: ReturnType<typeof httpsRequest>, dialTimeoutMs: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => upstream.destroy(dialTimeout('upstream_timeout')), dialTimeoutMs)
    const dialled = (): void => clearTimeout(timer)
    upstream.once('socket', (socket: Duplex & { connecting?: boolean }) => {
      if (socket.connecting) socket.once('secureConnect', dialled)
      else dialled()
    })
    upstream.once('response', (answer) => {
      dialled()
      resolve(answer)
    })
    upstream.once('error', (error: Error) => {
      dialled()
      reject(error instanceof ConnectError ? error : unreachable(error, 'upstream_unreachable'))
    })
    upstream.once('close', () => {
      dialled()
      reject(unreachable(undefined, 'upstream_response'))
    })
  })
}

export function dialTimeout(reason: ConnectErrorReason): ConnectError {
  return new ConnectError({
    status: 504,
    message: 'Timed out reaching the leased cluster.',
    outcome: 'backend_error',
    reason,
  })
}

export function unreachable(cause: unknown, reason: ConnectErrorReason): ConnectError {
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
  return new ConnectError(
    { status: 502, message: `Failed to reach the leased cluster${code}.`, outcome: 'backend_error', reason },
    cause,
  )
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

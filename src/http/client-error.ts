/** What cannot be read as a request never reaches a route; it is answered in the same shape as every other error. */
import { type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError, type ApiErrorReason, errorBody } from './errors.ts'

/** By the code of Node's parser; others are `bad_request`. */
const REASONS: Readonly<Record<string, ApiErrorReason>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

export function answerClientErrors(server: Server): void {
  // An answer that has begun must not have another one written into it.
  const busy = new WeakSet<Duplex>()
  server.on('request', ({ socket }, response) => {
    busy.add(socket)
    response.once('close', () => busy.delete(socket))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || busy.has(socket) || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    socket.end(render(REASONS[error.code ?? ''] ?? 'bad_request'))
  })
}

function render(reason: ApiErrorReason): string {
  const field = reason === 'bad_request' ? 'request' : 'headers'
  const error = new ApiError(reason, { field })
  const body = JSON.stringify(errorBody(error))
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    '',
    body,
  ].join('\r\n')
}

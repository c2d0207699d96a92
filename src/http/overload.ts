/** Protection against too much at once and against clients that never finish. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { HttpLimits } from './deps.ts'
import { ApiError } from './errors.ts'

/**
 * Lease requests above the limit are turned away at once, before any work. Only these: reads, extensions, heartbeats and
 * releases stay possible however many want a cluster.
 */
export function createLeaseRequestGate(limit: number): (response: ServerResponse) => void {
  let inFlight = 0
  return (response) => {
    if (inFlight >= limit) {
      const detail = 'Too many concurrent requests, please retry'
      throw new ApiError('server_busy', { detail, retryAfterSeconds: 1 })
    }
    inFlight += 1
    let left = false
    const leave = (): void => {
      if (!left) inFlight -= 1
      left = true
    }
    // `close` alone when the client hangs up, both when all goes well.
    response.once('finish', leave)
    response.once('close', leave)
  }
}

/** Ends a request whose body does not arrive in time. The answer is 408, and the connection is closed after it. */
export function installBodyDeadline(app: FastifyInstance, { bodyTimeoutMs }: HttpLimits): void {
  app.addHook('preParsing', async (request, reply, payload) => {
    if (!announcesBody(request.headers)) return payload
    const timer = setTimeout(() => {
      // A body that is complete has nobody left who listens for errors.
      if (request.raw.complete) return
      reply.header('connection', 'close')
      payload.emit('error', new ApiError('request_timeout', { field: 'body' }))
    }, bodyTimeoutMs)
    reply.raw.once('close', () => clearTimeout(timer))
    return payload
  })
}

function announcesBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

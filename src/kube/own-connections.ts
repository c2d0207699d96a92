/** Requests over node:https: watches, each on a connection of its own, and those that need an agent to get through a proxy. */
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { type Cancellation, ConnectionFailure } from './cancellation.ts'
import type { Connection, Credentials } from './connection.ts'
import { answerOf, type HttpAnswer, type HttpRequest, headersOf, pathPrefix } from './http-request.ts'

export interface OwnConnections {
  /** The head of an answer whose body goes on. @throws ConnectionFailure when there was none. */
  open(request: HttpRequest, credentials: Credentials, cancellation: Cancellation): Promise<IncomingMessage>
  disconnect(): void
}

export function createOwnConnections(connection: Connection, userAgent: string): OwnConnections {
  const base = new URL(connection.server)
  const module = base.protocol === 'http:' ? http : https
  const prefix = pathPrefix(connection.server)
  const tls = { minVersion: 'TLSv1.2' as const, ...connection.trust }
  const agent = new module.Agent({ keepAlive: false })
  return {
    open: (request, credentials, cancellation) =>
      new Promise((resolve, reject) => {
        const { cert, key } = credentials
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
      }),
    disconnect: () => agent.destroy(),
  }
}

/** By events: an iterator over a stream costs more than most answers do. */
export function readAnswer(response: IncomingMessage): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('end', () => {
      resolve(answerOf(response.statusCode ?? 0, response.headers, Buffer.concat(chunks).toString('utf8')))
    })
    response.on('error', reject)
    response.on('close', () => {
      if (!response.complete) reject(new Error('the answer was cut'))
    })
  })
}

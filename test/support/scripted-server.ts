/** A small real HTTP(S) server whose answers a test writes by hand, down to the bytes and the cuts. */
import { once } from 'node:events'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'

export interface ScriptedRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
  /** How many requests came before. */
  readonly index: number
  /** Ends the connection without a word. */
  cut(): void
}

/** What it returns does not matter; a promise is awaited. */
export type ScriptedAnswer = (request: ScriptedRequest, response: ServerResponse) => unknown

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string
  readonly requests: ScriptedRequest[]
  /** Connections accepted so far. */
  readonly connections: () => number
  readonly openConnections: () => number
  /** Replaces the answers. */
  answer(next: ScriptedAnswer): void
  /** Cuts every open connection. */
  cutAll(): void
  close(): Promise<void>
}

export interface ScriptedTls {
  readonly cert: string
  readonly key: string
  /** Ask for client certificates of this CA. */
  readonly ca?: string
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

export async function startScriptedServer(first: ScriptedAnswer, tls?: ScriptedTls): Promise<ScriptedServer> {
  let answer = first
  const requests: ScriptedRequest[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const index = requests.length
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://server')
    const scripted: ScriptedRequest = {
      method: request.method ?? '',
      path: pathname,
      query: searchParams,
      headers: request.headers,
      body: await readBody(request),
      index,
      cut: () => request.socket.destroy(),
    }
    requests.push(scripted)
    await answer(scripted, response)
  }
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    onRequest(request, response).catch((error: unknown) => response.destroy(error as Error))
  }
  const server = tls
    ? https.createServer({ ...tls, requestCert: tls.ca !== undefined }, listener)
    : http.createServer(listener)
  server.on('connection', (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  const close = async (): Promise<void> => {
    const closed = once(server, 'close')
    server.close()
    cutAll()
    await closed
  }
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests,
    connections: () => connections,
    openConnections: () => sockets.size,
    answer: (next) => {
      answer = next
    },
    cutAll,
    close,
    [Symbol.asyncDispose]: close,
  }
}

export function sendJson(response: ServerResponse, status: number, body: unknown, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** A `Status` answer as API servers write it. */
export function sendStatus(response: ServerResponse, code: number, reason: string, more: object = {}): void {
  sendJson(response, code, {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code,
    reason,
    message: reason,
    ...more,
  })
}

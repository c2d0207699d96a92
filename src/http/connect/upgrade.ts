/** exec, attach and port-forward: after the handshake the proxy is two pipes and looks at no byte. WebSocket and SPDY alike. */
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { dialTimeout, unreachable } from './forward.ts'
import type { Guest } from './guest.ts'
import { responseHeaders, upgradeHeaders, valuesOf } from './headers.ts'
import { ConnectError } from './status-body.ts'

export interface UpgradeRequest {
  readonly incoming: IncomingMessage
  readonly client: Duplex
  /** Bytes of the client that came with the request. */
  readonly head: Buffer
  readonly guest: Guest
  readonly target: string
  readonly requestId: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Called when the cluster has answered, whatever it said. */
  readonly onAnswered: () => void
}

/** Resolves with the status of the cluster when the tunnel (or its refusal) is over. */
export async function tunnel(request: UpgradeRequest): Promise<number> {
  const handshake = await shakeHands(request)
  request.onAnswered()
  if (handshake.kind === 'refused') return await passRefusal(request, handshake.answer)
  const { answer, socket, head } = handshake
  request.client.write(headOf(answer, [...tunnelHeaders(answer), 'x-request-id', request.requestId]))
  if (head.length > 0) request.client.write(head)
  if (request.head.length > 0) socket.write(request.head)
  await join(request.client, socket, request.signal)
  return 101
}

type Handshake =
  | { kind: 'accepted'; answer: IncomingMessage; socket: Socket; head: Buffer }
  | { kind: 'refused'; answer: IncomingMessage }

function shakeHands({ incoming, guest, target, timeoutMs, signal }: UpgradeRequest): Promise<Handshake> {
  const headers = upgradeHeaders(incoming.rawHeaders)
  headers.push(
    'Host',
    guest.hostname.includes(':') ? `[${guest.hostname}]:${guest.port}` : `${guest.hostname}:${guest.port}`,
  )
  if (guest.token !== undefined) headers.push('Authorization', `Bearer ${guest.token}`)
  const upstream = httpsRequest({
    ...guest.tls,
    host: guest.hostname,
    port: guest.port,
    method: incoming.method,
    path: guest.basePath + target,
    headers,
    agent: false,
    setHost: false,
    signal,
  })
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => upstream.destroy(dialTimeout('upgrade_timeout')), timeoutMs)
    upstream.once('upgrade', (answer, socket, head) => {
      clearTimeout(timer)
      resolve({ kind: 'accepted', answer, socket, head })
    })
    upstream.once('response', (answer) => {
      clearTimeout(timer)
      resolve({ kind: 'refused', answer })
    })
    upstream.once('error', (error: Error) => {
      clearTimeout(timer)
      reject(error instanceof ConnectError ? error : unreachable(error, 'upgrade_dial'))
    })
    upstream.end()
  })
}

/** The cluster did not switch protocols (no such pod, forbidden): its own answer says why. */
async function passRefusal({ client, requestId }: UpgradeRequest, answer: IncomingMessage): Promise<number> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of answer) {
    length += chunk.length
    if (length <= LONGEST_REFUSAL) chunks.push(chunk)
  }
  const body = Buffer.concat(chunks)
  const kept = responseHeaders(answer.rawHeaders)
  const headers = kept.filter((_, index) => kept[index - (index % 2)]?.toLowerCase() !== 'content-length')
  client.write(
    headOf(answer, [
      ...headers,
      'content-length',
      String(body.length),
      'connection',
      'close',
      'x-request-id',
      requestId,
    ]),
  )
  client.end(body)
  return answer.statusCode ?? 502
}

/** A refusal is a Status object of a few hundred bytes; more than this is cut. */
const LONGEST_REFUSAL = 1 << 20

function tunnelHeaders(answer: IncomingMessage): string[] {
  return [
    ...responseHeaders(answer.rawHeaders),
    'Connection',
    'Upgrade',
    'Upgrade',
    valuesOf(answer.rawHeaders, 'upgrade').join(', '),
  ]
}

function headOf(answer: IncomingMessage, headers: readonly string[]): string {
  const lines = [`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}`]
  for (let index = 0; index + 1 < headers.length; index += 2) lines.push(`${headers[index]}: ${headers[index + 1]}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Copies both ways until both sides are closed. The end of one side is passed on after what it still has to say. */
function join(client: Duplex, guest: Socket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cut = (): void => {
      client.destroy()
      guest.destroy()
    }
    const closed = (): void => {
      if (!client.closed || !guest.closed) return
      signal.removeEventListener('abort', cut)
      resolve()
    }
    guest.setTimeout(0)
    guest.setNoDelay(true)
    guest.pipe(client)
    client.pipe(guest)
    // A broken side needs no report of its own: closing the other one is the report.
    guest.on('error', () => guest.destroy())
    client.on('error', () => client.destroy())
    guest.once('close', () => {
      client.end(() => client.destroy())
      closed()
    })
    client.once('close', () => {
      guest.destroy()
      closed()
    })
    signal.addEventListener('abort', cut, { once: true })
    if (signal.aborted) cut()
  })
}

/**
 * A cluster with one pod that can be exec'd into, as a kubelet behind a real API server would: `kubectl exec` reaches it over
 * WebSocket (`v5.channel.k8s.io`), gets what the command would print, its stdin back, and exit code 0.
 */
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { createPki, renderKubeconfig } from '../../src/control-plane/index.ts'

export interface StubGuest {
  /** Of its administrator. */
  readonly kubeconfig: string
  /** Authorization headers and names of client certificates it was shown. */
  readonly callers: readonly string[]
  close(): Promise<void>
}

const POD = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'shell', namespace: 'default', uid: 'shell' },
  spec: { containers: [{ name: 'main', image: 'none' }] },
  status: { phase: 'Running', containerStatuses: [{ name: 'main', ready: true }] },
}
const PODS_RESOURCE = { name: 'pods', singularName: 'pod', namespaced: true, kind: 'Pod', verbs: ['get', 'list'] }
const ANSWERS: Readonly<Record<string, object>> = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [] },
  '/api/v1': { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'v1', resources: [PODS_RESOURCE] },
  '/api/v1/namespaces/default/pods/shell': POD,
}
const NOT_FOUND = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 }

const PROTOCOL = 'v5.channel.k8s.io'
const Channel = { stdin: 0, stdout: 1, status: 3, close: 255 } as const
const Opcode = { binary: 2, close: 8 } as const

export async function startStubGuest(): Promise<StubGuest> {
  const pki = await createPki({ hosts: ['127.0.0.1'] })
  const callers: string[] = []
  const tls = { cert: pki.servingCert, key: pki.servingKey, ca: pki.caCert, requestCert: true }
  const sockets = new Set<Duplex>()
  const server = createServer(tls, answer)
  server.on('secureConnection', (socket) => {
    sockets.add(socket)
    callers.push(String(socket.getPeerCertificate().subject?.CN))
  })
  server.on('upgrade', exec)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    kubeconfig: renderKubeconfig({
      server: `https://127.0.0.1:${port}`,
      caCert: pki.caCert,
      name: 'stub',
      clientCert: pki.adminCert,
      clientKey: pki.adminKey,
    }),
    callers,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const found = ANSWERS[(request.url ?? '').split('?')[0] ?? '']
  response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(found ?? NOT_FOUND))
}

function exec(request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const offered = String(request.headers['sec-websocket-protocol']).split(/, */)
  if (request.headers.upgrade?.toLowerCase() !== 'websocket' || !offered.includes(PROTOCOL)) {
    socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n')
    return
  }
  const accept = createHash('sha1')
    .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64')
  const switched = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade']
  socket.write(
    [...switched, `Sec-WebSocket-Accept: ${accept}`, `Sec-WebSocket-Protocol: ${PROTOCOL}`, '', ''].join('\r\n'),
  )
  const query = new URL(request.url ?? '', 'https://stub').searchParams
  send(socket, Channel.stdout, `ran ${query.getAll('command').join(' ')}\n`)
  const finish = (): void => {
    send(socket, Channel.status, JSON.stringify({ metadata: {}, status: 'Success' }))
    socket.end(Buffer.from([0x80 | Opcode.close, 2, 0x03, 0xe8]))
  }
  if (query.get('stdin') === 'true') echo(socket, head, finish)
  else finish()
}

/** Sends stdin back until the client closes it. */
function echo(socket: Duplex, head: Buffer, finish: () => void): void {
  let held = head
  const read = (chunk: Buffer): void => {
    held = Buffer.concat([held, chunk])
    for (let frame = takeFrame(held); frame !== undefined; frame = takeFrame(held)) {
      held = frame.rest
      if (frame.opcode !== Opcode.binary) continue
      const [channel, ...bytes] = frame.payload
      if (channel === Channel.stdin) send(socket, Channel.stdout, Buffer.from(bytes))
      if (channel === Channel.close) finish()
    }
  }
  socket.on('error', () => socket.destroy())
  socket.on('data', read)
}

function takeFrame(bytes: Buffer): { opcode: number; payload: Buffer; rest: Buffer } | undefined {
  if (bytes.length < 2) return undefined
  const short = bytes.readUInt8(1) & 0x7f
  const extra = short === 126 ? 2 : short === 127 ? 8 : 0
  const start = 2 + extra + 4
  if (bytes.length < start) return undefined
  const length = extra === 2 ? bytes.readUInt16BE(2) : extra === 8 ? Number(bytes.readBigUInt64BE(2)) : short
  if (bytes.length < start + length) return undefined
  const mask = bytes.subarray(start - 4, start)
  const payload = Buffer.from(bytes.subarray(start, start + length).map((byte, index) => byte ^ mask[index % 4]!))
  return { opcode: bytes.readUInt8(0) & 0x0f, payload, rest: bytes.subarray(start + length) }
}

function send(socket: Duplex, channel: number, content: string | Buffer): void {
  const payload = Buffer.concat([Buffer.from([channel]), Buffer.from(content)])
  const length = payload.length < 126 ? Buffer.from([payload.length]) : Buffer.from([126, 0, 0])
  if (length.length === 3) length.writeUInt16BE(payload.length, 1)
  socket.write(Buffer.concat([Buffer.from([0x80 | Opcode.binary]), length, payload]))
}

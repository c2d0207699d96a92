/** A scripted guest API server that wants a client certificate, and the HTTP app over real TLS in front of it. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createHttpsServer, request as httpsRequest, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { parse, stringify } from 'yaml'
import type { HttpLimits } from '../../../src/http/deps.ts'
import { type RunningHttp, startHttp } from '../../../src/http/server.ts'
import { createTestCertificates, type TestCertificates } from '../../support/certificates.ts'
import { createHttpWorld, type HttpWorld } from '../../support/http-world.ts'

export interface Guest {
  readonly server: Server
  readonly url: string
  readonly seen: IncomingMessage[]
  handler: (request: IncomingMessage, response: ServerResponse) => unknown
  onUpgrade: (request: IncomingMessage, socket: Socket, head: Buffer) => void
}

export interface Lease {
  readonly id: string
  readonly token: string
}

export interface Answer {
  readonly response: IncomingMessage
  text(): Promise<string>
}

export interface SendOptions {
  readonly method?: string
  readonly token?: string
  readonly headers?: Record<string, string | string[]>
  readonly body?: Buffer
}

export interface ConnectFixture {
  readonly world: HttpWorld
  readonly running: RunningHttp
  readonly guest: Guest
  /** CA of the listener. */
  readonly ownCa: string
  /** What the operator finds in the Secret of the instance; replaceable. */
  guestKubeconfig: () => string | undefined
  adminKubeconfig(url: string, ca?: string): string
  boundLease(ttlMs?: number): Promise<Lease>
  send(lease: Lease, path: string, options?: SendOptions): Promise<Answer>
  close(): Promise<void>
}

let own: TestCertificates
let guestPki: TestCertificates

/** Once per test file: keys take time. */
export async function createConnectPki(): Promise<void> {
  own = await createTestCertificates()
  guestPki = await createTestCertificates()
}

export async function startConnect(limits: Partial<HttpLimits> = {}): Promise<ConnectFixture> {
  const guest = await startGuest(guestPki)
  const started: { running?: RunningHttp } = {}
  const world = await createHttpWorld({
    deps: {
      caPem: own.ca,
      publicUrl: () => started.running!.httpsUrl,
      guestKubeconfig: async () => fixture.guestKubeconfig(),
      limits: { tunnels: 2, ...limits },
    },
  })
  await world.pool('p')
  await world.synced()
  const running = await startHttp(world.app, {
    https: { host: '127.0.0.1', port: 0, ...own.server },
    http: { host: '127.0.0.1', port: 0 },
  })
  started.running = running
  const fixture: ConnectFixture = {
    world,
    running,
    guest,
    ownCa: own.ca,
    guestKubeconfig: () => fixture.adminKubeconfig(guest.url),
    adminKubeconfig: (url, ca = guestPki.ca) => adminKubeconfig(url, { ...guestPki, ca }),
    boundLease: (ttlMs = 3_600_000) => boundLease(world, ttlMs),
    send: (lease, path, options = {}) => send(`${running.httpsUrl}/connect/${lease.id}${path}`, lease, options),
    async close() {
      await running.close()
      await world[Symbol.asyncDispose]()
      guest.server.closeAllConnections()
      guest.server.close()
    },
  }
  return fixture
}

async function startGuest(pki: TestCertificates): Promise<Guest> {
  const server = createHttpsServer({ ...pki.server, ca: pki.ca, requestCert: true, rejectUnauthorized: true })
  const guest: Guest = {
    server,
    url: '',
    seen: [],
    handler: (_request, response) => response.end('{}'),
    onUpgrade: (_request, socket) => socket.destroy(),
  }
  server.on('request', (request, response) => {
    guest.seen.push(request)
    guest.handler(request, response)
  })
  server.on('upgrade', (request, socket: Socket, head: Buffer) => {
    guest.seen.push(request)
    socket.on('error', () => socket.destroy())
    guest.onUpgrade(request, socket, head)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(guest, { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

function adminKubeconfig(url: string, pki: TestCertificates): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const credential = { 'client-certificate-data': base64(pki.client.cert), 'client-key-data': base64(pki.client.key) }
  return stringify({
    'current-context': 'admin',
    contexts: [{ name: 'admin', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority-data': base64(pki.ca) } }],
    users: [{ name: 'u', user: credential }],
  })
}

async function boundLease(world: HttpWorld, ttlMs: number): Promise<Lease> {
  const { body } = await world.call('POST', '/v1/leases', { profile: 'p' })
  await world.bind(body.id, { ttlMs })
  await world.synced()
  const answer = await world.call('GET', `/v1/leases/${body.id}`)
  return { id: body.id, token: parse(answer.body.kubeconfig).users[0].user.token }
}

function send(url: string, lease: Lease, options: SendOptions): Promise<Answer> {
  const request = httpsRequest(url, {
    ca: own.ca,
    method: options.method ?? 'GET',
    headers: { authorization: `Bearer ${options.token ?? lease.token}`, ...options.headers },
    agent: false,
  })
  return new Promise((resolve, reject) => {
    request.once('error', reject)
    request.once('response', (response) => resolve({ response, text: () => readAll(response) }))
    request.end(options.body)
  })
}

export async function readAll(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

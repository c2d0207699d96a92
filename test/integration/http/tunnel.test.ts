/** exec, attach and port-forward through the proxy: raw tunnels over real TLS. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type ConnectFixture, createConnectPki, type Lease, startConnect } from './connect-fixture.ts'

let fixture: ConnectFixture
beforeAll(createConnectPki)
beforeEach(async () => {
  fixture = await startConnect()
})
afterEach(() => fixture.close())

interface Tunnel {
  readonly answer: IncomingMessage
  readonly socket: Socket
  readonly head: Buffer
}

type Outcome = Tunnel | { readonly refused: IncomingMessage }

function upgrade(lease: Lease, headers: Record<string, string | string[]> = {}, method = 'GET'): Promise<Outcome> {
  const request = httpsRequest(
    `${fixture.running.httpsUrl}/connect/${lease.id}/api/v1/namespaces/a/pods/b/exec?command=secret-word`,
    {
      ca: fixture.ownCa,
      method,
      headers: { authorization: `Bearer ${lease.token}`, connection: 'Upgrade', upgrade: 'SPDY/3.1', ...headers },
      agent: false,
    },
  )
  return new Promise((resolve, reject) => {
    request.once('upgrade', (answer, socket, head) => resolve({ answer, socket, head }))
    request.once('response', (refused) => resolve({ refused }))
    request.once('error', reject)
    request.end()
  })
}

const echo = (): void => {
  fixture.guest.onUpgrade = (request, socket, head) => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${request.headers.upgrade}\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n`,
    )
    socket.write(head)
    socket.pipe(socket)
  }
}

async function open(lease: Lease, headers?: Record<string, string | string[]>): Promise<Tunnel> {
  const outcome = await upgrade(lease, headers)
  if ('refused' in outcome) throw new Error(`refused with ${outcome.refused.statusCode}`)
  outcome.socket.on('error', () => outcome.socket.destroy())
  return outcome
}

async function refusalOf(
  outcome: Outcome,
): Promise<{ status: number | undefined; headers: IncomingMessage['headers']; text: string }> {
  if (!('refused' in outcome)) throw new Error('not refused')
  const chunks: Buffer[] = []
  for await (const chunk of outcome.refused) chunks.push(chunk)
  return {
    status: outcome.refused.statusCode,
    headers: outcome.refused.headers,
    text: Buffer.concat(chunks).toString(),
  }
}

describe('a tunnel through /connect', () => {
  it.each(['SPDY/3.1', 'websocket'])('carries %s bytes both ways', async (protocol) => {
    echo()
    const { answer, socket } = await open(await fixture.boundLease(), { upgrade: protocol })
    expect(answer.statusCode).toBe(101)
    expect(answer.headers).toMatchObject({
      upgrade: protocol,
      'x-stream-protocol-version': 'v4.channel.k8s.io',
      'x-request-id': expect.any(String),
    })
    for (const text of ['hello', 'again']) {
      socket.write(text)
      expect(String((await once(socket, 'data'))[0])).toBe(text)
    }
    socket.destroy()
  })

  it('passes on repeated protocol versions, and neither token nor identity of the caller', async () => {
    echo()
    const { socket } = await open(await fixture.boundLease(), {
      'x-stream-protocol-version': ['v4.channel.k8s.io', 'v3.channel.k8s.io'],
      'sec-websocket-protocol': 'v5.channel.k8s.io, base64url.bearer.authorization.k8s.io.c2VjcmV0',
      'impersonate-user': 'dev',
      'x-remote-user': 'root',
    })
    const [seen] = fixture.guest.seen
    expect(seen?.headers['x-stream-protocol-version']).toBe('v4.channel.k8s.io, v3.channel.k8s.io')
    expect(seen?.headers['sec-websocket-protocol']).toBe('v5.channel.k8s.io')
    expect(seen?.headers).not.toHaveProperty('authorization')
    expect(seen?.headers).not.toHaveProperty('x-remote-user')
    expect(seen?.headers['impersonate-user']).toBe('dev')
    expect(seen?.url).toBe('/api/v1/namespaces/a/pods/b/exec?command=secret-word')
    socket.destroy()
  })

  it('carries many bytes without losing one, and the end of one side after the rest of it', async () => {
    fixture.guest.onUpgrade = (_request, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n')
      socket.end(Buffer.alloc(8 << 20, 'x'))
    }
    const { socket, head } = await open(await fixture.boundLease())
    let length = head.length
    for await (const chunk of socket) length += chunk.length
    expect(length).toBe(8 << 20)
  })

  it('is closed on both sides when the client goes', async () => {
    const closed = new Promise<void>((resolve) => {
      fixture.guest.onUpgrade = (_request, socket) => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n')
        socket.once('close', resolve)
        socket.resume()
      }
    })
    const { socket } = await open(await fixture.boundLease())
    socket.destroy()
    await closed
  })

  it('is cut at once when the lease is released, and at its expiry', async () => {
    echo()
    const released = await fixture.boundLease()
    const short = await fixture.boundLease(4000)
    const [one, two] = [await open(released), await open(short)]
    const closed = [once(one.socket, 'close'), once(two.socket, 'close')]
    const startedAt = performance.now()
    await fixture.world.call('DELETE', `/v1/leases/${released.id}`)
    await closed[0]
    expect(performance.now() - startedAt).toBeLessThan(5000)
    await closed[1]
  })
})

describe('a tunnel that does not come about', () => {
  it('answers what the cluster says instead', async () => {
    fixture.guest.onUpgrade = (_request, socket) => {
      const body = '{"kind":"Status","code":403}'
      socket.end(
        `HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      )
    }
    const refusal = await refusalOf(await upgrade(await fixture.boundLease()))
    expect(refusal).toMatchObject({ status: 403, text: '{"kind":"Status","code":403}' })
  })

  it('refuses a wrong token as a Status', async () => {
    const lease = await fixture.boundLease()
    const refusal = await refusalOf(await upgrade({ ...lease, token: 'wrong' }))
    expect([refusal.status, JSON.parse(refusal.text).reason]).toEqual([401, 'Unauthorized'])
    expect(fixture.guest.seen).toHaveLength(0)
  })

  it('answers 504 when the cluster does not finish the handshake, of TLS or of the protocol', async () => {
    const silent = createServer((socket) => socket.on('error', () => socket.destroy()))
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    await fixture.close()
    fixture = await startConnect({ dialTimeoutMs: 300 })
    onTestFinished(() => {
      silent.close()
    })
    const lease = await fixture.boundLease()
    const { port } = silent.address() as AddressInfo
    fixture.guestKubeconfig = () => fixture.adminKubeconfig(`https://127.0.0.1:${port}`)
    expect((await refusalOf(await upgrade(lease))).status).toBe(504)
    fixture.guestKubeconfig = () => fixture.adminKubeconfig(fixture.guest.url)
    fixture.guest.onUpgrade = (_request, socket) => socket.resume()
    expect((await refusalOf(await upgrade(lease))).status).toBe(504)
  })

  it('refuses tunnels above the limit with 503, and takes new ones when one has closed', async () => {
    echo()
    const lease = await fixture.boundLease()
    const [first, second] = [await open(lease), await open(lease)]
    const refusal = await refusalOf(await upgrade(lease))
    expect([refusal.status, refusal.headers['retry-after']]).toEqual([503, '5'])
    first.socket.destroy()
    await expect.poll(async () => 'socket' in (await upgrade(lease)), { timeout: 10_000 }).toBe(true)
    second.socket.destroy()
  })

  it('is refused outside /connect', async () => {
    const request = httpsRequest(`${fixture.running.httpsUrl}/v1/leases`, {
      ca: fixture.ownCa,
      headers: { connection: 'Upgrade', upgrade: 'websocket' },
      agent: false,
    })
    request.end()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    expect(response.statusCode).toBe(404)
  })
})

describe('the audit', () => {
  it('has one line for each request and tunnel, without token, query or command', async () => {
    echo()
    const lease = await fixture.boundLease()
    const { socket } = await open(lease)
    socket.destroy()
    await (await fixture.send(lease, '/api?x=secret-word')).text()
    await (await fixture.send(lease, '/api', { token: 'wrong-token' })).text()
    const lines = () => fixture.world.logs.filter((line) => line.message === 'connect')
    await expect.poll(() => lines().length, { timeout: 10_000 }).toBe(3)
    expect(
      lines()
        .map(({ fields }) => [fields.kind, fields.status])
        .sort(),
    ).toEqual([
      ['buffered', 200],
      ['buffered', 401],
      ['upgrade', 101],
    ])
    expect(lines()[0]?.fields).toMatchObject({
      lease: lease.id,
      identity: 'ci',
      requestId: expect.any(String),
      durationMs: expect.any(Number),
    })
    const text = JSON.stringify(fixture.world.logs)
    for (const secret of [lease.token, 'secret-word', 'wrong-token', 'PRIVATE KEY']) expect(text).not.toContain(secret)
    const metrics = await fixture.world.registry.metrics()
    expect(metrics).toContain('kobe_connect_proxy_request_outcome_total{outcome="invalid_token"} 1')
    expect(metrics).toMatch(/kobe_connect_proxy_open\{kind="upgrade"\} 0/)
  })
})

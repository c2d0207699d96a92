/** The listeners: HTTPS with /connect, plain HTTP without, limits against slow clients, a clean close. */
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { type AddressInfo, connect, createServer } from 'node:net'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type RunningHttp, startHttp } from '../../../src/http/server.ts'
import { createTestCertificates, type TestCertificates } from '../../support/certificates.ts'
import { createHttpWorld, type HttpWorld, TOKEN } from '../../support/http-world.ts'

let pki: TestCertificates
let world: HttpWorld
let running: RunningHttp
beforeAll(async () => {
  pki = await createTestCertificates()
})
beforeEach(async () => {
  world = await createHttpWorld({ deps: { limits: { bodyTimeoutMs: 1000 } } })
  await world.pool('p')
  await world.synced()
  running = await startHttp(world.app, {
    https: { host: '127.0.0.1', port: 0, ...pki.server },
    http: { host: '127.0.0.1', port: 0 },
    headersTimeoutMs: 500,
  })
})
afterEach(async () => {
  await running.close()
  await world[Symbol.asyncDispose]()
})

const AUTH = { authorization: `Bearer ${TOKEN}` }

async function ask(
  url: string,
  options: { method?: string; body?: string } = {},
): Promise<{ status: number | undefined; text: string }> {
  const send = url.startsWith('https:') ? httpsRequest : httpRequest
  const headers = options.body === undefined ? AUTH : { ...AUTH, 'content-type': 'application/json' }
  const request = send(url, { ca: pki.ca, headers, method: options.method ?? 'GET', agent: false })
  request.end(options.body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return { status: response.statusCode, text: Buffer.concat(chunks).toString() }
}

describe('the listeners', () => {
  it('serve the same API over HTTPS and over plain HTTP', async () => {
    const created = await ask(`${running.httpUrl}/v1/leases`, { method: 'POST', body: '{"profile":"p"}' })
    expect(created.status).toBe(202)
    const { id } = JSON.parse(created.text)
    expect(JSON.parse((await ask(`${running.httpsUrl}//v1/leases/${id}`)).text)).toMatchObject({ id, phase: 'Pending' })
  })

  it('serve /connect over HTTPS only', async () => {
    expect((await ask(`${running.httpsUrl}/connect/lease-000000000000/api`)).status).toBe(401)
    const plain = await ask(`${running.httpUrl}/connect/lease-000000000000/api`)
    expect([plain.status, JSON.parse(plain.text).reason]).toEqual([404, 'route_not_found'])
  })

  it('say which port is taken, and leave nothing open', async () => {
    const taken = createServer()
    taken.listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const other = await createHttpWorld()
    const start = startHttp(other.app, {
      https: { host: '127.0.0.1', port: 0, ...pki.server },
      http: { host: '127.0.0.1', port },
    })
    await expect(start).rejects.toMatchObject({ code: 'EADDRINUSE', port })
    await other[Symbol.asyncDispose]()
    taken.close()
  })
})

/** What the server answers to these bytes until it closes the connection. */
async function bytes(...parts: string[]): Promise<string> {
  const socket = connect(Number(new URL(running.httpUrl!).port), '127.0.0.1')
  for (const part of parts) socket.write(part)
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

describe('what is no request', () => {
  it.each([
    [
      'headers that are too large',
      `GET /v1/pools HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    ['a path that is too long', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431, 'headers_too_large'],
    ['something else than HTTP', 'hello\r\n\r\n', 400, 'bad_request'],
    [
      'two lengths',
      'POST /v1/leases HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'bad_request',
    ],
    [
      'a length beside chunks',
      'POST /v1/leases HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'bad_request',
    ],
    ['a header that is none', 'GET /v1/pools HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n', 400, 'bad_request'],
    ['headers that never end', 'GET /v1/pools HTTP/1.1\r\nHost: x\r\n', 408, 'request_timeout'],
  ])('%s is answered as every other error, and the connection ends', async (...[, sent, status, reason]) => {
    const answer = await bytes(sent)
    expect(answer).toContain(`HTTP/1.1 ${status} `)
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))
    expect(body).toMatchObject({ reason, field: expect.any(String) })
  })
})

describe('slow clients', () => {
  it('whose body does not arrive are answered 408 and disconnected', async () => {
    const socket = connect(Number(new URL(running.httpUrl!).port), '127.0.0.1')
    socket.write(
      `POST /v1/leases HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"pro`,
    )
    let text = ''
    for await (const chunk of socket) text += chunk
    expect(text).toContain('HTTP/1.1 408')
    expect(text).toContain('"reason":"request_timeout"')
  })

  it('that wait for a lease are not cut off', async () => {
    const { text } = await ask(`${running.httpUrl}/v1/leases`, { method: 'POST', body: '{"profile":"p"}' })
    const answer = await ask(`${running.httpUrl}/v1/leases/${JSON.parse(text).id}?wait=1s`)
    expect(answer.status).toBe(200)
  })
})

describe('close', () => {
  it('ends waits and event streams at once and lets no new connection in', async () => {
    const { text } = await ask(`${running.httpUrl}/v1/leases`, { method: 'POST', body: '{"profile":"p"}' })
    const { id } = JSON.parse(text)
    const wait = httpRequest(`${running.httpUrl}/v1/leases/${id}?wait=60s`, { headers: AUTH, agent: false })
    const waited = once(wait, 'response')
    wait.end()
    await once(wait, 'finish')
    const stream = httpRequest(`${running.httpUrl}/v1/leases/${id}/events`, { headers: AUTH })
    stream.end()
    const [events] = (await once(stream, 'response')) as [IncomingMessage]
    await once(events, 'data')
    const ended = once(events.resume(), 'end')
    const startedAt = performance.now()
    await running.close()
    expect(performance.now() - startedAt).toBeLessThan(20_000)
    expect(((await waited)[0] as IncomingMessage).resume().statusCode).toBe(200)
    await ended
    await expect(ask(`${running.httpUrl}/livez`)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})

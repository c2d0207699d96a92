/** The connect proxy over real TLS, in front of a scripted API server that wants a client certificate. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { SECRETS } from '../../../src/api/core-resources.ts'
import { NAMESPACE } from '../../support/http-world.ts'
import {
  type Answer,
  type ConnectFixture,
  createConnectPki,
  type Guest,
  type Lease,
  readAll,
  startConnect,
} from './connect-fixture.ts'

let fixture: ConnectFixture
let guest: Guest
beforeAll(createConnectPki)
beforeEach(async () => {
  fixture = await startConnect()
  guest = fixture.guest
})
afterEach(() => fixture.close())

const boundLease = (ttlMs?: number) => fixture.boundLease(ttlMs)
const send: ConnectFixture['send'] = (...args) => fixture.send(...args)
const release = (lease: Lease) => fixture.world.call('DELETE', `/v1/leases/${lease.id}`)

describe('a request through /connect', () => {
  it('arrives with path, query and body as they were sent, under our client certificate, without any identity of the caller but whom it asks to act as', async () => {
    guest.handler = async (request, response) => {
      const peer = (request.socket as TLSSocket).getPeerCertificate().subject
      response.setHeader('x-kubernetes-pf-flowschema-uid', 'a')
      response.end(JSON.stringify({ url: request.url, headers: request.headers, peer, body: await readAll(request) }))
    }
    const lease = await boundLease()
    const answer = await send(lease, '/api/v1//namespaces/a%2Fb/pods?labelSelector=x%3Dy&watch=0', {
      method: 'DELETE',
      headers: {
        'impersonate-user': 'dev',
        'x-remote-group': 'system:masters',
        'x-forwarded-for': '1.2.3.4',
        'content-type': 'application/json',
        'content-length': '7',
        'x-custom': ['1', '2'],
        connection: 'x-hop',
        'x-hop': 'secret',
      },
      body: Buffer.from('{"a":1}'),
    })
    const seen = JSON.parse(await answer.text())
    expect(seen.url).toBe('/api/v1//namespaces/a%2Fb/pods?labelSelector=x%3Dy&watch=0')
    expect(seen.body).toBe('{"a":1}')
    expect(seen.peer.CN).toBe('kubernetes-admin')
    expect(Object.keys(seen.headers).sort()).toEqual([
      'connection',
      'content-length',
      'content-type',
      'host',
      'impersonate-user',
      'x-custom',
    ])
    expect(seen.headers['impersonate-user']).toBe('dev')
    expect(seen.headers['x-custom']).toBe('1, 2')
    expect(answer.response.headers['x-kubernetes-pf-flowschema-uid']).toBe('a')
    expect(answer.response.headers['x-request-id']).toBeDefined()
  })

  it('reaches the root of the API for a path that ends after the lease', async () => {
    guest.handler = (request, response) => response.end(request.url)
    expect(await (await send(await boundLease(), '?x=1')).text()).toBe('/?x=1')
  })

  it('passes status, compressed bytes and a failure of the cluster on untouched', async () => {
    guest.handler = (_request, response) =>
      response.writeHead(409, { 'content-encoding': 'gzip' }).end(Buffer.from([31, 139, 8, 0, 255]))
    const { response } = await send(await boundLease(), '/api', { headers: { 'accept-encoding': 'gzip' } })
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    expect([response.statusCode, response.headers['content-encoding'], Buffer.concat(chunks)]).toEqual([
      409,
      'gzip',
      Buffer.from([31, 139, 8, 0, 255]),
    ])
  })

  it('streams a watch line by line as the cluster writes it', async () => {
    let write = (_line: string): void => undefined
    guest.handler = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.flushHeaders()
      write = (line) => response.write(`${line}\n`)
    }
    const { response } = await send(await boundLease(), '/api/v1/pods?watch=1')
    expect(response.statusCode).toBe(200)
    for (const line of ['{"n":1}', '{"n":2}']) {
      const next = once(response, 'data')
      write(line)
      expect(String((await next)[0])).toBe(`${line}\n`)
    }
    response.destroy()
  })

  it('streams a PUT of 900 kB, in chunks and with a length, and more than 1 MiB too', async () => {
    guest.handler = async (request, response) => response.end(String(Buffer.byteLength(await readAll(request))))
    const lease = await boundLease()
    const body = Buffer.alloc(900_000, 'x')
    expect(
      await (await send(lease, '/a', { method: 'PUT', body, headers: { 'content-length': '900000' } })).text(),
    ).toBe('900000')
    expect(
      await (await send(lease, '/a', { method: 'PUT', body, headers: { 'transfer-encoding': 'chunked' } })).text(),
    ).toBe('900000')
    expect(await (await send(lease, '/a', { method: 'PUT', body: Buffer.alloc(3 << 20, 'x') })).text()).toBe(
      String(3 << 20),
    )
  })

  it('tells the cluster when the client hangs up', async () => {
    const closed = new Promise<void>((resolve) => {
      guest.handler = (_request, response) => {
        response.flushHeaders()
        response.once('close', resolve)
      }
    })
    const { response } = await send(await boundLease(), '/watch')
    response.destroy()
    await closed
  })

  it('breaks off when the cluster does, and counts that as a failure of the cluster', async () => {
    guest.handler = (_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half')
      setImmediate(() => response.destroy())
    }
    const answer = await send(await boundLease(), '/logs')
    await expect(answer.text()).rejects.toThrow()
    const metric = 'kobe_connect_proxy_error_reason_total{reason="upstream_response"} 1'
    await expect
      .poll(async () => (await fixture.world.registry.metrics()).includes(metric), { timeout: 10_000 })
      .toBe(true)
  })

  it('does not collect what a slow client does not read', async () => {
    let written = 0
    let blocked = (): void => undefined
    const stalled = new Promise<void>((resolve) => {
      blocked = resolve
    })
    guest.handler = (_request, response) => {
      const chunk = Buffer.alloc(64 * 1024)
      const push = (): void => {
        while (written < 256 << 20) {
          written += chunk.length
          if (!response.write(chunk)) {
            const timer = setTimeout(blocked, 300)
            response.once('drain', () => {
              clearTimeout(timer)
              push()
            })
            return
          }
        }
      }
      push()
    }
    const { response } = await send(await boundLease(), '/logs')
    response.pause()
    await stalled
    expect(written).toBeLessThan(64 << 20)
    response.destroy()
  })
})

describe('who may pass', () => {
  const refusal = async (answer: Answer) => {
    const body = JSON.parse(await answer.text())
    expect(body).toMatchObject({
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      code: answer.response.statusCode,
    })
    expect(answer.response.headers['content-type']).toBe('application/json')
    expect(answer.response.headers['x-request-id']).toBeDefined()
    return { status: answer.response.statusCode, reason: body.reason, message: body.message as string }
  }

  it('refuses a wrong token and an unknown lease alike, and a missing token', async () => {
    const lease = await boundLease()
    const wrong = await refusal(await send(lease, '/api', { token: 'f'.repeat(64) }))
    const unknown = await refusal(await send({ ...lease, id: 'lease-000000000000' }, '/api'))
    const missing = await refusal(await send(lease, '/api', { headers: { authorization: '' } }))
    expect(wrong).toEqual(unknown)
    expect(wrong).toMatchObject({ status: 401, reason: 'Unauthorized' })
    expect(missing).toMatchObject({ status: 401, message: expect.stringContaining('no bearer token') })
    expect(guest.seen).toHaveLength(0)
  })

  it("refuses the token of another lease, and the requester's own API token", async () => {
    const [one, two] = [await boundLease(), await boundLease()]
    expect((await send(one, '/api', { token: two.token })).response.statusCode).toBe(401)
    expect((await send(one, '/api', { token: 'token-of-ci' })).response.statusCode).toBe(401)
  })

  it('refuses a lease that is released, and one past its expiry even while it says Bound', async () => {
    const lease = await boundLease()
    await release(lease)
    expect(await refusal(await send(lease, '/api'))).toMatchObject({
      status: 409,
      message: expect.stringContaining('Released'),
    })
    const short = await boundLease(1000)
    await expect.poll(async () => (await send(short, '/api')).response.statusCode, { timeout: 10_000 }).toBe(410)
  })

  it('refuses everybody once the token Secret is gone', async () => {
    const lease = await boundLease()
    await fixture.world.kube.delete(SECRETS, { name: `${lease.id}-connect-token`, namespace: NAMESPACE })
    await fixture.world.synced()
    expect((await send(lease, '/api')).response.statusCode).toBe(401)
  })

  it('says when the cluster cannot be reached, and verifies its certificate', async () => {
    const lease = await boundLease()
    fixture.guestKubeconfig = () => undefined
    expect(await refusal(await send(lease, '/api'))).toMatchObject({ status: 503 })
    fixture.guestKubeconfig = () => fixture.adminKubeconfig('https://127.0.0.1:1')
    expect(await refusal(await send(lease, '/api'))).toMatchObject({
      status: 502,
      message: expect.stringContaining('ECONNREFUSED'),
    })
    fixture.guestKubeconfig = () => fixture.adminKubeconfig(guest.url, fixture.ownCa)
    expect(await refusal(await send(lease, '/api'))).toMatchObject({ status: 502 })
    expect(guest.seen).toHaveLength(0)
  })

  it('answers 504 when the cluster takes the connection and stays silent', async () => {
    const silent = createServer((socket) => socket.on('error', () => socket.destroy()))
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const impatient = await startConnect({ dialTimeoutMs: 300 })
    onTestFinished(() => impatient.close())
    onTestFinished(() => {
      silent.close()
    })
    const lease = await impatient.boundLease()
    const { port } = silent.address() as AddressInfo
    impatient.guestKubeconfig = () => impatient.adminKubeconfig(`https://127.0.0.1:${port}`)
    expect(await refusal(await impatient.send(lease, '/api'))).toMatchObject({ status: 504, reason: 'Timeout' })
  })
})

describe('the end of a lease', () => {
  const openWatch = async (lease: Lease) => {
    guest.handler = (_request, response) => response.writeHead(200).write('{"n":1}\n')
    const { response } = await send(lease, '/watch')
    await once(response, 'data')
    const cut = new Promise<void>((resolve) => response.once('error', () => resolve()))
    return { response, cut }
  }

  it('cuts an open watch at once', async () => {
    const lease = await boundLease()
    const { cut } = await openWatch(lease)
    const startedAt = performance.now()
    await release(lease)
    await cut
    expect(performance.now() - startedAt).toBeLessThan(5000)
  })

  it('cuts an open watch at its expiry, without any event', async () => {
    const { cut } = await openWatch(await boundLease(3000))
    await cut
  })

  it('leaves the connections of other leases alone', async () => {
    const [one, two] = [await boundLease(), await boundLease()]
    const watchOfTwo = await openWatch(two)
    const watchOfOne = await openWatch(one)
    await release(one)
    await watchOfOne.cut
    expect(watchOfTwo.response.destroyed).toBe(false)
    watchOfTwo.response.destroy()
  })
})

import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { kubeconfigText } from '../../test/support/kubeconfig.ts'
import { type ScriptedServer, sendJson, sendStatus, startScriptedServer } from '../../test/support/scripted-server.ts'
import { CONFIG_MAPS, LEASES, NAMESPACES } from '../api/core-resources.ts'
import type { KubeErrorCode } from './errors.ts'
import { type ClosableKubeClient, createKubeClient } from './kube-client.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const REF = { namespace: 'work', name: 'a' }
const OBJECT = { metadata: { namespace: 'work', name: 'a', resourceVersion: '7', uid: 'u1' }, data: { key: 'välue' } }

async function serverAndClient(
  answer: Parameters<typeof startScriptedServer>[0],
  options: { user?: object; path?: string; requestTimeoutMs?: number } = {},
): Promise<{ server: ScriptedServer; client: ClosableKubeClient }> {
  const server = await startScriptedServer(answer)
  cleanups.push(server.close)
  const kubeconfig = kubeconfigText(server.url + (options.path ?? ''), options.user ?? { token: 'secret-token' })
  const { requestTimeoutMs = 5_000 } = options
  const client = createKubeClient({ kubeconfig, requestTimeoutMs, userAgent: 'test' })
  cleanups.push(client.close)
  return { server, client }
}

describe('requests', () => {
  it('name the object by group, version, namespace, plural, name and subresource', async () => {
    const { server, client } = await serverAndClient((_, response) => sendJson(response, 200, OBJECT))
    await client.get(CONFIG_MAPS, REF)
    await client.get(NAMESPACES, { name: 'work' })
    await client.list(LEASES, { labelSelector: 'a=b,c!=d', limit: 5, continue: 'token' }).catch(() => undefined)
    await client.patch(LEASES, REF, { type: 'merge', body: {} }, { subresource: 'status' })
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /api/v1/namespaces/work/configmaps/a',
      'GET /api/v1/namespaces/work',
      'GET /apis/coordination.k8s.io/v1/leases',
      'PATCH /apis/coordination.k8s.io/v1/namespaces/work/leases/a/status',
    ])
    expect(Object.fromEntries(server.requests[2]!.query)).toEqual({
      labelSelector: 'a=b,c!=d',
      limit: '5',
      continue: 'token',
    })
  })

  it('keep the path under which the server is reached', async () => {
    const { server, client } = await serverAndClient((_, response) => sendJson(response, 200, OBJECT), {
      path: '/connect/lease-1/',
    })
    await client.get(CONFIG_MAPS, REF)
    expect(server.requests[0]!.path).toBe('/connect/lease-1/api/v1/namespaces/work/configmaps/a')
  })

  it('carry the user agent and the bearer token', async () => {
    const { server, client } = await serverAndClient((_, response) => sendJson(response, 200, OBJECT))
    await client.get(CONFIG_MAPS, REF)
    expect(server.requests[0]!.headers).toMatchObject({ authorization: 'Bearer secret-token', 'user-agent': 'test' })
  })

  it('add apiVersion and kind to what they write, and the field manager', async () => {
    const { server, client } = await serverAndClient((_, response) => sendJson(response, 201, OBJECT))
    await client.create(CONFIG_MAPS, OBJECT)
    await client.replace(CONFIG_MAPS, OBJECT, { fieldManager: 'me', dryRun: true })
    const [create, replace] = server.requests
    expect(JSON.parse(create!.body)).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', ...OBJECT })
    expect(create!.query.get('fieldManager')).toBe('kobe-operator')
    expect(`${replace!.method} ${replace!.path}?${replace!.query}`).toBe(
      'PUT /api/v1/namespaces/work/configmaps/a?fieldManager=me&dryRun=All',
    )
  })

  it.each([
    ['merge', 'application/merge-patch+json'],
    ['json', 'application/json-patch+json'],
    ['strategic', 'application/strategic-merge-patch+json'],
    ['apply', 'application/apply-patch+yaml'],
  ] as const)('send a %s patch as %s', async (type, contentType) => {
    const { server, client } = await serverAndClient((_, response) => sendJson(response, 200, OBJECT))
    await client.patch(CONFIG_MAPS, REF, { type, body: { data: {} } }, { force: true })
    expect(server.requests[0]!.headers['content-type']).toBe(contentType)
    expect(server.requests[0]!.query.get('force')).toBe('true')
  })

  it('send the preconditions of a delete in its body', async () => {
    const { server, client } = await serverAndClient((_, response) => sendJson(response, 200, { kind: 'Status' }))
    await client.delete(CONFIG_MAPS, REF, { uid: 'u1', resourceVersion: '7', propagationPolicy: 'Foreground' })
    expect(JSON.parse(server.requests[0]!.body)).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid: 'u1', resourceVersion: '7' },
      propagationPolicy: 'Foreground',
    })
  })

  it('refuse to guess a namespace or a name', async () => {
    const { server, client } = await serverAndClient((_, response) => sendJson(response, 200, OBJECT))
    await expect(client.get(CONFIG_MAPS, { name: 'a' })).rejects.toThrow(TypeError)
    await expect(client.delete(CONFIG_MAPS, { namespace: 'work', name: '' })).rejects.toThrow(TypeError)
    await expect(client.create(CONFIG_MAPS, { metadata: { name: 'a' } })).rejects.toThrow(TypeError)
    expect(server.requests).toHaveLength(0)
  })

  it('give the items of a list the apiVersion and kind that the server leaves out', async () => {
    const { client } = await serverAndClient((_, response) =>
      sendJson(response, 200, { items: [OBJECT], metadata: { resourceVersion: '9', continue: 'more' } }),
    )
    const list = await client.list(CONFIG_MAPS)
    expect(list).toMatchObject({ resourceVersion: '9', continue: 'more' })
    expect(list.items).toEqual([{ ...OBJECT, apiVersion: 'v1', kind: 'ConfigMap' }])
  })

  it('read an absent list of items as empty', async () => {
    const { client } = await serverAndClient((_, response) =>
      sendJson(response, 200, { items: null, metadata: { resourceVersion: '9' } }),
    )
    expect((await client.list(CONFIG_MAPS)).items).toEqual([])
  })

  it('answer raw paths as JSON or as text', async () => {
    const { client } = await serverAndClient(({ path }, response) => {
      if (path === '/version') sendJson(response, 200, { gitVersion: 'v1.36.0' })
      else response.writeHead(200, { 'content-type': 'text/plain' }).end('ok')
    })
    expect(await client.raw('GET', '/version')).toEqual({ gitVersion: 'v1.36.0' })
    expect(await client.raw('GET', '/readyz')).toBe('ok')
  })

  it('are sent over one kept connection, which is ready again in the next turn of the event loop', async () => {
    const { server, client } = await serverAndClient((_, response) => sendJson(response, 200, OBJECT))
    for (let n = 0; n < 5; n++) {
      await client.get(CONFIG_MAPS, REF)
      await nextTurn()
    }
    expect(server.connections()).toBe(1)
  })
})

describe('answers that are errors', () => {
  it.each<[number, string, KubeErrorCode]>([
    [400, 'BadRequest', 'BadRequest'],
    [401, 'Unauthorized', 'Unauthorized'],
    [403, 'Forbidden', 'Forbidden'],
    [404, 'NotFound', 'NotFound'],
    [409, 'AlreadyExists', 'AlreadyExists'],
    [409, 'Conflict', 'Conflict'],
    [410, 'Expired', 'Gone'],
    [410, 'Gone', 'Gone'],
    [422, 'Invalid', 'Invalid'],
    [429, 'TooManyRequests', 'TooManyRequests'],
    [500, 'InternalError', 'ServerError'],
    [500, 'ServerTimeout', 'Timeout'],
    [503, 'ServiceUnavailable', 'ServerError'],
    [504, 'Timeout', 'Timeout'],
    [409, '', 'Conflict'],
    [418, 'SomethingNew', 'Unknown'],
    [502, 'SomethingNew', 'ServerError'],
  ])('%d %s is the code %s%s', async (status, reason, code) => {
    const { client } = await serverAndClient((_, response) => sendStatus(response, status, reason))
    await expect(client.get(CONFIG_MAPS, REF)).rejects.toMatchObject({ name: 'KubeError', code, details: { status } })
  })

  it('keep the causes, and tell the request and the message but no token', async () => {
    const causes = [{ reason: 'FieldValueInvalid', message: 'must be a number', field: 'spec.size' }]
    const { client } = await serverAndClient((_, response) =>
      sendStatus(response, 422, 'Invalid', { message: 'spec.size: must be a number', details: { causes } }),
    )
    const error: Error & { details?: unknown } = await client.get(CONFIG_MAPS, REF).catch((thrown) => thrown)
    expect(error.message).toBe('GET /api/v1/namespaces/work/configmaps/a: 422: spec.size: must be a number')
    expect(error.details).toEqual({ status: 422, reason: 'Invalid', causes })
    expect(JSON.stringify([error, error.stack])).not.toContain('secret-token')
  })

  it('are understood when they are plain text, as those of a proxy are', async () => {
    const { client } = await serverAndClient((_, response) => {
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>bad gateway</h1>')
    })
    await expect(client.get(CONFIG_MAPS, REF)).rejects.toMatchObject({
      code: 'ServerError',
      message: expect.stringContaining('bad gateway'),
    })
  })

  it('a success that is no JSON object is an error too', async () => {
    const { client } = await serverAndClient((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>log in</h1>')
    })
    await expect(client.get(CONFIG_MAPS, REF)).rejects.toMatchObject({ code: 'ServerError' })
  })
})

describe('trouble on the way', () => {
  it('a refused connection is Unreachable', async () => {
    const { server, client } = await serverAndClient((_, response) => sendJson(response, 200, OBJECT))
    await server.close()
    cleanups.splice(0, 1)
    await expect(client.get(CONFIG_MAPS, REF)).rejects.toMatchObject({ code: 'Unreachable' })
  })

  it.each<[string, 'http' | 'https', (socket: Socket) => void, KubeErrorCode]>([
    ['a server that closes every connection at once', 'http', (socket) => socket.destroy(), 'Unreachable'],
    ['one that resets it', 'http', (socket) => socket.resetAndDestroy(), 'Unreachable'],
    ['one that closes it before it is secured', 'https', (socket) => socket.destroy(), 'Unreachable'],
    ['one that never answers the handshake', 'https', () => undefined, 'Timeout'],
    ['one that speaks no HTTP', 'http', (socket) => socket.end('220 mail.example\r\n'), 'Unreachable'],
  ])('%s is tried once for each request', async (_, scheme, onConnection, code) => {
    let connections = 0
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      connections += 1
      sockets.add(socket)
      onConnection(socket)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const kubeconfig = kubeconfigText(`${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`, {})
    const client = createKubeClient({ kubeconfig, requestTimeoutMs: 200, userAgent: 'test' })
    cleanups.push(() => {
      client.close()
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    await expect(client.get(CONFIG_MAPS, REF)).rejects.toMatchObject({ code })
    await expect(client.create(CONFIG_MAPS, OBJECT)).rejects.toMatchObject({ code })
    expect(connections).toBe(2)
  })

  it('an answer cut in its middle is Unreachable', async () => {
    const { client } = await serverAndClient((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' })
      response.write('{"metadata":', () => request.cut())
    })
    await expect(client.get(CONFIG_MAPS, REF)).rejects.toMatchObject({ code: 'Unreachable' })
  })

  it('no answer within the time is Timeout', async () => {
    const { client } = await serverAndClient(() => undefined, { requestTimeoutMs: 40 })
    await expect(client.get(CONFIG_MAPS, REF)).rejects.toMatchObject({ code: 'Timeout' })
    await expect(client.create(CONFIG_MAPS, OBJECT)).rejects.toMatchObject({ code: 'Timeout' })
  })

  it('an aborted request rejects with the reason of its signal', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const { client } = await serverAndClient(() => controller.abort(reason))
    await expect(client.list(CONFIG_MAPS, { signal: controller.signal })).rejects.toBe(reason)
    await expect(client.create(CONFIG_MAPS, OBJECT, { signal: controller.signal })).rejects.toBe(reason)
  })

  it('a read that ends for want of time on a kept connection is not sent again over the others that are kept', async () => {
    const { server, client } = await serverAndClient(
      ({ path }, response) => path.endsWith('/a') || sendJson(response, 200, { items: [] }),
      { requestTimeoutMs: 40 },
    )
    await Promise.all([client.list(CONFIG_MAPS), client.list(CONFIG_MAPS), client.list(CONFIG_MAPS)])
    await expect(client.get(CONFIG_MAPS, REF)).rejects.toMatchObject({ code: 'Timeout' })
    expect(server.requests).toHaveLength(4)
  })

  it('after close every request is Unreachable, and no connection is left', async () => {
    const { server, client } = await serverAndClient((_, response) => sendJson(response, 200, OBJECT))
    await client.get(CONFIG_MAPS, REF)
    client.close()
    await expect(client.get(CONFIG_MAPS, REF)).rejects.toMatchObject({ code: 'Unreachable' })
    await expect.poll(() => server.openConnections()).toBe(0)
  })

  it('a read is sent again when the server closed the idle connection; a write is not', async () => {
    let closeNext = false
    const { server, client } = await serverAndClient((request, response) => {
      if (closeNext) {
        closeNext = false
        request.cut()
      } else sendJson(response, 200, OBJECT)
    })
    await client.get(CONFIG_MAPS, REF)
    await nextTurn()
    closeNext = true
    await client.get(CONFIG_MAPS, REF)
    expect(server.requests).toHaveLength(3)
    await nextTurn()
    closeNext = true
    await expect(client.create(CONFIG_MAPS, OBJECT)).rejects.toMatchObject({ code: 'Unreachable' })
    expect(server.requests).toHaveLength(4)
  })

  it('a read whose fresh connection is cut is not sent again', async () => {
    const { server, client } = await serverAndClient((request) => request.cut())
    await expect(client.get(CONFIG_MAPS, REF)).rejects.toMatchObject({ code: 'Unreachable' })
    expect(server.requests).toHaveLength(1)
  })
})

describe('Retry-After', () => {
  it.each([429, 503])('makes a read wait and try again on %d', async (status) => {
    const { server, client } = await serverAndClient(({ index }, response) => {
      if (index > 0) return sendJson(response, 200, OBJECT)
      response.setHeader('retry-after', '0.01')
      sendStatus(response, status, status === 429 ? 'TooManyRequests' : 'ServiceUnavailable')
    })
    expect(await client.get(CONFIG_MAPS, REF)).toMatchObject({ data: OBJECT.data })
    expect(server.requests).toHaveLength(2)
  })

  it('is told to the caller of a write, which is not repeated', async () => {
    const { server, client } = await serverAndClient((_, response) => {
      response.setHeader('retry-after', '1')
      sendStatus(response, 429, 'TooManyRequests')
    })
    await expect(client.create(CONFIG_MAPS, OBJECT)).rejects.toMatchObject({
      code: 'TooManyRequests',
      details: { retryAfterSeconds: 1 },
    })
    expect(server.requests).toHaveLength(1)
  })

  it.each([
    ['gives up after three more tries', '0.01', 4],
    ['longer than ten seconds is left to the caller', '11', 1],
  ])('%s', async (_, seconds, requests) => {
    const { server, client } = await serverAndClient((_request, response) => {
      response.setHeader('retry-after', seconds)
      sendStatus(response, 503, 'ServiceUnavailable')
    })
    await expect(client.get(CONFIG_MAPS, REF)).rejects.toMatchObject({ details: { status: 503 } })
    expect(server.requests).toHaveLength(requests)
  })
})

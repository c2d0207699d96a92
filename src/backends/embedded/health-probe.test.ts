import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeAll, expect, test } from 'vitest'
import type { Pki } from '../../control-plane/options.ts'
import { createPki } from '../../control-plane/pki/index.ts'
import { createHealthProbe, type HealthProbe } from './health-probe.ts'

let pki: Pki
let stranger: Pki
let server: Server | undefined
let probe: HealthProbe | undefined

beforeAll(async () => {
  pki = await createPki({ hosts: ['127.0.0.1'] })
  stranger = await createPki({ hosts: ['127.0.0.1'] })
})

afterEach(() => {
  probe?.close()
  server?.closeAllConnections()
  server?.close()
  server = undefined
})

/** `status` undefined: it accepts requests and never answers. */
async function serve(status: number | undefined): Promise<string> {
  server = createServer({ cert: pki.servingCert, key: pki.servingKey }, (_, response) => {
    if (status !== undefined) response.writeHead(status).end('text')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function check(url: string, keys: Pki = pki, timeoutMs?: number) {
  probe = createHealthProbe(timeoutMs)
  return probe.check({ url, pki: keys })
}

test('200 is healthy', async () => {
  expect(await check(await serve(200))).toEqual({ healthy: true })
})

test.each([500, 503, 401, 404])('%d is unhealthy and named', async (status) => {
  expect(await check(await serve(status))).toEqual({ healthy: false, message: `/readyz answers ${status}` })
})

test('no answer in time is unhealthy', async () => {
  expect(await check(await serve(undefined), pki, 200)).toEqual({
    healthy: false,
    message: '/readyz did not answer within 0.2 s',
  })
})

test('a refused connection is unhealthy', async () => {
  const url = await serve(200)
  server?.close()
  expect(await check(url)).toMatchObject({ healthy: false, message: expect.stringContaining('ECONNREFUSED') })
})

test('a server with keys of somebody else is unhealthy', async () => {
  expect((await check(await serve(200), stranger)).healthy).toBe(false)
})

test('a connection is used again, and one that the server closed meanwhile is not held against it', async () => {
  const url = await serve(200)
  let connections = 0
  server?.on('secureConnection', () => {
    connections += 1
  })
  const kept = createHealthProbe()
  await kept.check({ url, pki })
  await kept.check({ url, pki })
  expect(connections).toBe(1)
  server?.closeIdleConnections()
  expect(await kept.check({ url, pki })).toEqual({ healthy: true })
  kept.close()
})

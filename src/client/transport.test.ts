import { describe, expect, test } from 'vitest'
import { createTestCertificates } from '../../test/support/certificates.ts'
import { sendJson, startScriptedServer } from '../../test/support/scripted-server.ts'
import { createApi } from './api.ts'

const valid = await createTestCertificates()
const expired = await createTestCertificates(-60_000)
const server = (tls?: { cert: string; key: string }) =>
  startScriptedServer((_, response) => sendJson(response, 200, { version: '1' }), tls)
const statusOf = (endpoint: string, ca?: string) =>
  createApi({ endpoint, source: 'the test', ...(ca === undefined ? {} : { ca }) }).call('getStatus', {})

describe('an https endpoint', () => {
  test('is trusted by its CA, with slashes at the end of the URL or without', async () => {
    const https = await server(valid.server)
    for (const slashes of ['', '/', '//']) {
      expect(await statusOf(`${https.url}${slashes}`, valid.ca)).toEqual({ version: '1' })
    }
    expect(new Set(https.requests.map(({ path }) => path))).toEqual(new Set(['/v1/status']))
    await https.close()
  })

  test.each([
    ['whose CA is not known', valid, undefined, '--ca'],
    ['whose CA is another one', valid, expired.ca, '--ca'],
    ['whose CA has expired', expired, expired.ca, 'renew'],
  ])('%s is an error that says what to do', async (_title, certificates, ca, fix) => {
    const https = await server(certificates.server)
    const failure = statusOf(https.url, ca)
    await expect(failure).rejects.toMatchObject({
      code: 'unreachable',
      why: expect.stringContaining('endpoint from the test'),
      fix: expect.stringContaining(fix),
    })
    await https.close()
  })
})

test('https spoken to a port of plain http says so', async () => {
  const http = await server()
  await expect(statusOf(http.url.replace('http:', 'https:'))).rejects.toMatchObject({
    code: 'unreachable',
    fix: expect.stringContaining('compare http:// and https://'),
  })
  await http.close()
})

test('something else that listens there is told from Kobe', async () => {
  const other = await startScriptedServer((_, response) => response.writeHead(502).end('<html>bad gateway</html>'))
  await expect(statusOf(other.url)).rejects.toMatchObject({
    code: 'refused',
    status: 502,
    why: expect.stringContaining('does not answer like Kobe'),
  })
  await other.close()
})

describe('a stream of events', () => {
  const api = (url: string) => createApi({ endpoint: url, source: 'the test' })
  const params = { id: 'lease-1' }

  test('is told event by event, goes on after the last id that was heard, and ends with the server', async () => {
    const server = await startScriptedServer(({ headers }, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`id: 8\nevent: lease\ndata: ${headers['last-event-id']}`)
      response.end('\n\nevent: gone\ndata: {}\n\n')
    })
    const heard: string[] = []
    await api(server.url).events(
      'watchLease',
      { params },
      {
        lastEventId: '7',
        onEvent: ({ event, data, id }) => heard.push(`${event} ${data} ${id}`),
      },
    )
    expect(heard).toEqual(['lease 7 8', 'gone {} 8'])
    await server.close()
  })

  test('that is cut is unreachable, one that is refused says why, and what a listener throws is its own', async () => {
    const server = await startScriptedServer((request, response) => {
      response.writeHead(200).write('data: x\n\n', request.cut)
    })
    const { events } = api(server.url)
    await expect(events('watchLease', { params }, { onEvent: () => undefined })).rejects.toMatchObject({
      code: 'unreachable',
    })
    const broken = new Error('broken listener')
    const onEvent = (): void => {
      throw broken
    }
    await expect(events('watchLease', { params }, { onEvent })).rejects.toBe(broken)
    server.answer((_, response) => sendJson(response, 404, { error: 'no such lease', reason: 'lease_not_found' }))
    await expect(events('watchLease', { params }, { onEvent })).rejects.toMatchObject({ reason: 'lease_not_found' })
    await server.close()
  })
})

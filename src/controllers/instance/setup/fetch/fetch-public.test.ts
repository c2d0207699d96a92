import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestCertificates } from '../../../../../test/support/certificates.ts'
import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import { type ScriptedServer, startScriptedServer } from '../../../../../test/support/scripted-server.ts'
import { systemClock } from '../../../../kube/clock.ts'
import { createPublicFetch, FETCH_TIMEOUT_MS, MAX_BODY_BYTES, type PublicFetchDeps } from './fetch-public.ts'
import { addressRefusal } from './public-address.ts'

let server: ScriptedServer
let port: string
let ca: string

beforeAll(async () => {
  const certificates = await createTestCertificates()
  ca = certificates.ca
  server = await startScriptedServer((_request, response) => response.end('hello'), certificates.server)
  port = new URL(server.url).port
})
afterAll(() => server.close())
beforeEach(() => server.answer((_request, response) => response.end('hello')))

/** Of this machine's own addresses 127.0.0.1 alone counts as public, and `localhost` is a name like any other. */
function fetcher(more: Partial<PublicFetchDeps> = {}) {
  return createPublicFetch({
    clock: systemClock,
    ca,
    hostRefusal: () => undefined,
    addressRefusal: (address) => (address === '127.0.0.1' ? undefined : addressRefusal(address)),
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    ...more,
  })
}

test('the text of an answer is read over verified TLS', async () => {
  expect(await fetcher()(`https://localhost:${port}/a`)).toEqual({ state: 'answered', status: 200, text: 'hello' })
})

test('an answer outside 2xx is an answer', async () => {
  server.answer((_request, response) => response.writeHead(503).end('later'))
  expect(await fetcher()(`https://localhost:${port}/a`)).toMatchObject({ state: 'answered', status: 503 })
})

test('a certificate of an unknown authority is not trusted', async () => {
  const { ca: _ca, ...deps } = { ca }
  const fetch = createPublicFetch({
    ...deps,
    clock: systemClock,
    hostRefusal: () => undefined,
    addressRefusal: () => undefined,
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  })
  expect((await fetch(`https://localhost:${port}/a`)).state).toBe('unreachable')
})

test('a certificate for another name is not trusted', async () => {
  expect((await fetcher()(`https://addons.example.com:${port}/a`)).state).toBe('unreachable')
})

describe('by the usual rules', () => {
  test.each([
    ['http://example.com/', 'only https'],
    ['file:///etc/passwd', 'only https'],
    ['ftp://example.com/', 'only https'],
    ['https://user:secret@example.com/', 'user name or password'],
    ['https://127.0.0.1/', 'loopback'],
    ['https://[::ffff:10.0.0.1]/', 'private'],
    ['https://kubernetes.default.svc/', 'local network or the cluster'],
    ['not a url', 'not a URL'],
  ])('%s is refused: %s', async (url, reason) => {
    const result = await createPublicFetch({ clock: systemClock })(url)
    expect(result).toMatchObject({ state: 'refused', reason: expect.stringContaining(reason) })
  })
})

test('a name with one private address among public ones is refused, and nothing is connected to', async () => {
  const before = server.connections()
  const resolve = async () => [
    { address: '127.0.0.1', family: 4 },
    { address: '10.0.0.5', family: 4 },
  ]
  expect(await fetcher({ resolve })(`https://localhost:${port}/`)).toEqual({
    state: 'refused',
    reason: 'localhost: 10.0.0.5 is a private address',
  })
  expect(server.connections()).toBe(before)
})

test('a name is looked up once per connection, so an answer that changes after the check is never used', async () => {
  let lookups = 0
  const resolve = async () => [{ address: lookups++ === 0 ? '127.0.0.1' : '10.0.0.5', family: 4 }]
  const fetch = fetcher({ resolve })
  expect((await fetch(`https://localhost:${port}/`)).state).toBe('answered')
  expect(lookups).toBe(1)
  expect((await fetch(`https://localhost:${port}/`)).state).toBe('refused')
})

describe('redirects', () => {
  const redirectTo = (location: string): void =>
    server.answer(({ path }, response) =>
      path === '/end' ? response.end('end') : response.writeHead(302, { location }).end(),
    )

  test('are followed', async () => {
    redirectTo('/end')
    expect(await fetcher()(`https://localhost:${port}/a`)).toMatchObject({ status: 200, text: 'end' })
  })

  test.each([
    ['http://example.com/', 'only https'],
    ['https://169.254.169.254/latest/meta-data', 'link-local'],
    ['https://[::1]/', 'loopback'],
  ])('to %s are refused: %s', async (location, reason) => {
    redirectTo(location)
    const fetch = fetcher()
    expect(await fetch(`https://localhost:${port}/a`)).toMatchObject({
      state: 'refused',
      reason: expect.stringContaining(reason),
    })
  })

  test('end after five', async () => {
    redirectTo('/again')
    const before = server.requests.length
    expect(await fetcher()(`https://localhost:${port}/a`)).toMatchObject({ reason: 'more than 5 redirects' })
    expect(server.requests.length - before).toBe(6)
  })
})

test('an answer larger than 10 MiB is refused', async () => {
  server.answer((_request, response) => response.end(Buffer.alloc(MAX_BODY_BYTES + 1, 'x')))
  expect(await fetcher()(`https://localhost:${port}/a`)).toEqual({
    state: 'refused',
    reason: 'the answer is larger than 10 MiB',
  })
})

test('a body that does not end is given up at the deadline', async () => {
  const clock = new FakeClock()
  const arrived = new Promise<void>((resolve) => {
    server.answer((_request, response) => {
      response.write('part')
      resolve()
    })
  })
  const result = fetcher({ clock })(`https://localhost:${port}/a`)
  await arrived
  await clock.advance(FETCH_TIMEOUT_MS)
  expect(await result).toEqual({ state: 'unreachable', reason: 'no whole answer within 5 s' })
})

test('a look-up that does not end is given up at the deadline', async () => {
  const clock = new FakeClock()
  const result = fetcher({ clock, resolve: () => new Promise(() => undefined) })('https://example.com/')
  await clock.advance(FETCH_TIMEOUT_MS)
  expect((await result).state).toBe('unreachable')
})

test('a name that does not exist is no refusal: it may come', async () => {
  const resolve = () => Promise.reject(new Error('getaddrinfo ENOTFOUND example.com'))
  expect(await fetcher({ resolve })('https://example.com/')).toEqual({
    state: 'unreachable',
    reason: 'getaddrinfo ENOTFOUND example.com',
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestCertificates, type TestCertificates } from '../../../../test/support/certificates.ts'
import { createHealthWorld, type HealthWorld } from '../../../../test/support/health-world.ts'
import { type ScriptedServer, sendJson, startScriptedServer } from '../../../../test/support/scripted-server.ts'

const RESULT = { resultType: 'vector', result: [{ metric: {}, value: [1_700_000_000, '0.25'] }] }
const TOKEN = 'very-secret-token'

describe('a query', () => {
  let server: ScriptedServer
  beforeAll(async () => {
    server = await startScriptedServer((_, response) => response.end())
  })
  afterAll(() => server.close())

  const query = (over: object = {}) => ({
    name: 'errors',
    type: 'prometheus' as const,
    prometheus: { url: `${server.url}/prom/`, query: 'rate(x[5m])', is: 'Below', value: 0.5, ...over },
  })
  const result = (data: unknown) => ({ status: 'success', data })
  const vector = (...values: unknown[]) =>
    result({ resultType: 'vector', result: values.map((value) => ({ metric: {}, value: [1, value] })) })

  it.each<[string, [number, unknown], string, object?]>([
    ['one number that holds', [200, result(RESULT)], 'well'],
    ['one number that does not', [200, vector('0.5')], 'the query gives 0.5, it should be Below 0.5'],
    ['a scalar', [200, result({ resultType: 'scalar', result: [1, '7'] })], 'well', { is: 'AtLeast', value: 7 }],
    ['at most', [200, vector('8')], 'the query gives 8, it should be AtMost 7', { is: 'AtMost', value: 7 }],
    ['infinity', [200, vector('+Inf')], 'well', { is: 'Above', value: 1e300 }],
    ['no data', [200, vector()], 'URL: the query gives no data'],
    ['NaN', [200, vector('NaN')], 'URL: the query gives NaN, which is no number'],
    ['no text', [200, vector(7)], 'URL: no result of a query'],
    ['two series', [200, vector('1', '2')], 'URL: the query gives 2 series, not one number'],
    ['a matrix', [200, result({ resultType: 'matrix', result: [] })], 'URL: the query gives a matrix, not one number'],
    ['a bad query', [400, { status: 'error', error: 'parse error' }], 'URL: answers 400: parse error'],
    ['trouble', [503, 'busy'], 'URL: answers 503'],
    ['a success that is none', [200, { status: 'error', error: 'partial' }], 'URL: no result of a query: partial'],
    ['no JSON object', [200, null], 'URL: no result of a query'],
  ])('%s', async (_, [status, body], message, over = {}) => {
    server.answer((__, response) => sendJson(response, status, body))
    const { passes, message: said } = await createHealthWorld().settled(query(over))
    expect(said).toBe(message.replace('URL', `${server.url}/prom/api/v1/query`))
    expect(passes).toBe(message === 'well' ? 1 : 0)
    const { path, query: sent } = server.requests.at(-1)!
    expect([path, sent.get('query')]).toEqual(['/prom/api/v1/query', 'rate(x[5m])'])
  })

  it('an answer that is cut, or that has no end, is no data', async () => {
    server.answer(({ cut }) => cut())
    expect((await createHealthWorld().settled(query())).message).toMatch(/does not answer: ECONNRESET$/)
    server.answer((_, response) => response.end(Buffer.alloc(1024 * 1024 + 1, ' ')))
    expect((await createHealthWorld().settled(query())).message).toMatch(/does not answer: more than 1048576 bytes$/)
  })
})

describe('over TLS', () => {
  let certificates: TestCertificates
  let server: ScriptedServer
  beforeAll(async () => {
    certificates = await createTestCertificates()
    server = await startScriptedServer((_, response) => response.writeHead(204).end(), certificates.server)
  })
  afterAll(() => server.close())

  const http = () => ({
    name: 'web',
    type: 'http' as const,
    http: {
      url: `${server.url}/healthy?key=private`,
      status: 204,
      bearerTokenSecretRef: { name: 'access', key: 'token' },
      caSecretRef: { name: 'access', key: 'ca.crt' },
    },
  })
  const secret = (world: HealthWorld, over: object = {}) =>
    world.secret('access', { token: `${TOKEN}\n`, 'ca.crt': certificates.ca, ...over })

  it('the token and the CA come from Secrets', async () => {
    const world = createHealthWorld()
    await secret(world)
    expect(await world.settled(http())).toMatchObject({ passes: 1 })
    expect(server.requests.at(-1)?.headers.authorization).toBe(`Bearer ${TOKEN}`)
  })

  it.each<[string, (world: HealthWorld) => Promise<void> | undefined, RegExp]>([
    ['no Secret', () => undefined, /access/],
    ['no key', (world) => world.secret('access', { 'ca.crt': certificates.ca }), /^Secret access has no value token$/],
    [
      'a server that is not to be trusted',
      (world) => world.secret('access', { token: TOKEN, 'ca.crt': certificates.client.cert }),
      /does not answer: [A-Z_]+$/,
    ],
  ])('%s is unhealthy, and says nothing secret', async (_, arrange, message) => {
    const world = createHealthWorld()
    await arrange(world)
    const requests = server.requests.length
    const result = await world.settled(http())
    expect(result).toMatchObject({ passes: 0, message: expect.stringMatching(message) })
    expect(result.message).not.toMatch(/very-secret|private/)
    expect(server.requests).toHaveLength(requests)
  })

  it('a redirect is an answer, and is not followed', async () => {
    server.answer((_, response) => response.writeHead(302, { location: 'https://elsewhere.example/' }).end())
    const world = createHealthWorld()
    await secret(world)
    expect((await world.settled(http())).message).toBe(`${server.url}/healthy answers 302, not 204`)
  })
})

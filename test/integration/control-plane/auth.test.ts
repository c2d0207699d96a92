import { request } from 'node:https'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPki, issueClientCertificate, renderKubeconfig } from '../../../src/control-plane/index.ts'
import { CONFIGMAPS, startTestServer, type TestServer } from './harness.ts'

/** Well formed, with claims such as ours, and signed with nobody's key. */
const FOREIGN_JWT = [
  { alg: 'ES256' },
  { iss: 'https://kubernetes.default.svc.cluster.local', exp: 2 ** 32 },
  'signature',
]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .join('.')

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

/** One request with a client certificate; answers status and body. */
function withCertificate(
  path: string,
  cert: string,
  key: string,
  body?: object,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const call = request(
      `${server.controlPlane.url}${path}`,
      {
        agent: false,
        ca: server.pki.caCert,
        cert,
        key,
        method: body ? 'POST' : 'GET',
        headers: { 'content-type': 'application/json' },
      },
      (response) => {
        let text = ''
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      },
    )
    call.on('error', reject)
    call.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

describe('authentication', () => {
  it.each([
    ['an unknown token', { token: 'wrong' }],
    ['something like a JWT', { token: 'a.b.c' }],
    ['a JWT of somebody else', { token: FOREIGN_JWT }],
  ])('refuses %s with a Status of 401', async (_what, options) => {
    const { status, json } = await server.get(CONFIGMAPS, options)
    expect([status, json.reason, json.kind]).toEqual([401, 'Unauthorized', 'Status'])
  })

  it.each([
    ['no credentials', { token: null }],
    ['another scheme', { headers: { authorization: 'Basic YTpi' }, token: null }],
  ])('takes a request with %s for one of system:anonymous', async (_what, options) => {
    const { status, json } = await server.get(CONFIGMAPS, options)
    expect([status, json.message]).toEqual([
      403,
      'configmaps is forbidden: User "system:anonymous" cannot list resource "configmaps" in API group "" in the namespace "default"',
    ])
  })

  it.each(['/healthz', '/livez', '/readyz', '/readyz?verbose', '/version'])('lets anyone ask %s', async (path) => {
    expect((await server.get(path, { token: null })).status).toBe(200)
  })

  it('takes client certificates of its CA: CN is the user, O the groups', async () => {
    const { adminCert, adminKey } = server.pki
    const who = await withCertificate('/apis/authentication.k8s.io/v1/selfsubjectreviews', adminCert, adminKey, {})
    expect(JSON.parse(who.text).status.userInfo).toEqual({
      username: 'kubernetes-admin',
      groups: ['system:masters', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^X509SHA256=[0-9a-f]{64}$/)] },
    })
  })

  it('takes further certificates of the CA, with awkward names, and refuses those of another CA', async () => {
    const { caCert, caKey } = server.pki
    const jane = await issueClientCertificate({ caCert, caKey, user: 'jane, +=doe', groups: ['a', 'b'] })
    const who = await withCertificate('/apis/authentication.k8s.io/v1/selfsubjectreviews', jane.cert, jane.key, {})
    expect(JSON.parse(who.text).status.userInfo).toMatchObject({
      username: 'jane, +=doe',
      groups: ['a', 'b', 'system:authenticated'],
    })
    const other = await createPki({ hosts: [] })
    expect((await withCertificate(CONFIGMAPS, other.adminCert, other.adminKey)).status).toBe(401)
  })

  it('refuses a certificate that has expired', async () => {
    const { caCert, caKey } = server.pki
    const old = await issueClientCertificate({
      caCert,
      caKey,
      user: 'old',
      groups: ['system:masters'],
      notAfter: new Date(Date.now() - 60_000),
    })
    expect((await withCertificate(CONFIGMAPS, old.cert, old.key)).status).toBe(401)
  })
})

describe('authorization', () => {
  it('lets nobody at objects whom no rule allows it, and everybody with credentials at discovery', async () => {
    const { status, json } = await server.get(CONFIGMAPS, { token: 'weak' })
    expect([status, json.reason]).toEqual([403, 'Forbidden'])
    expect(json.message).toBe(
      'configmaps is forbidden: User "bob" cannot list resource "configmaps" in API group "" in the namespace "default"',
    )
    expect((await server.get('/api', { token: 'weak' })).status).toBe(200)
    expect((await server.get('/api', { token: null })).status).toBe(403)
  })

  it('answers truthfully what one may do', async () => {
    const ask = (token?: string) =>
      server.post(
        '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } },
        token === undefined ? {} : { token },
      )
    expect((await ask()).json.status.allowed).toBe(true)
    expect((await ask('weak')).json.status.allowed).toBe(false)
  })
})

describe('renderKubeconfig', () => {
  it('writes what a client reads back', () => {
    const text = renderKubeconfig({ server: 'https://x:1', caCert: 'CA', token: 't"\n', name: 'a: b' })
    expect(text).toContain('    server: "https://x:1"')
    expect(text).toContain('    token: "t\\"\\n"')
    expect(text).toContain('current-context: "a: b"')
  })
})

describe('TokenReview', () => {
  it('knows the tokens that the server takes', async () => {
    const review = (token: string) => server.post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } })
    expect((await review('weak')).json.status).toMatchObject({ authenticated: true, user: { username: 'bob' } })
    expect((await review('other')).json.status).toEqual({ user: {}, error: 'invalid bearer token' })
  })
})

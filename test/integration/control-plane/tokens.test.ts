import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from './harness.ts'

const ISSUER = 'https://kubernetes.default.svc.cluster.local'
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts'
const WHOAMI = '/apis/authentication.k8s.io/v1/selfsubjectreviews'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(async () => {
  expect(server.errors).toEqual([])
  await server.close()
})

async function newAccount(on: TestServer, name: string): Promise<string> {
  const { json } = await on.post(ACCOUNTS, { metadata: { name } })
  return json.metadata.uid
}
const tokenFor = async (on: TestServer, name: string, spec: object = {}): Promise<string> =>
  (await on.post(`${ACCOUNTS}/${name}/token`, { spec })).json.status.token
const whoami = async (on: TestServer, token: string) => (await on.post(WHOAMI, {}, { token })).json.status

describe('TokenRequest', () => {
  it('makes a token with which the ServiceAccount is let in', async () => {
    const uid = await newAccount(server, 'bot')
    const before = Math.floor(Date.now() / 1000)
    const { status, json } = await server.post(`${ACCOUNTS}/bot/token`, { spec: { expirationSeconds: 1200 } })
    expect([status, json.spec]).toEqual([201, { audiences: [ISSUER], expirationSeconds: 1200, boundObjectRef: null }])
    const claims = decodeJwt(json.status.token)
    expect(claims).toMatchObject({
      iss: ISSUER,
      aud: [ISSUER],
      sub: 'system:serviceaccount:default:bot',
      'kubernetes.io': { namespace: 'default', serviceaccount: { name: 'bot', uid } },
    })
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(1200)
    expect(claims.iat).toBeGreaterThanOrEqual(before)
    expect(claims.nbf).toBe(claims.iat)
    expect(Math.abs(Date.parse(json.status.expirationTimestamp) / 1000 - (claims.exp ?? 0))).toBeLessThanOrEqual(1)
    expect((await whoami(server, json.status.token)).userInfo).toEqual({
      username: 'system:serviceaccount:default:bot',
      uid,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${claims.jti}`] },
    })
  })

  it('binds to a pod of the ServiceAccount: gone with it, and naming its node', async () => {
    await newAccount(server, 'worker')
    const pod = (name: string, serviceAccountName: string) => ({
      metadata: { name },
      spec: { serviceAccountName, nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] },
    })
    const { json } = await server.post('/api/v1/namespaces/default/pods', pod('mine', 'worker'))
    await server.post('/api/v1/namespaces/default/pods', pod('other', 'default'))
    const ref = (name: string, extra = {}) => ({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name, ...extra } })
    const refused = await server.post(`${ACCOUNTS}/worker/token`, { spec: ref('other') })
    expect([refused.status, refused.json.message]).toEqual([
      400,
      'cannot bind token for serviceaccount "worker" to pod running with different serviceaccount name.',
    ])
    expect((await server.post(`${ACCOUNTS}/worker/token`, { spec: ref('mine', { uid: 'x' }) })).status).toBe(409)
    const token = await tokenFor(server, 'worker', ref('mine', { uid: json.metadata.uid }))
    expect((await whoami(server, token)).userInfo.extra).toMatchObject({
      'authentication.kubernetes.io/node-name': ['n1'],
      'authentication.kubernetes.io/pod-name': ['mine'],
      'authentication.kubernetes.io/pod-uid': [json.metadata.uid],
    })
    const long = decodeJwt(await tokenFor(server, 'worker', { ...ref('mine'), expirationSeconds: 3607 }))
    expect((long.exp ?? 0) - (long.iat ?? 0)).toBe(365 * 86_400)
    await server.delete('/api/v1/namespaces/default/pods/mine', { gracePeriodSeconds: 0 })
    expect((await server.post(WHOAMI, {}, { token })).status).toBe(401)
  })

  it('ends with its ServiceAccount, even when one of the same name comes', async () => {
    await newAccount(server, 'short')
    const token = await tokenFor(server, 'short')
    expect((await whoami(server, token)).userInfo.username).toBe('system:serviceaccount:default:short')
    await server.delete(`${ACCOUNTS}/short`)
    await newAccount(server, 'short')
    expect((await server.post(WHOAMI, {}, { token })).status).toBe(401)
  })

  it('for another audience is no way in, and is reviewed as valid for that audience', async () => {
    await newAccount(server, 'guest')
    const token = await tokenFor(server, 'guest', { audiences: ['vault', 'x'] })
    expect((await server.post(WHOAMI, {}, { token })).status).toBe(401)
    const review = async (spec: object) =>
      (await server.post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token, ...spec } })).json.status
    expect(await review({ audiences: ['y', 'vault'] })).toMatchObject({ authenticated: true, audiences: ['vault'] })
    expect(await review({})).toEqual({
      user: {},
      error: `[invalid bearer token, token audiences ["vault" "x"] is invalid for the target audiences ["${ISSUER}"]]`,
    })
  })

  it('can be checked elsewhere with what discovery publishes', async () => {
    await newAccount(server, 'public')
    const token = await tokenFor(server, 'public')
    const { json, headers } = await server.get('/.well-known/openid-configuration', { token })
    expect(json).toMatchObject({ issuer: ISSUER, id_token_signing_alg_values_supported: ['ES256'] })
    expect(headers['cache-control']).toBe('public, max-age=3600')
    const keys = await server.get(new URL(json.jwks_uri).pathname, { token })
    expect(keys.headers['content-type']).toBe('application/jwk-set+json')
    const { payload } = await jwtVerify(token, createLocalJWKSet(JSON.parse(keys.text)), { issuer: ISSUER })
    expect(payload.sub).toBe('system:serviceaccount:default:public')
    expect((await server.get('/openid/v1/jwks', { token: null })).status).toBe(403)
  })

  it('survives a restart of a server without a key of its own', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'control-plane-'))
    const storage = { type: 'sqlite', path: join(folder, 'data') } as const
    try {
      const first = await startTestServer({ storage })
      await newAccount(first, 'bot')
      const token = await tokenFor(first, 'bot')
      await first.close()
      const second = await startTestServer({ storage })
      expect((await whoami(second, token)).userInfo.username).toBe('system:serviceaccount:default:bot')
      await second.close()
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('is signed with the key that createPki made', async () => {
    const { serviceAccountKey = '' } = server.pki
    const [one, two] = [await startTestServer({ serviceAccountKey }), await startTestServer({ serviceAccountKey })]
    const keys = await Promise.all([one, two].map(async (each) => (await each.get('/openid/v1/jwks')).text))
    expect(keys[0]).toBe(keys[1])
    await one.close()
    await two.close()
  })
})

describe('a Secret of type kubernetes.io/service-account-token', () => {
  const SECRETS = '/api/v1/namespaces/default/secrets'
  const secretFor = (account: string) => ({
    metadata: { name: `${account}-token`, annotations: { 'kubernetes.io/service-account.name': account } },
    type: 'kubernetes.io/service-account-token',
  })
  const filled = (name: string) =>
    server.eventually(
      async () => (await server.get(`${SECRETS}/${name}`)).json,
      (json) => json.data?.token !== undefined,
    )

  it('is filled with a token that does not expire, and works until the Secret goes', async () => {
    const uid = await newAccount(server, 'old')
    await server.post(SECRETS, secretFor('old'))
    const { data, metadata } = await filled('old-token')
    expect(Object.keys(data).sort()).toEqual(['ca.crt', 'namespace', 'token'])
    expect(metadata.annotations['kubernetes.io/service-account.uid']).toBe(uid)
    const token = Buffer.from(data.token, 'base64').toString()
    expect(decodeJwt(token).exp).toBeUndefined()
    expect((await whoami(server, token)).userInfo).toEqual({
      username: 'system:serviceaccount:default:old',
      uid,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
    })
    await server.delete(`${SECRETS}/old-token`)
    expect((await server.post(WHOAMI, {}, { token })).status).toBe(401)
  })

  it('waits for its ServiceAccount, and goes with it', async () => {
    await server.post(SECRETS, secretFor('late'))
    await newAccount(server, 'late')
    await filled('late-token')
    await server.delete(`${ACCOUNTS}/late`)
    await server.eventually(
      async () => (await server.get(`${SECRETS}/late-token`)).status,
      (status) => status === 404,
    )
  })
})

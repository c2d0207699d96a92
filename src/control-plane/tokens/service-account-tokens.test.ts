import { generateKeyPairSync } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { Registry } from '../registry/registry.ts'
import { keyOf } from '../store/entry.ts'
import { createMemoryPersistence } from '../store/persistence.ts'
import { Store } from '../store/store.ts'
import { type BoundClaims, renderBound } from './claims.ts'
import { ServiceAccountTokens } from './service-account-tokens.ts'
import { ISSUER } from './verdict.ts'

const NOW = 1_800_000_000
let seconds: number
let store: Store
let tokens: ServiceAccountTokens

const newTokens = (key?: string) =>
  new ServiceAccountTokens({ store, registry: new Registry([]), now: () => seconds * 1000 }, key)
const put = (resource: string, namespace: string, name: string, meta: object = {}) => {
  const key = keyOf(namespace, name)
  const metadata = { name, namespace, uid: `uid of ${name}`, resourceVersion: '', creationTimestamp: '', ...meta }
  store.put(resource, key, { apiVersion: 'v1', kind: '', metadata }, store.get(resource, key))
}

beforeEach(() => {
  seconds = NOW
  const onError = (error: unknown) => {
    throw error
  }
  store = new Store({ persistence: createMemoryPersistence(), watchHistory: 16, onError })
  tokens = newTokens()
  put('serviceaccounts', 'ns', 'bot')
})

const claims = (extra: Partial<BoundClaims> = {}): BoundClaims => ({
  kind: 'bound',
  audiences: [ISSUER],
  expiresAt: NOW + 600,
  notBefore: NOW,
  id: 'id-1',
  namespace: 'ns',
  serviceAccount: { name: 'bot', uid: 'uid of bot' },
  pod: undefined,
  secret: undefined,
  node: undefined,
  ...extra,
})
const issue = (extra?: Partial<BoundClaims>) => tokens.sign(renderBound(claims(extra), NOW, undefined))
const errorOf = async (token: string, audiences: readonly string[] = [ISSUER]) => {
  const verdict = await tokens.verify(token, audiences)
  return verdict.user === undefined ? verdict.error : ''
}

describe('verify', () => {
  it('answers the ServiceAccount, at once when it has seen the token', async () => {
    const token = await issue()
    const verdict = await tokens.verify(token, ['x', ISSUER])
    expect(verdict).toEqual({
      user: {
        name: 'system:serviceaccount:ns:bot',
        uid: 'uid of bot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
        extra: { 'authentication.kubernetes.io/credential-id': ['JTI=id-1'] },
      },
      audiences: [ISSUER],
    })
    expect(tokens.verify(token, ['x', ISSUER])).toEqual(verdict)
  })

  it.each([
    ['before its time', -61, 'service account token is not valid yet'],
    ['a minute early: clocks differ', -60, ''],
    ['at its end', 600, ''],
    ['a minute after its end', 660, ''],
    ['later', 661, 'service account token has expired'],
  ])('judges a token %s', async (_when, at, error) => {
    const token = await issue()
    seconds = NOW + at
    expect(await errorOf(token)).toBe(error === '' ? '' : `[invalid bearer token, ${error}]`)
  })

  it('refuses a token for another audience', async () => {
    const token = await issue({ audiences: ['vault'] })
    expect(await errorOf(token)).toContain(`["vault"] is invalid for the target audiences ["${ISSUER}"]`)
    expect(await errorOf(token, ['vault'])).toBe('')
  })

  it('refuses a token of a ServiceAccount that is gone, or was made anew', async () => {
    const token = await issue()
    expect(await errorOf(token)).toBe('')
    put('serviceaccounts', 'ns', 'bot', { uid: 'other' })
    expect(await errorOf(token)).toContain('service account UID (other) does not match claim (uid of bot)')
    const entry = store.get('serviceaccounts', 'ns/bot')
    if (entry !== undefined) store.remove('serviceaccounts', entry)
    expect(await errorOf(token)).toContain('serviceaccounts "bot" not found')
  })

  it.each(['pods', 'secrets', 'nodes'])('ends with the object of %s that it is bound to', async (resource) => {
    const ref = { name: 'thing', uid: 'uid of thing' }
    const token = await issue({ [resource.slice(0, -1)]: ref })
    const invalidated = '[invalid bearer token, service account token has been invalidated]'
    expect(await errorOf(token)).toBe(invalidated)
    put(resource, resource === 'nodes' ? '' : 'ns', 'thing')
    expect(await errorOf(token)).toBe('')
    const deletionTimestamp = new Date((NOW - 30) * 1000).toISOString()
    put(resource, resource === 'nodes' ? '' : 'ns', 'thing', { deletionTimestamp })
    expect(await errorOf(token)).toBe('')
    seconds = NOW + 31
    expect(await errorOf(token)).toBe(invalidated)
  })

  it('does not ask for the node of a pod', async () => {
    put('pods', 'ns', 'thing')
    const token = await issue({ pod: { name: 'thing', uid: 'uid of thing' }, node: { name: 'n', uid: '' } })
    const verdict = await tokens.verify(token, [ISSUER])
    expect(verdict.user?.extra).toEqual({
      'authentication.kubernetes.io/credential-id': ['JTI=id-1'],
      'authentication.kubernetes.io/node-name': ['n'],
      'authentication.kubernetes.io/pod-name': ['thing'],
      'authentication.kubernetes.io/pod-uid': ['uid of thing'],
    })
  })

  it.each([
    ['no JSON', 'e30.e30.e30'],
    ['nothing', '..'],
  ])('refuses %s', async (_what, token) => {
    expect(await errorOf(token)).toBe('invalid bearer token')
  })

  it('refuses a token whose subject is not its ServiceAccount, and one signed by another key', async () => {
    const forged = { ...renderBound(claims(), NOW, undefined), sub: 'system:serviceaccount:kube-system:admin' }
    expect(await errorOf(await tokens.sign(forged))).toBe('invalid bearer token')
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const other = newTokens(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
    expect(await errorOf(await other.sign(renderBound(claims(), NOW, undefined)))).toBe('invalid bearer token')
  })

  it('refuses a token without a signature, and one signed with the public key as a secret', async () => {
    const { SignJWT, UnsecuredJWT } = await import('jose')
    expect(await errorOf(new UnsecuredJWT({ ...renderBound(claims(), NOW, undefined) }).encode())).toBe(
      'invalid bearer token',
    )
    const secret = tokens.signingKey().publicKey.export({ type: 'spki', format: 'der' })
    const payload = { ...renderBound(claims(), NOW, undefined) }
    const token = await new SignJWT(payload).setProtectedHeader({ alg: 'HS256' }).sign(new Uint8Array(secret))
    expect(await errorOf(token)).toBe('invalid bearer token')
  })
})

describe('the key', () => {
  it('is made once and kept in the store', async () => {
    const token = await issue()
    tokens = newTokens()
    expect(await errorOf(token)).toBe('')
  })

  it('may be an RSA key that was given', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    tokens = newTokens(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
    const token = await issue()
    expect([await errorOf(token), tokens.signingKey().algorithm]).toEqual(['', 'RS256'])
    expect(store.collection('internal/signing-keys').get('service-accounts')).toBeUndefined()
  })

  it('must be of a kind that clients know', () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    const key = newTokens(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
    expect(() => key.signingKey()).toThrow('must be EC P-256 or RSA')
  })
})

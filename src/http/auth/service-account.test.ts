import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { AccessPolicy } from '../../api/v1alpha1/access-policy.ts'
import { KubeError } from '../../kube/errors.ts'
import { renderIdentity } from './identity.ts'
import { createServiceAccountVerifier } from './service-account.ts'

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const jwt = (sub: string, mark = 'sig') => `${part({ alg: 'RS256' })}.${part({ sub })}.${mark}`
const SUBJECT = 'system:serviceaccount:ci:runner'
const TOKEN = jwt(SUBJECT)

const policy = (name: string, account: object = {}, identity = '{sub}'): AccessPolicy => ({
  metadata: { name, namespace: 'kobe-system' },
  spec: {
    auth: { serviceAccount: { name: 'runner', namespace: 'ci', audience: ['kobe'], ...account } },
    identity,
    rules: [],
  },
})

/** An API server that confirms `TOKEN`, for the audience `kobe`. */
function world() {
  const clock = new FakeClock()
  const asked: { token: string; audiences: readonly string[] }[] = []
  const state: { answer: () => object } = {
    answer: () => ({ authenticated: true, user: { username: SUBJECT, uid: 'u1' }, audiences: ['kobe'] }),
  }
  const raw = async (_method: string, _path: string, body: unknown) => {
    asked.push((body as { spec: (typeof asked)[number] }).spec)
    return { status: state.answer() }
  }
  const verifier = createServiceAccountVerifier({ client: { raw }, clock })
  const verify = (token: string, ...policies: AccessPolicy[]) =>
    verifier.verify(`Bearer ${token}`, policies.length === 0 ? [policy('runners')] : policies)
  return { clock, asked, state, verify }
}

describe('a ServiceAccount token', () => {
  it('is what the API server confirms, and gives its claims and the identity of the template', async () => {
    const { verify, asked } = world()
    expect(await verify(TOKEN, policy('runners', {}, '{namespace}/{name}'))).toMatchObject({
      identity: 'ci/runner',
      claims: { sub: SUBJECT, namespace: 'ci', name: 'runner', uid: 'u1' },
    })
    expect(asked).toEqual([{ token: TOKEN, audiences: ['kobe'] }])
  })

  it.each([
    ['that is not authenticated', { authenticated: false, error: 'expired' }],
    ['of another account than it says', { authenticated: true, user: { username: 'admin' }, audiences: ['kobe'] }],
    ['for another audience', { authenticated: true, user: { username: SUBJECT }, audiences: ['vault'] }],
    ['of a server that knows no audiences', { authenticated: true, user: { username: SUBJECT } }],
  ])('%s opens nothing', async (_case, answer) => {
    const { verify, state } = world()
    state.answer = () => answer
    expect(await verify(TOKEN)).toBeUndefined()
  })

  it('that no policy could accept is not even asked about', async () => {
    const { verify, asked } = world()
    for (const token of ['opaque', 'a.b.c', jwt('system:serviceaccount:ci:other'), jwt('')]) {
      expect(await verify(token)).toBeUndefined()
    }
    expect(asked).toEqual([])
  })

  it('is asked about once in ten seconds, however many requests come at once', async () => {
    const { verify, asked, clock } = world()
    await Promise.all(Array.from({ length: 5 }, () => verify(TOKEN)))
    await clock.advance(9_999)
    await verify(TOKEN)
    expect(asked).toHaveLength(1)
    await clock.advance(1)
    await verify(TOKEN)
    expect(asked).toHaveLength(2)
  })

  it('is asked about again at once when the API server did not answer', async () => {
    const { verify, state } = world()
    const { answer } = state
    state.answer = () => {
      throw new KubeError('Unreachable', 'refused')
    }
    await expect(verify(TOKEN)).rejects.toMatchObject({ code: 'Unreachable' })
    state.answer = answer
    expect(await verify(TOKEN)).toBeDefined()
  })

  it('matches the first policy of its account and an audience it was made for', async () => {
    const { verify, state } = world()
    state.answer = () => ({ authenticated: true, user: { username: SUBJECT }, audiences: ['ci'] })
    const policies = [policy('a', { name: 'other' }), policy('b'), policy('c', { audience: ['ci', 'kobe'] })]
    expect((await verify(TOKEN, ...policies))?.policy.metadata.name).toBe('c')
  })
})

describe('renderIdentity', () => {
  it.each([
    ['{sub}', { sub: 'x' }, 'x'],
    ['gh:{repo}#{run.id}', { repo: 'a/b', run: { id: 7 } }, 'gh:a/b#7'],
    ['{a.b}', { 'a.b': 'whole', a: { b: 'part' } }, 'whole'],
    ['{missing}-{list}', { list: ['x'] }, '_missing_missing_-_missing_list_'],
    ['{constructor}{__proto__}', {}, '_missing_constructor__missing___proto___'],
    ['fixed', {}, 'fixed'],
  ])('of %s', (template, claims, identity) => {
    expect(renderIdentity(template, claims)).toBe(identity)
  })
})

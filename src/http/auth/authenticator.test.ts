import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHttpWorld, type HttpWorld, NAMESPACE, TOKEN } from '../../../test/support/http-world.ts'
import { SECRETS } from '../../api/core-resources.ts'
import { ACCESS_POLICIES } from '../../api/v1alpha1/resources.ts'

let world: HttpWorld
beforeEach(async () => {
  world = await createHttpWorld()
})
afterEach(() => world[Symbol.asyncDispose]())

const pools = (authorization?: string) =>
  world.app
    .inject({ url: '/v1/pools', headers: authorization === undefined ? {} : { authorization } })
    .then((answer) => answer.statusCode)

const sshPolicy = (name: string) =>
  world.kube.create(ACCESS_POLICIES, {
    metadata: { name, namespace: NAMESPACE },
    spec: {
      auth: { ssh: { authorizedKeys: [], revokedKeys: [] } },
      identity: '{fingerprint}',
      rules: [{ pools: ['*'], maxTtl: '1h', maxConcurrentLeases: 1, maxExtensions: 2 }],
    },
  })

describe('authentication', () => {
  it.each([
    ['no credential', undefined],
    ['a wrong token', 'Bearer wrong'],
    ['a prefix of the token', `Bearer ${TOKEN.slice(0, -1)}`],
    ['an empty token', 'Bearer '],
    ['another scheme', `Basic ${TOKEN}`],
    ['two tokens', `Bearer ${TOKEN} ${TOKEN}`],
  ])('denies %s', async (_case, authorization) => {
    expect(await pools(authorization)).toBe(401)
  })

  it('accepts the token, whatever the case of the scheme', async () => {
    expect([await pools(`Bearer ${TOKEN}`), await pools(`bearer ${TOKEN}`)]).toEqual([200, 200])
  })

  it('says 401 before it says anything about the body', async () => {
    const answer = await world.app.inject({ method: 'POST', url: '/v1/leases', payload: { profile: 7 } })
    expect([answer.statusCode, answer.json().reason, answer.headers['www-authenticate']]).toEqual([
      401,
      'unauthorized',
      'Bearer',
    ])
  })

  it('follows a changed token at once', async () => {
    const data = { token: Buffer.from('new-token\n').toString('base64') }
    await world.kube.patch(SECRETS, { name: 'ci-token', namespace: NAMESPACE }, { type: 'merge', body: { data } })
    await world.synced()
    expect([await pools(`Bearer ${TOKEN}`), await pools('Bearer new-token')]).toEqual([401, 200])
  })

  it('denies everybody once the policy, or its Secret, is gone', async () => {
    await world.policy('other', 'other-token')
    await world.kube.delete(SECRETS, { name: 'other-token', namespace: NAMESPACE })
    await world.kube.delete(ACCESS_POLICIES, { name: 'ci', namespace: NAMESPACE })
    await world.synced()
    expect([await pools(`Bearer ${TOKEN}`), await pools('Bearer other-token'), await pools('Bearer ')]).toEqual([
      401, 401, 401,
    ])
  })

  it('denies a token whose policy has no rule for it', async () => {
    await world.policy('ruled', 'ruled-token', { match: { claim: 'group', value: 'admins' } })
    await world.policy('subbed', 'subbed-token', { match: { claim: 'sub', value: 'subbed' } })
    await world.synced()
    expect([await pools('Bearer ruled-token'), await pools('Bearer subbed-token')]).toEqual([401, 200])
  })

  it('never opens through a method it does not know, and says so in status and log', async () => {
    await sshPolicy('by-key')
    await world.synced()
    expect(await pools('SSH-Signature fingerprint="x"')).toBe(401)
    const { body } = await world.call('GET', '/v1/status')
    expect(body.notes).toEqual([
      { reason: 'AuthMethodUnsupported', message: expect.stringContaining('by-key uses ssh') },
    ])
    expect(body.auth.methods).toEqual([{ type: 'token', description: 'ci' }])
    const lines = world.logs.filter((line) => line.message.includes('by-key'))
    expect(lines.map((line) => line.level)).toEqual(['warn'])
  })

  it('counts successes and failures, without identities', async () => {
    await pools(`Bearer ${TOKEN}`)
    await pools('Bearer wrong')
    const text = await world.registry.metrics()
    expect(text).toContain('kobe_auth_success_total{provider="ci",method="token"} 1')
    expect(text).toContain('kobe_auth_failure_total{provider="all",reason="no_matching_policy"} 1')
  })

  it('writes no token into the log', async () => {
    await pools(`Bearer ${TOKEN}`)
    await pools('Bearer wrong-secret')
    const text = JSON.stringify(world.logs)
    expect(text).not.toContain(TOKEN)
    expect(text).not.toContain('wrong-secret')
  })
})

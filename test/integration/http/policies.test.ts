/** AccessPolicies on real API servers: ServiceAccount tokens, and changes that count within a second. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NAMESPACES, SECRETS } from '../../../src/api/core-resources.ts'
import { customResourceDefinitions } from '../../../src/api/v1alpha1/crds.ts'
import { withAccessPolicyDefaults } from '../../../src/api/v1alpha1/defaults.ts'
import { ACCESS_POLICIES } from '../../../src/api/v1alpha1/resources.ts'
import type { KubeClient } from '../../../src/kube/client.ts'
import { systemClock } from '../../../src/kube/clock.ts'
import { installCustomResources } from '../../../src/kube/install-custom-resources.ts'
import { HOST_KINDS, type HostUnderTest } from '../../support/host-under-test.ts'
import { createHttpWorldOver, type HttpWorldOver, NAMESPACE } from '../../support/http-world.ts'
import { hasKubectl, kubectl } from '../../support/run.ts'
import { say } from '../../support/say.ts'

const RULE = { pools: ['*'], maxTtl: '4h', maxConcurrentLeases: 3 }

describe.each(HOST_KINDS.filter(({ isMissing }) => !isMissing))('against $name', ({ start, isReal }) => {
  let host: HostUnderTest
  let world: HttpWorldOver<KubeClient>
  let folder: string
  const k = (...args: string[]) => kubectl(join(folder, 'config'), args, { env: { HOME: folder } })
  beforeAll(async () => {
    host = await start()
    folder = mkdtempSync(join(tmpdir(), 'kobe-policies-'))
    writeFileSync(join(folder, 'config'), host.kubeconfig)
    const client = host.client()
    await installCustomResources(client, customResourceDefinitions(), systemClock)
    await client.create(NAMESPACES, { metadata: { name: NAMESPACE } })
    world = await createHttpWorldOver(client, () => host.client())
  }, 120_000)
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
    await host?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const status = async (token: string): Promise<{ code: number; identity?: string }> => {
    const headers = { authorization: `Bearer ${token}` }
    const { body } = await world.call('GET', '/v1/status', undefined, headers)
    const { status: code } = await world.call('GET', '/v1/leases', undefined, headers)
    return { code, identity: body.auth.sessions[0]?.identity }
  }
  const change = (name: string, spec: object) =>
    world.kube.patch(ACCESS_POLICIES, { name, namespace: NAMESPACE }, { type: 'merge', body: { spec } })
  /** How long it takes until it is so. */
  const msUntil = async (done: () => Promise<boolean>): Promise<number> => {
    const before = performance.now()
    await expect.poll(done, { timeout: 20_000, interval: 5 }).toBe(true)
    return Math.round(performance.now() - before)
  }

  it.skipIf(!hasKubectl)(
    'the token of a ServiceAccount counts while it is made for us, and while the account is there',
    async () => {
      await k('create', 'serviceaccount', 'runner')
      await k('create', 'serviceaccount', 'stranger')
      await world.kube.create(
        ACCESS_POLICIES,
        withAccessPolicyDefaults({
          metadata: { name: 'runners', namespace: NAMESPACE },
          spec: {
            auth: { serviceAccount: { name: 'runner', namespace: 'default' } },
            identity: '{namespace}:{name}',
            rules: [RULE],
          },
        }),
      )
      const token = await k('create', 'token', 'runner', '--audience', 'kobe')
      await expect.poll(async () => (await status(token)).code, { timeout: 20_000 }).toBe(200)
      expect(await status(token)).toEqual({ code: 200, identity: 'default:runner' })
      expect((await status(await k('create', 'token', 'runner'))).code).toBe(401)
      expect((await status(await k('create', 'token', 'runner', '--audience', 'vault'))).code).toBe(401)
      expect((await status(await k('create', 'token', 'stranger', '--audience', 'kobe'))).code).toBe(401)
      expect((await status(`${token.slice(0, -6)}AAAAAA`)).code).toBe(401)
      const { body } = await world.call('GET', '/v1/status')
      expect(body.auth.methods).toContainEqual({ type: 'serviceAccount', description: 'runners' })
      expect(body).not.toHaveProperty('notes')
      await k('delete', 'serviceaccount', 'runner')
      // A real one believes what it said for ten seconds itself.
      if (isReal) return
      // Another replica has asked nobody yet.
      const other = await world.replica()
      const answer = await other.inject({ url: '/v1/leases', headers: { authorization: `Bearer ${token}` } })
      expect(answer.statusCode).toBe(401)
    },
    60_000,
  )

  it('a policy, a rule and a token that change count within a second, without a restart', async () => {
    const took: Record<string, number> = {}
    await world.policy('changing', 'token-before', { pools: ['web-*'] })
    took['new policy'] = await msUntil(async () => (await status('token-before')).code === 200)
    await world.pool('web-1')
    const pools = async (token: string): Promise<number> =>
      (await world.call('GET', '/v1/pools/web-1', undefined, { authorization: `Bearer ${token}` })).status
    await expect.poll(() => pools('token-before'), { timeout: 10_000 }).toBe(200)
    await change('changing', { rules: [{ ...RULE, pools: ['db-*'] }] })
    took['pools'] = await msUntil(async () => (await pools('token-before')) === 403)
    const data = { token: Buffer.from('token-after').toString('base64') }
    await world.kube.patch(SECRETS, { name: 'changing-token', namespace: NAMESPACE }, { type: 'merge', body: { data } })
    took['rotated token'] = await msUntil(async () => (await status('token-after')).code === 200)
    expect((await status('token-before')).code).toBe(401)
    await world.kube.delete(ACCESS_POLICIES, { name: 'changing', namespace: NAMESPACE })
    took['deleted policy'] = await msUntil(async () => (await status('token-after')).code === 401)
    say(`milliseconds until a change counts: ${JSON.stringify(took)}`)
    expect(Object.entries(took).filter(([, ms]) => ms > 1000)).toEqual([])
  })
})

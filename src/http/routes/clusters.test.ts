import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { clusterNow, makeCluster } from '../../../test/support/http-clusters.ts'
import { createHttpWorld, type HttpWorld, NAMESPACE, TOKEN } from '../../../test/support/http-world.ts'
import { SECRETS } from '../../api/core-resources.ts'
import { MANAGED_CLUSTERS } from '../../api/v1alpha1/resources.ts'

let world: HttpWorld
beforeEach(async () => {
  world = await createHttpWorld()
})
afterEach(() => world[Symbol.asyncDispose]())

const SECRET_TOKEN = 'token-of-the-cluster-9f31'
const kubeconfigOf = (user: object, cluster: object = {}): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    clusters: [{ name: 'k', cluster: { server: 'https://10.0.0.1:6443', ...cluster } }],
    users: [{ name: 'u', user }],
  })
const KUBECONFIG = kubeconfigOf({ token: SECRET_TOKEN })
const BODY = {
  name: 'prod-1',
  kubeconfig: KUBECONFIG,
  provider: { type: 'simulated', simulated: {} },
  nodeGroups: [{ name: 'workers', type: 'worker', settings: { offering: 'small' }, maxUnavailable: '10%' }],
}
const post = (body: object, token = TOKEN) =>
  world.call('POST', '/v1/clusters', body, { authorization: `Bearer ${token}` })
const secrets = async () =>
  (await world.kube.list(SECRETS)).items.filter(({ metadata }) => metadata.name?.includes('kubeconfig'))

describe('GET /v1/clusters', () => {
  it('lists by name what the policy lets the caller view, and nothing to one without clusters in its policy', async () => {
    await world.policy('some', 'token-of-some', { clusters: [{ names: ['test-*'], verbs: ['view'] }] })
    await world.policy('none', 'token-of-none', { clusters: undefined as never })
    for (const name of ['test-b', 'prod', 'test-a']) await makeCluster(world, name)
    await world.synced()
    const names = async (token: string) => {
      const { body } = await world.call('GET', '/v1/clusters', undefined, { authorization: `Bearer ${token}` })
      return body.clusters.map(({ name }: { name: string }) => name)
    }
    expect(await names(TOKEN)).toEqual(['prod', 'test-a', 'test-b'])
    expect(await names('token-of-some')).toEqual(['test-a', 'test-b'])
    expect(await names('token-of-none')).toEqual([])
  })

  it('shows state, holder, counts, settings, capacity and the last error', async () => {
    await makeCluster(world, 'prod', {
      status: {
        state: 'Updating',
        operation: {
          name: 'rollout-1',
          uid: 'u1',
          type: 'Rollout',
          startedAt: '2026-01-01T00:00:00Z',
          from: 'Running',
          entered: 'Updating',
        },
        groups: [{ name: 'workers', type: 'worker', nodes: 5, ready: 4, outOfDate: 2, unavailable: 1 }],
        capacity: { cpu: 20, memory: '80Gi' },
        lastError: 'DrainFailed: worker-1',
      },
    })
    await world.synced()
    const { body } = await world.call('GET', '/v1/clusters')
    expect(body.clusters).toEqual([
      expect.objectContaining({
        name: 'prod',
        state: 'Updating',
        provider: 'simulated',
        operation: { name: 'rollout-1', type: 'Rollout', since: '2026-01-01T00:00:00Z' },
        groups: [
          {
            name: 'workers',
            type: 'worker',
            nodes: 5,
            ready: 4,
            outOfDate: 2,
            unavailable: 1,
            settings: { offering: 'small' },
            maxUnavailable: 1,
          },
        ],
        capacity: { cpu: 20, memory: '80Gi' },
        lastError: 'DrainFailed: worker-1',
      }),
    ])
  })
})

describe('POST /v1/clusters', () => {
  it('makes the cluster, and keeps the kubeconfig in a Secret that goes with it and is shown nowhere', async () => {
    const answer = await post(BODY)
    expect(answer).toMatchObject({ status: 201, body: { name: 'prod-1', state: 'Created' } })
    const cluster = await clusterNow(world, 'prod-1')
    expect(cluster.spec).toMatchObject({ nodeTimeout: '1800s', nodeGroups: [{ maxUnavailable: '10%' }] })
    const [secret] = await secrets()
    expect(cluster.spec.connection.kubeconfigSecretRef?.name).toBe(secret?.metadata.name)
    expect(Buffer.from(secret?.data?.['kubeconfig'] ?? '', 'base64').toString()).toBe(KUBECONFIG)
    expect(secret?.metadata.ownerReferences).toMatchObject([{ kind: 'ManagedCluster', uid: cluster.metadata.uid }])
    expect((await world.call('GET', '/v1/clusters/prod-1')).status).toBe(200)
    const said = JSON.stringify([answer, await world.call('GET', '/v1/clusters/prod-1'), world.logs, cluster])
    for (const form of [SECRET_TOKEN, Buffer.from(KUBECONFIG).toString('base64')]) expect(said).not.toContain(form)
    expect(world.logs).toContainEqual(
      expect.objectContaining({
        message: 'change of a cluster',
        fields: expect.objectContaining({ ManagedCluster: 'prod-1', change: 'create', identity: 'ci' }),
      }),
    )
  })

  it('takes a Secret that is there, and the cluster of the operator itself', async () => {
    const data = { kubeconfig: Buffer.from(KUBECONFIG).toString('base64') }
    await world.kube.create(SECRETS, { metadata: { name: 'mine', namespace: NAMESPACE }, data })
    const { kubeconfig: _, ...bare } = BODY
    expect((await post({ ...bare, kubeconfigSecret: 'mine' })).status).toBe(201)
    expect((await post({ ...bare, name: 'self', inCluster: true })).status).toBe(201)
    expect((await clusterNow(world, 'prod-1')).spec.connection.kubeconfigSecretRef).toEqual({ name: 'mine' })
  })

  it('refuses a name that is taken, and leaves no second kubeconfig behind', async () => {
    await post(BODY)
    expect(await post(BODY)).toMatchObject({ status: 409, body: { reason: 'cluster_exists', field: 'name' } })
    expect(await secrets()).toHaveLength(1)
  })

  const { kubeconfig: _, ...noWay } = BODY
  const group = BODY.nodeGroups[0]
  const refused: [string, object, object][] = [
    ['a name that is no DNS label', { ...BODY, name: 'Prod_1' }, { reason: 'invalid_request', field: 'name' }],
    ['no way to reach it', noWay, { reason: 'invalid_request', field: 'kubeconfig' }],
    ['two ways to reach it', { ...BODY, inCluster: true }, { reason: 'invalid_request', field: 'kubeconfig' }],
    ['an unknown provider', { ...BODY, provider: { type: 'paper' } }, { reason: 'invalid_request' }],
    ['no group', { ...BODY, nodeGroups: [] }, { reason: 'invalid_request', field: 'nodeGroups' }],
    ['a duration that is none', { ...BODY, nodeTimeout: 'soon' }, { reason: 'invalid_request', field: 'nodeTimeout' }],
    [
      'a budget that is none',
      { ...BODY, nodeGroups: [{ ...group, maxUnavailable: 'all' }] },
      { reason: 'invalid_request', field: 'nodeGroups[0].maxUnavailable' },
    ],
    [
      'a kubeconfig that is no YAML',
      { ...BODY, kubeconfig: '{' },
      { reason: 'invalid_kubeconfig', field: 'kubeconfig' },
    ],
    ['a Secret that is not there', { ...noWay, kubeconfigSecret: 'x' }, { reason: 'invalid_kubeconfig' }],
    [
      'a Secret of the operator',
      { ...noWay, kubeconfigSecret: 'pool-ci-1-kubeconfig' },
      { reason: 'invalid_kubeconfig' },
    ],
  ]
  it('refuses what is wrong or unsafe, and makes nothing', async () => {
    await world.kube.create(SECRETS, {
      metadata: {
        name: 'pool-ci-1-kubeconfig',
        namespace: NAMESPACE,
        labels: { 'app.kubernetes.io/managed-by': 'kobe-operator' },
      },
      data: { kubeconfig: Buffer.from(KUBECONFIG).toString('base64') },
    })
    for (const [what, body, expected] of refused) {
      expect(await post(body), what).toMatchObject({ status: 422, body: expected })
    }
    expect((await world.kube.list(MANAGED_CLUSTERS)).items).toEqual([])
    expect(await secrets()).toHaveLength(1)
  })

  it('needs the verb on that very name, whether or not there is such a cluster', async () => {
    await world.policy('few', 'token-of-few', { clusters: [{ names: ['test-*'], verbs: ['view', 'create'] }] })
    await makeCluster(world, 'prod-1')
    await world.synced()
    for (const name of ['prod-1', 'prod-2']) {
      const { status, body } = await post({ ...BODY, name }, 'token-of-few')
      expect([status, body.reason]).toEqual([403, 'cluster_forbidden'])
      expect(body.detail).toContain('`create`')
    }
    expect((await post({ ...BODY, name: 'test-1' }, 'token-of-few')).status).toBe(201)
  })
})

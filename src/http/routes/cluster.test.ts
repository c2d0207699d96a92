import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { clusterNow, makeCluster } from '../../../test/support/http-clusters.ts'
import { createHttpWorld, type HttpWorld, QUIET_INSIGHT, TOKEN } from '../../../test/support/http-world.ts'
import type { ManagedClusterStatus } from '../../api/v1alpha1/managed-cluster.ts'
import { MANAGED_CLUSTERS } from '../../api/v1alpha1/resources.ts'
import type {
  ClusterInsight,
  NodeRow,
  Refusal,
  RolloutRequest,
  SettingsCheck,
} from '../../core/nodes/cluster-insight.ts'

const ROWS: readonly NodeRow[] = [
  {
    name: 'worker-1',
    group: 'workers',
    type: 'worker',
    machine: 'Running',
    ready: true,
    cordon: 'ours',
    outOfDate: ['x'],
  },
  { name: 'worker-2', group: 'workers', type: 'worker', outOfDate: [] },
]
const HELD: ManagedClusterStatus = {
  state: 'Updating',
  operation: { name: 'rollout-1', uid: 'u1', type: 'Rollout', startedAt: '2026-01-01T00:00:00Z', from: 'Running' },
}

let world: HttpWorld
let refusals: Refusal[]
let checked: SettingsCheck[]
let planned: RolloutRequest[]
beforeEach(async () => {
  refusals = []
  checked = []
  planned = []
  const insight: ClusterInsight = {
    ...QUIET_INSIGHT,
    nodes: async () => ROWS,
    judgeSettings: async (cluster, check) => {
      checked.push(check)
      const judged = await QUIET_INSIGHT.judgeSettings(cluster, check)
      return { ...judged, refusals: [...refusals, ...judged.refusals] }
    },
    plan: async ({ metadata: { name = '' } }, request) => {
      planned.push(request)
      return {
        cluster: name,
        state: 'Running',
        groups: [{ name: 'workers', type: 'worker', nodes: 2, outOfDate: 1 }],
        batches: [
          {
            group: 'workers',
            nodes: [
              {
                name: 'worker-1',
                reasons: ['offering small, wanted large'],
                findings: [
                  {
                    kind: 'ZeroBudget',
                    blocks: true,
                    pods: ['default/web-1'],
                    budgets: ['default/web'],
                    message: 'no',
                  },
                ],
              },
            ],
            waitsFor: [],
            estimateMs: 60_000,
          },
        ],
        leftOut: [],
        totalNodes: 1,
        estimateMs: 60_000,
        estimateBasis: 'one restart took 60 s',
        notes: [{ reason: 'DrainPreview', message: 'worker-1: no', level: 'Warning' }],
      }
    },
  }
  world = await createHttpWorld({ deps: { insight } })
  await world.policy('looker', 'token-of-looker', { clusters: [{ names: ['*'], verbs: ['view'] }] })
  await world.policy('stranger', 'token-of-stranger', { clusters: [{ names: ['other'], verbs: ['view', 'set'] }] })
  await makeCluster(world, 'prod')
  await world.synced()
})
afterEach(() => world[Symbol.asyncDispose]())

const as = (token: string) => ({ authorization: `Bearer ${token}` })
const get = (path = '', token = TOKEN) => world.call('GET', `/v1/clusters/prod${path}`, undefined, as(token))
const patch = (groups: object, token = TOKEN, name = 'prod') =>
  world.call('PATCH', `/v1/clusters/${name}/settings`, { groups }, as(token))
const setStatus = async (status: ManagedClusterStatus) => {
  const { name = '', namespace = '' } = (await clusterNow(world, 'prod')).metadata
  await world.kube.patch(
    MANAGED_CLUSTERS,
    { name, namespace },
    { type: 'merge', body: { status } },
    { subresource: 'status' },
  )
  await world.synced()
}

describe('GET /v1/clusters/:name', () => {
  it('shows the cluster with its nodes', async () => {
    const { status, body } = await get()
    expect(status).toBe(200)
    expect(body).toMatchObject({ name: 'prod', state: 'Running', nodes: ROWS })
    expect(body).not.toHaveProperty('operation')
  })

  it('and its other routes answer the same for a cluster that the caller may not view and one that is not there', async () => {
    const body = { groups: { worker: { offering: 'large' } } }
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/plan'],
      ['POST', '/plan'],
      ['PATCH', '/settings'],
    ] as const) {
      const answers = []
      for (const name of ['prod', 'gone']) {
        const sent = method === 'GET' ? undefined : body
        answers.push(await world.call(method, `/v1/clusters/${name}${path}`, sent, as('token-of-stranger')))
      }
      expect(answers.map(({ status, body: { reason } }) => [status, reason])).toEqual([
        [404, 'cluster_not_found'],
        [404, 'cluster_not_found'],
      ])
      expect(answers[0]?.body).toEqual(answers[1]?.body)
    }
  })
})

describe('the plan of a rollout', () => {
  it('is what the insight answers, asked with the parameters of the query', async () => {
    const { status, body } = await get('/plan?maxUnavailable=2&allowLastWorker=true', 'token-of-looker')
    expect(status).toBe(200)
    expect(planned).toEqual([{ maxUnavailable: 2, allowLastWorker: true }])
    expect(body).toMatchObject({
      cluster: 'prod',
      batches: [{ nodes: [{ name: 'worker-1', findings: [{ kind: 'ZeroBudget', pods: ['default/web-1'] }] }] }],
      notes: [{ reason: 'DrainPreview', level: 'Warning' }],
    })
  })

  it('can be asked for with settings that are not stored', async () => {
    const settings = { worker: { offering: 'large' } }
    const asked = { settings, maxUnavailable: '10%', selector: { zones: ['a'] } }
    expect((await world.call('POST', '/v1/clusters/prod/plan', asked)).status).toBe(200)
    expect(planned).toEqual([asked])
    expect((await clusterNow(world, 'prod')).spec.nodeGroups[0]?.settings).toEqual({ offering: 'small' })
  })

  it('refuses a budget that is none', async () => {
    for (const amount of ['0', 'all', '101%', '-1']) {
      const answer = await get(`/plan?maxUnavailable=${encodeURIComponent(amount)}`)
      expect(answer).toMatchObject({ status: 422, body: { reason: 'invalid_request', field: 'maxUnavailable' } })
    }
  })
})

describe('PATCH /v1/clusters/:name/settings', () => {
  it('stores by group or type, leaves out what is left out, and touches no node', async () => {
    expect(await patch({ worker: { rootDiskSizeGB: 40 } })).toMatchObject({
      status: 200,
      body: { groups: [{ name: 'workers', settings: { offering: 'small', rootDiskSizeGB: 40 } }] },
    })
    await patch({ workers: { offering: 'large' } })
    expect((await clusterNow(world, 'prod')).spec.nodeGroups[0]?.settings).toEqual({
      offering: 'large',
      rootDiskSizeGB: 40,
    })
    expect(checked.every(({ rollout }) => !rollout)).toBe(true)
    expect((await get()).body.groups[0].settings).toEqual({ offering: 'large', rootDiskSizeGB: 40 })
  })

  it('is fine in every state that no operation has set', async () => {
    for (const state of ['Created', 'Running', 'Alert', 'Stopped', 'Error'] as const) {
      await setStatus({ state })
      expect((await patch({ worker: { offering: 'large' } })).status, state).toBe(200)
    }
  })

  it('stores nothing while an operation holds the cluster, and names it', async () => {
    await setStatus(HELD)
    const { status, body } = await patch({ worker: { offering: 'large' } })
    expect([status, body.reason]).toEqual([409, 'cluster_busy'])
    expect(body.detail).toContain('rollout-1')
    expect((await clusterNow(world, 'prod')).spec.nodeGroups[0]?.settings).toEqual({ offering: 'small' })
  })

  it('looks at the cluster as it is now and not at what the cache shows', async () => {
    world.kube.beforeCall = async ({ verb, resource }) => {
      if (verb !== 'patch' || !resource.endsWith('managedclusters')) return
      world.kube.beforeCall = undefined
      await world.kube
        .replica()
        .patch(
          MANAGED_CLUSTERS,
          { name: 'prod', namespace: 'kobe-system' },
          { type: 'merge', body: { status: HELD } },
          { subresource: 'status' },
        )
    }
    expect(await patch({ worker: { offering: 'large' } })).toMatchObject({
      status: 409,
      body: { reason: 'cluster_busy' },
    })
  })

  const passing: Refusal = { reason: 'NoData', message: 'the provider does not answer', temporary: true }
  const refused: [string, () => Promise<unknown> | unknown, object, object][] = [
    [
      'while the cluster is destroyed',
      () => setStatus({ state: 'Destroying' }),
      {},
      { status: 409, body: { reason: 'cluster_state_refused' } },
    ],
    [
      'what the provider refuses',
      () => refusals.push({ reason: 'SettingsRefused', message: 'no such offering', group: 'workers' }),
      {},
      { status: 422, body: { reason: 'settings_refused', detail: 'no such offering', field: 'settings.workers' } },
    ],
    [
      'what cannot be judged now, and says when to ask again',
      () => refusals.push(passing),
      {},
      { status: 503, body: { reason: 'cluster_unreachable' }, headers: { 'retry-after': '5' } },
    ],
    ['a group that is not there', () => undefined, { gpus: {} }, { status: 422, body: { reason: 'settings_refused' } }],
    ['nothing at all', () => undefined, { worker: undefined }, { status: 422, body: { reason: 'invalid_request' } }],
    [
      'an unknown setting',
      () => undefined,
      { worker: { color: 'red' } },
      { status: 422, body: { reason: 'invalid_request' } },
    ],
  ]
  it.each(refused)('refuses %s', async (_case, arrange, groups, expected) => {
    await arrange()
    expect(await patch(Object.keys(groups).length === 0 ? { worker: { offering: 'large' } } : groups)).toMatchObject(
      expected,
    )
    expect((await clusterNow(world, 'prod')).spec.nodeGroups[0]?.settings).toEqual({ offering: 'small' })
  })

  it('needs the verb, and says which', async () => {
    const { status, body } = await patch({ worker: { offering: 'large' } }, 'token-of-looker')
    expect([status, body.reason]).toEqual([403, 'cluster_forbidden'])
    expect(body.detail).toContain('`set`')
  })
})

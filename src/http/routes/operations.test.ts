import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { clusterNow, makeCluster } from '../../../test/support/http-clusters.ts'
import { createHttpWorld, type HttpWorld, NAMESPACE, QUIET_INSIGHT, TOKEN } from '../../../test/support/http-world.ts'
import { playOperator } from '../../../test/support/played-operator.ts'
import type { ManagedCluster } from '../../api/v1alpha1/managed-cluster.ts'
import { MANAGED_CLUSTERS, NODE_OPERATIONS } from '../../api/v1alpha1/resources.ts'
import type { ClusterInsight, Refusal, SettingsCheck } from '../../core/nodes/cluster-insight.ts'
import { KubeError } from '../../kube/errors.ts'

/** A rollout that has taken its cluster, and starts nothing. */
const FROZEN = { policy: { freeze: { reason: 'test' } } }
const SHRINKS: Refusal = { reason: 'SettingsRefused', message: 'a disk cannot shrink', group: 'workers' }
const LARGE = { worker: { offering: 'large' } }

let world: HttpWorld
let stopOperator: () => Promise<void>
/** What is said of settings; `held`: when an operation has taken the cluster. */
let refusals: { free: Refusal[]; held: Refusal[] }
let checked: { cluster: ManagedCluster; check: SettingsCheck }[]

const insight: ClusterInsight = {
  ...QUIET_INSIGHT,
  judgeSettings: async (cluster, check) => {
    checked.push({ cluster, check })
    const judged = await QUIET_INSIGHT.judgeSettings(cluster, check)
    const scripted = refusals[cluster.status?.operation === undefined ? 'free' : 'held']
    return { ...judged, refusals: [...scripted, ...judged.refusals] }
  },
}
beforeEach(async () => {
  refusals = { free: [], held: [] }
  checked = []
  world = await createHttpWorld({ deps: { insight, limits: { operationStartMs: 20_000 } } })
  stopOperator = playOperator(world.kube)
})
afterEach(async () => {
  await stopOperator()
  await world[Symbol.asyncDispose]()
})

const post = (body: object, token = TOKEN, headers: Record<string, string> = {}) =>
  world.call('POST', '/v1/operations', { cluster: 'prod', ...body }, { authorization: `Bearer ${token}`, ...headers })
const operations = async () => (await world.kube.replica().list(NODE_OPERATIONS)).items
const settings = async () => (await clusterNow(world, 'prod')).spec.nodeGroups[0]?.settings
/** Resolves when nobody holds the cluster. */
async function free(): Promise<ManagedCluster> {
  for (;;) {
    const cluster = await clusterNow(world, 'prod')
    if (cluster.status?.operation === undefined) return cluster
    await new Promise((resolve) => setImmediate(resolve))
  }
}
async function prod(changes: Parameters<typeof makeCluster>[2] = { spec: FROZEN }): Promise<void> {
  await makeCluster(world, 'prod', changes)
  await world.synced()
}

describe('POST /v1/operations', () => {
  it('answers when the operation has taken the cluster, and says who asked for it', async () => {
    await prod()
    const { status, body } = await post({ type: 'Rollout', maxUnavailable: 2, allowLastWorker: true })
    expect(status).toBe(202)
    expect(body).toMatchObject({
      name: expect.stringMatching(/^rollout-[0-9a-f]{12}$/),
      cluster: 'prod',
      type: 'Rollout',
      maxUnavailable: 2,
      allowLastWorker: true,
      cancelRequested: false,
      requestedBy: 'ci',
    })
    expect((await clusterNow(world, 'prod')).status?.operation?.name).toBe(body.name)
    expect(world.logs).toContainEqual(
      expect.objectContaining({
        message: 'change of a cluster',
        fields: expect.objectContaining({ NodeOperation: body.name, change: 'Rollout', identity: 'ci' }),
      }),
    )
  })

  it('with settings judges them, takes the cluster, judges and stores them, then lets the run begin', async () => {
    await prod()
    const { status, body } = await post({ type: 'Rollout', settings: LARGE })
    expect(status).toBe(202)
    expect(await settings()).toEqual({ offering: 'large' })
    expect(checked.map(({ cluster, check }) => [cluster.status?.operation?.name, check.rollout])).toEqual([
      [undefined, true],
      [body.name, true],
    ])
    const [operation] = await operations()
    expect(operation?.spec).toMatchObject({ settingsStored: true, cancel: false })
  })

  const state = async () => {
    const { status } = await free()
    return [status?.state, status?.lastError]
  }
  it.each(['Running', 'Alert'] as const)(
    'cancels when the settings are refused once it has the cluster: the cluster is %s as before, and keeps its last error',
    async (before) => {
      await prod({ spec: FROZEN, status: { state: before, lastError: 'an earlier one' } })
      refusals.held = [SHRINKS]
      expect(await post({ type: 'Rollout', settings: LARGE })).toMatchObject({
        status: 422,
        body: { reason: 'settings_refused', detail: 'a disk cannot shrink', field: 'settings.workers' },
      })
      expect(await state()).toEqual([before, 'an earlier one'])
      expect(await settings()).toEqual({ offering: 'small' })
      const [operation] = await operations()
      expect(operation?.status?.phase).toBe('Cancelled')
      const { body } = await world.call('GET', `/v1/operations/${operation?.metadata.name}`)
      expect(body.cancelReason).toContain('a disk cannot shrink')
    },
  )

  it('makes nothing of settings that are refused already', async () => {
    await prod()
    refusals.free = [SHRINKS]
    expect(await post({ type: 'Rollout', settings: LARGE })).toMatchObject({
      status: 422,
      body: { reason: 'settings_refused', detail: 'a disk cannot shrink', field: 'settings.workers' },
    })
    expect(await operations()).toEqual([])
  })

  it('cancels when the settings cannot be stored', async () => {
    await prod()
    world.kube.beforeCall = ({ verb, resource }) => {
      if (verb === 'patch' && resource.endsWith('managedclusters'))
        throw new KubeError('ServerError', 'down', { status: 500 })
    }
    expect(await post({ type: 'Rollout', settings: LARGE })).toMatchObject({
      status: 503,
      body: { reason: 'kubernetes_unavailable' },
    })
    expect((await free()).status?.state).toBe('Running')
    expect(await settings()).toEqual({ offering: 'small' })
  })

  it('stores over the change of somebody else that came between', async () => {
    await prod()
    world.kube.beforeCall = async ({ verb, resource }) => {
      if (verb !== 'patch' || !resource.endsWith('managedclusters')) return
      world.kube.beforeCall = undefined
      const body = { metadata: { labels: { team: 'a' } } }
      await world.kube
        .replica()
        .patch(MANAGED_CLUSTERS, { name: 'prod', namespace: NAMESPACE }, { type: 'merge', body })
    }
    expect((await post({ type: 'Rollout', settings: LARGE })).status).toBe(202)
    expect((await clusterNow(world, 'prod')).metadata.labels).toEqual({ team: 'a' })
    expect(await settings()).toEqual({ offering: 'large' })
  })

  it('lets exactly one of several at once win; the others are told its name and leave the cluster alone', async () => {
    await prod()
    const answers = await Promise.all(
      ['large', 'huge', 'tiny', 'wide'].map((offering) =>
        post({ type: 'Rollout', settings: { worker: { offering } } }),
      ),
    )
    const winners = answers.filter(({ status }) => status === 202)
    expect(winners).toHaveLength(1)
    const holder = winners[0]?.body.name
    for (const { status, body } of answers.filter((answer) => answer !== winners[0])) {
      expect([status, body.reason]).toEqual([409, 'cluster_busy'])
      expect(body.detail).toContain(holder)
    }
    expect((await clusterNow(world, 'prod')).status?.operation?.name).toBe(holder)
  })

  it('leaves no operation behind when it cannot win', async () => {
    await prod()
    const { body } = await post({ type: 'Rollout' })
    const lost = await post({ type: 'Stop' })
    expect(lost).toMatchObject({ status: 409, body: { reason: 'cluster_busy' } })
    expect(lost.body.detail).toContain(body.name)
    expect(await operations()).toHaveLength(1)
  })

  it('refuses what the state of the cluster does not allow, and makes nothing', async () => {
    await prod({ status: { state: 'Stopped' } })
    for (const type of ['Rollout', 'Stop']) {
      expect(await post({ type }), type).toMatchObject({ status: 409, body: { reason: 'cluster_state_refused' } })
    }
    expect(await operations()).toEqual([])
  })

  it('says what the operator refuses', async () => {
    await prod({ spec: { nodeGroups: [{ name: 'workers', type: 'worker', settings: { image: 'v2' } }] } })
    world.kube.onChange(({ type, resource, object }) => {
      if (type !== 'ADDED' || !resource.endsWith('nodeoperations')) return
      const condition = { type: 'Ready', status: 'False', reason: 'Unsupported', message: '', lastTransitionTime: '' }
      const status = { phase: 'Failed', message: 'the provider cannot', conditions: [condition] }
      const ref = { name: object.metadata.name ?? '', namespace: NAMESPACE }
      world.kube
        .replica()
        .patch(NODE_OPERATIONS, ref, { type: 'merge', body: { status } }, { subresource: 'status' })
        .catch(() => undefined)
    })
    await stopOperator()
    const { status, body } = await post({ type: 'Rollout' })
    expect([status, body.reason]).toEqual([422, 'operation_unsupported'])
    expect(body.detail).toContain('the provider cannot')
  })

  const misplaced = (field: string, value: unknown): [string, object, object] => [
    `${field} of a Stop`,
    { type: 'Stop', [field]: value },
    { reason: 'invalid_request', field },
  ]
  const refused: [string, object, object][] = [
    ['an unknown type', { type: 'Dance' }, { reason: 'invalid_request', field: 'type' }],
    ['an Upgrade, which needs more than this', { type: 'Upgrade' }, { reason: 'invalid_request', field: 'type' }],
    misplaced('settings', LARGE),
    misplaced('maxUnavailable', 2),
    misplaced('allowLastWorker', true),
    misplaced('selector', { zones: ['a'] }),
    [
      'no settings where some are announced',
      { type: 'Rollout', settings: {} },
      { reason: 'invalid_request', field: 'settings' },
    ],
    [
      'a budget that is none',
      { type: 'Rollout', maxUnavailable: '0%' },
      { reason: 'invalid_request', field: 'maxUnavailable' },
    ],
  ]
  it('refuses what makes no sense, and makes nothing', async () => {
    await prod()
    for (const [what, body, expected] of refused) {
      expect(await post(body), what).toMatchObject({ status: 422, body: expected })
    }
    expect(await operations()).toEqual([])
  })

  it('needs the verb of its type', async () => {
    await prod()
    const all = ['rollout', 'power', 'set', 'destroy'] as const
    for (const [type, verb] of [
      ['Rollout', 'rollout'],
      ['Start', 'power'],
      ['Stop', 'power'],
      ['Destroy', 'destroy'],
    ] as const) {
      const verbs = ['view', ...all.filter((one) => one !== verb)] as const
      await world.policy(`no-${type}`.toLowerCase(), `token-without-${type}`, {
        clusters: [{ names: ['prod'], verbs: [...verbs] }],
      })
      await world.synced()
      const { status, body } = await post({ type }, `token-without-${type}`)
      expect([type, status, body.reason]).toEqual([type, 403, 'cluster_forbidden'])
      expect(body.detail).toContain(`\`${verb}\``)
    }
  })

  it('needs `set` as well to roll other settings, and tells nothing of a cluster that is not to be seen', async () => {
    await prod()
    await world.policy('roller', 'token-of-roller', { clusters: [{ names: ['prod'], verbs: ['view', 'rollout'] }] })
    await world.policy('blind', 'token-of-blind', { clusters: [{ names: ['prod'], verbs: ['rollout', 'set'] }] })
    await world.synced()
    const { body } = await post({ type: 'Rollout', settings: LARGE }, 'token-of-roller')
    expect(body).toMatchObject({ reason: 'cluster_forbidden', detail: expect.stringContaining('`set`') })
    expect(await post({ type: 'Rollout' }, 'token-of-blind')).toMatchObject({
      status: 404,
      body: { reason: 'cluster_not_found' },
    })
    expect(await operations()).toEqual([])
  })
})

describe('an idempotency key', () => {
  const key = { 'idempotency-key': 'run-1' }

  it('gives the same operation again; another body is refused, of whatever type', async () => {
    await prod()
    const first = await post({ type: 'Rollout', settings: LARGE }, TOKEN, key)
    const again = await post({ type: 'Rollout', settings: LARGE, idempotencyKey: 'run-1' })
    expect([first.status, again.status, again.body.name]).toEqual([202, 202, first.body.name])
    for (const other of [{ type: 'Rollout' }, { type: 'Stop' }]) {
      expect(await post(other, TOKEN, key)).toMatchObject({ status: 422, body: { reason: 'idempotency_mismatch' } })
    }
    expect(await operations()).toHaveLength(1)
  })

  it('goes on where a server that died had stopped: the settings are stored now', async () => {
    await prod()
    let dead = false
    world.kube.onChange(({ type, resource }) => {
      if (type === 'ADDED' && resource.endsWith('nodeoperations')) dead = true
    })
    world.kube.beforeCall = () => {
      if (dead) throw new KubeError('Unreachable', 'no answer')
    }
    expect((await post({ type: 'Rollout', settings: LARGE }, TOKEN, key)).status).toBe(503)
    const [left] = await operations()
    expect(left?.spec).toMatchObject({ settingsStored: false, cancel: false })
    dead = false
    expect(await post({ type: 'Rollout', settings: LARGE }, TOKEN, key)).toMatchObject({
      status: 202,
      body: { name: left?.metadata.name },
    })
    expect(await settings()).toEqual({ offering: 'large' })
  })
})

describe('without an operator that leads', () => {
  it('an operation without settings waits; one with settings is cancelled, as nobody would store them later', async () => {
    await stopOperator()
    await world[Symbol.asyncDispose]()
    world = await createHttpWorld({ deps: { insight, limits: { operationStartMs: 1 } } })
    await prod()
    expect(await post({ type: 'Rollout' })).toMatchObject({ status: 202, body: { phase: 'Pending', ended: false } })
    expect(await post({ type: 'Rollout', settings: LARGE })).toMatchObject({
      status: 503,
      body: { reason: 'operation_not_started' },
      headers: { 'retry-after': '5' },
    })
    expect((await operations()).map(({ spec }) => spec.cancel).toSorted()).toEqual([false, true])
    expect(await settings()).toEqual({ offering: 'small' })
  })
})

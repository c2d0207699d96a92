/**
 * Rollouts of node settings, end to end: simulated nodes on the host API, the operator's own controllers, the real eviction API,
 * and kubectl. `npm run e2e -- nodes` runs them; the share of every test run is test/integration/nodes.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { NODES } from '../../src/api/core-resources.ts'
import { Annotation } from '../../src/api/v1alpha1/labels.ts'
import { NODE_OPERATIONS } from '../../src/api/v1alpha1/resources.ts'
import { CLOUD_ANNOTATIONS } from '../../src/providers/simulated/script.ts'
import { DEMO_SIZE, type DemoSize } from '../../src/up/demo-nodes.ts'
import { dyingClient } from '../support/dying-client.ts'
import { HOST_KINDS } from '../support/host-under-test.ts'
import { startNodeLaws } from '../support/node-laws.ts'
import { NAMESPACE, type NodesWorld, startNodesWorld } from '../support/nodes-world.ts'
import { hasKubectl, kubectl } from '../support/run.ts'
import { say } from '../support/say.ts'

const isLong = process.env['KOBE_E2E_LONG'] === '1'
const host = HOST_KINDS.find(({ isReal }) => isReal === (process.env['KOBE_TEST_HOST'] === 'real'))!
const PODS = { web: 5, api: 2, db: 2 }
const SMALL: DemoSize = { control: 3, workers: 3, etcd: 0 }

describe.skipIf(!isLong || !hasKubectl || host.isMissing)(`rollouts of node settings on ${host.name}`, () => {
  let world: NodesWorld
  afterEach(() => world?.[Symbol.asyncDispose]())

  const open = async (size: DemoSize = SMALL, timings = {}): Promise<void> => {
    world = await startNodesWorld({ size, host, timings })
    await world.startOperator()
    await world.settled()
  }

  const marks = async (): Promise<string[]> =>
    (await world.nodes()).flatMap(({ metadata, spec }) => {
      const held = [Annotation.rolloutBootId, Annotation.cordonedBy].filter((name) => metadata.annotations?.[name])
      return held.length > 0 || spec?.unschedulable === true ? [metadata.name ?? ''] : []
    })

  test.each([
    ['stacked etcd', DEMO_SIZE],
    ['an external etcd of 3 machines', { ...DEMO_SIZE, etcd: 3 }],
  ])('%s: all nodes get a new offering, 2 workers at a time, watched over every resourceVersion', async (_, size) => {
    await open(size)
    await world.client.patch(NODES, { name: 'worker-4' }, { type: 'merge', body: { spec: { unschedulable: true } } })
    for (const group of ['workers', 'control', ...(size.etcd > 0 ? ['etcd'] : [])]) {
      await world.want(group, { offering: 'large', rootDiskSizeGB: 40 })
    }
    const laws = await startNodeLaws(world.client, { workers: 2, control: 1, pods: PODS }, NAMESPACE)
    await world.begin('rollout', { maxUnavailable: 2 })
    const { status } = await world.ended('rollout', 170_000)
    await laws.stop()
    const show = await withKubectl((...args) => kubectl(...args), world.kubeconfig)
    say(show)
    say(
      `${laws.counts.events} events; most down at a time: ${JSON.stringify(laws.most)}; order ${laws.order.join(', ')}`,
    )
    expect(status, world.log.join('\n')).toMatchObject({ phase: 'Succeeded', counts: { done: 8 + size.etcd } })
    expect(laws.violations).toEqual([])
    expect(laws.most).toEqual({ workers: 2, control: 1, etcdDown: 1 })
    expect(await marks()).toEqual(['worker-4'])
    const { status: cluster } = await world.cluster()
    expect(cluster).toMatchObject({ state: 'Running' })
    expect(cluster?.lastError).toBeUndefined()
    expect(cluster?.groups?.every(({ outOfDate, unavailable }) => outOfDate === 0 && unavailable === 0)).toBe(true)
    // Control nodes before workers.
    expect(laws.order.slice(0, 3).toSorted()).toEqual(['control-1', 'control-2', 'control-3'])
  })

  test('a budget that never allows an eviction: the drain fails, the node is given back, lastError names pod and budget', async () => {
    await open()
    const budgets = {
      group: 'policy',
      version: 'v1',
      plural: 'poddisruptionbudgets',
      kind: 'PodDisruptionBudget',
      namespaced: true,
    }
    const never = { spec: { maxUnavailable: 0 } }
    await world.client.patch(budgets, { name: 'web', namespace: 'default' }, { type: 'merge', body: never })
    await world.patchCluster({ drain: { timeout: '4s', retryInterval: '1s' } })
    await world.want('workers', { offering: 'large' })
    await world.begin('blocked')
    const { status } = await world.ended('blocked')
    expect(status?.phase).toBe('Failed')
    const { status: cluster } = await world.cluster()
    say(cluster?.lastError ?? '')
    expect(cluster?.lastError).toMatch(/default\/web-\S+ .*PodDisruptionBudget default\/web/)
    expect(cluster?.state).toBe('Running')
    expect(await marks()).toEqual([])
    const preview = world.log.filter((line) => line.includes('DrainPreview'))
    expect(preview.join('\n')).toMatch(
      /would not be drained: ZeroBudget: default\/web-\S+ .*PodDisruptionBudget default\/web/,
    )
  })

  test('a node that never comes back stays cordoned, and the cluster goes to Alert', async () => {
    await open()
    await world.script({ [CLOUD_ANNOTATIONS.neverReturns]: 'worker-1' })
    await world.patchCluster({ nodeTimeout: '15s' })
    await world.want('workers', { offering: 'large' })
    await world.begin('lost')
    const { status } = await world.ended('lost')
    expect(status?.phase).toBe('Failed')
    const { status: cluster } = await world.cluster()
    say(cluster?.lastError ?? '')
    expect(cluster).toMatchObject({ state: 'Alert' })
    expect(cluster?.lastError).toContain('worker-1')
    expect(await marks()).toEqual(['worker-1'])

    say('the machine is repaired: the next rollout takes up what is left')
    await world.script({ [CLOUD_ANNOTATIONS.neverReturns]: null })
    await world.client.patch(
      NODES,
      { name: 'worker-1' },
      { type: 'merge', body: { metadata: { annotations: { 'sim.kobe.kunobi.ninja/never-ready': null } } } },
    )
    await world.patchCluster({ nodeTimeout: '5m' })
    await world.until('worker-1 is Ready', async () =>
      (await world.cluster()).status?.groups?.every(({ unavailable }) => unavailable === 0),
    )
    // From Alert it goes there through Recovering, in which no rollout starts.
    await world.until('the cluster is Running', async () => (await world.cluster()).status?.state === 'Running')
    await world.begin('resumed')
    expect((await world.ended('resumed')).status?.phase, world.log.join('\n')).toBe('Succeeded')
    expect(await marks()).toEqual([])
    expect((await world.cluster()).status?.state).toBe('Running')
  })

  test('no room with the new offering: the old settings are put back, the run ends, the cluster is in Alert', async () => {
    await open()
    await world.script({ [CLOUD_ANNOTATIONS.noRoom]: 'large' })
    await world.want('workers', { offering: 'large' })
    await world.begin('full')
    const { status } = await world.ended('full')
    expect(status?.phase).toBe('Failed')
    const { status: cluster } = await world.cluster()
    say(cluster?.lastError ?? '')
    expect(cluster?.groups?.find(({ name }) => name === 'workers')).toMatchObject({ outOfDate: 3, unavailable: 0 })
    expect(await marks()).toEqual([])
  })

  test('a cancel takes effect between two batches; a later rollout does the rest', async () => {
    await open()
    await world.want('workers', { offering: 'large' })
    await world.begin('cancelled', { maxUnavailable: 1 })
    const ref = { name: 'cancelled', namespace: NAMESPACE }
    await world.until('one node is done', async () => ((await world.cluster()).status?.operation?.done ?? 0) >= 1)
    await world.client.patch(NODE_OPERATIONS, ref, { type: 'merge', body: { spec: { cancel: true } } })
    const { status } = await world.ended('cancelled')
    expect(status?.phase).toBe('Cancelled')
    const left = (await world.cluster()).status?.groups?.find(({ name }) => name === 'workers')?.outOfDate ?? 0
    say(`cancelled with ${left} workers left`)
    expect(left).toBeGreaterThan(0)
    expect(await marks()).toEqual([])
    await world.begin('rest')
    expect((await world.ended('rest')).status).toMatchObject({ phase: 'Succeeded', counts: { done: left } })
  })

  test('of two rollouts at once exactly one takes the cluster, and the other names it', async () => {
    await open()
    await world.want('workers', { offering: 'large' })
    await Promise.all([world.begin('one'), world.begin('two')])
    const ended = [await world.ended('one', 120_000), await world.ended('two')]
    const [won] = ended.filter(({ status }) => status?.phase === 'Succeeded')
    const [lost] = ended.filter(({ status }) => status?.phase === 'Failed')
    say(lost?.status?.message ?? '')
    expect(lost?.status?.message).toContain(`operation ${won?.metadata.name} (Rollout) holds the cluster`)
  })

  test('another node that fails in mid-run pauses it; it goes on when the node is back', async () => {
    await open(SMALL, { nodeGraceMs: 5_000 })
    await world.want('workers', { offering: 'large' })
    await world.script({ [CLOUD_ANNOTATIONS.startTime]: '1s' })
    await world.begin('paused', { maxUnavailable: 1 })
    await world.until('one node is done', async () => ((await world.cluster()).status?.operation?.done ?? 0) >= 1)
    const power = (value: string) =>
      world.client.patch(
        NODES,
        { name: 'control-2' },
        { type: 'merge', body: { metadata: { annotations: { 'sim.kobe.kunobi.ninja/power': value } } } },
      )
    await power('off')
    const message = await world.until('it says that it waits', async () => {
      const { status } = await world.operation('paused')
      return status?.message?.includes('control-2') && status.message
    })
    say(message)
    await power('on')
    expect((await world.ended('paused', 120_000)).status?.phase).toBe('Succeeded')
  })

  test.each([
    ['once its write was applied', 'applied' as const],
    ['before its write was sent', 'lost' as const],
  ])(
    'the operator dies at each of 20 points, %s: the next one goes on, and the end is the same',
    async (_, fate) => {
      world = await startNodesWorld({ size: SMALL, host })
      const first = await world.startOperator()
      await world.settled()
      await first.stop()
      await world.want('workers', { offering: 'large' })
      await world.want('control', { offering: 'large' })
      const laws = await startNodeLaws(world.client, { workers: 2, control: 1, pods: PODS }, NAMESPACE)
      await world.begin('mortal')
      let deaths = 0
      while (deaths < 20) {
        const died = Promise.withResolvers<void>()
        const operator = await world.startOperator((client) =>
          dyingClient(client, { writes: 2, fate, died: died.resolve }),
        )
        const over = world.ended('mortal', 120_000).then(() => 'over')
        const what = await Promise.race([died.promise, over])
        await operator.stop()
        if (what === 'over') break
        deaths += 1
      }
      say(`${deaths} deaths`)
      expect(deaths).toBe(20)
      await world.startOperator()
      const { status } = await world.ended('mortal', 150_000)
      await laws.stop()
      expect(status).toMatchObject({ phase: 'Succeeded', counts: { outOfDate: 0 } })
      expect(laws.violations).toEqual([])
      expect(await marks()).toEqual([])
      expect((await world.cluster()).status).toMatchObject({ state: 'Running' })
    },
    300_000,
  )

  test('stop and start of a whole cluster', async () => {
    await open()
    await world.begin('stop', { type: 'Stop' })
    expect((await world.ended('stop')).status?.phase, world.log.join('\n')).toBe('Succeeded')
    expect((await world.cluster()).status?.state).toBe('Stopped')
    await world.begin('start', { type: 'Start' })
    expect((await world.ended('start')).status?.phase).toBe('Succeeded')
    expect((await world.cluster()).status?.state).toBe('Running')
  })
})

async function withKubectl(call: typeof kubectl, kubeconfig: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'kobe-nodes-'))
  const path = join(dir, 'kubeconfig')
  await writeFile(path, kubeconfig, { mode: 0o600 })
  try {
    return await call(path, ['-n', NAMESPACE, 'get', 'managedcluster,nodeoperation,nodes'])
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

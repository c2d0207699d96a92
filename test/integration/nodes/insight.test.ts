import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DISRUPTION_BUDGETS, DRAIN_PODS } from '../../../src/controllers/node-operation/drain/kinds.ts'
import { CLOUD_ANNOTATIONS } from '../../../src/providers/simulated/script.ts'
import { type NodesOperator, type NodesWorld, startNodesWorld } from '../../support/nodes-world.ts'

describe('what is asked about a cluster', () => {
  let world: NodesWorld
  let operator: NodesOperator
  beforeAll(async () => {
    world = await startNodesWorld()
    operator = await world.startOperator()
    await world.settled()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const plan = async (request: Parameters<NodesOperator['insight']['plan']>[1]) =>
    await operator.insight.plan(await world.cluster(), request)
  const check = async (settings: object, rollout = true) => {
    const { refusals: found } = await operator.insight.judgeSettings(await world.cluster(), {
      settings: { workers: settings },
      rollout,
    })
    return found.map(({ reason, group, message }) => `${reason} ${group}: ${message}`)
  }
  const evictable = async () => {
    const [pods, budgets] = await Promise.all([world.client.list(DRAIN_PODS), world.client.list(DISRUPTION_BUDGETS)])
    return {
      pods: pods.items.map(({ metadata }) => [metadata.uid, metadata.deletionTimestamp, metadata.resourceVersion]),
      budgets: budgets.items.map(({ metadata, status }) => [metadata.name, metadata.resourceVersion, status]),
    }
  }

  test('a plan tells the batches, and tries the evictions without carrying out any', async () => {
    const before = await evictable()
    const { batches, groups, refused, notes, totalNodes } = await plan({ settings: { worker: { offering: 'large' } } })
    expect(refused).toBeUndefined()
    expect(totalNodes).toBe(5)
    expect(batches.map(({ nodes }) => nodes.map(({ name }) => name))).toEqual([
      ['worker-1', 'worker-2'],
      ['worker-3', 'worker-4'],
      ['worker-5'],
    ])
    expect(batches[0]?.nodes[0]?.reasons).toEqual(['offering small, wanted large'])
    expect(groups.map(({ name, nodes, outOfDate }) => [name, nodes, outOfDate])).toEqual([
      ['control', 3, 0],
      ['workers', 5, 5],
    ])
    expect(notes.map(({ message }) => message)).toContain(
      '12 of 12 evictions were tried on the API server without carrying them out: 0 would be refused now',
    )
    expect(await evictable()).toEqual(before)
  })

  test('a budget that allows nothing is found with the node whose drain it would fail', async () => {
    const never = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'never', namespace: 'default' },
      spec: { selector: { matchLabels: { app: 'db' } }, maxUnavailable: 0 },
    }
    const db = await world.client.list(DRAIN_PODS, { namespace: 'default', labelSelector: 'app=db' })
    await world.client.delete(DISRUPTION_BUDGETS, { name: 'db', namespace: 'default' })
    await world.client.create(DISRUPTION_BUDGETS, never)
    await world.until('the plan has found it', async () => {
      const { batches, notes } = await plan({ settings: { worker: { offering: 'large' } } })
      const found = batches.flatMap(({ nodes }) =>
        nodes.flatMap(({ name, findings }) => findings.map((one) => ({ name, ...one }))),
      )
      const zero = found.filter(({ kind }) => kind === 'ZeroBudget')
      const tried = notes.some(({ message }) => message.endsWith(`${db.items.length} would be refused now`))
      return (
        tried &&
        zero.length === db.items.length &&
        zero.every(({ blocks, budgets }) => blocks && budgets[0] === 'default/never')
      )
    })
    await world.client.delete(DISRUPTION_BUDGETS, { name: 'never', namespace: 'default' })
  })

  test('settings are refused with all reasons; what only existing disks cannot have may be stored', async () => {
    await world.script({ [CLOUD_ANNOTATIONS.fixedDisks]: 'small' })
    expect(await check({ rootDiskSizeGB: 40 })).toEqual([
      'SettingsRefused workers: group workers: rootDiskSizeGB: the disk of offering small has a fixed size',
    ])
    expect(await check({ rootDiskSizeGB: 20 })).toEqual([])
    expect(await check({ rootDiskSizeGB: 40 }, false)).toEqual([])
    await world.script({ [CLOUD_ANNOTATIONS.fixedDisks]: null })
    expect(await check({ rootDiskSizeGB: 10 })).toEqual([
      'SettingsRefused workers: group workers: the disk of worker-1 has 20 GB and cannot shrink to 10 GB: want 20 GB or more',
    ])
    expect(await check({ rootDiskSizeGB: 10 }, false)).toEqual([])
    await world.script({ [CLOUD_ANNOTATIONS.unavailable]: 'true' })
    const { refusals } = await operator.insight.judgeSettings(await world.cluster(), { settings: {}, rollout: true })
    expect(refusals).toMatchObject([{ reason: 'NoData', temporary: true }])
    await world.script({ [CLOUD_ANNOTATIONS.unavailable]: null })
  })

  test('what a group has is recorded when the first settings are stored in a cluster that had none', async () => {
    await world.script({ [CLOUD_ANNOTATIONS.clusterOffering]: 'small' })
    const cluster = await world.cluster()
    const nodeGroups = cluster.spec.nodeGroups.map((group) => ({ ...group, settings: {} }))
    const bare = { ...cluster, spec: { ...cluster.spec, nodeGroups } }
    const asked = { worker: { offering: 'large' } }
    const stored = await operator.insight.judgeSettings(bare, { settings: asked, rollout: false })
    expect(stored.nodeGroups.map(({ name, settings }) => [name, settings])).toEqual([
      ['control', { offering: 'small', affinityGroups: [] }],
      ['workers', { offering: 'large', affinityGroups: [] }],
    ])
    const { groups } = await operator.insight.plan(bare, { settings: asked })
    expect(groups.map(({ name, outOfDate }) => [name, outOfDate])).toEqual([
      ['control', 0],
      ['workers', 5],
    ])
    await world.script({ [CLOUD_ANNOTATIONS.clusterOffering]: null })
  })

  test('an operation that somebody made by hand is refused before it takes the cluster', async () => {
    await world.until('the cluster is Running', async () => (await world.cluster()).status?.state === 'Running')
    await world.want('workers', { offering: 'large', rootDiskSizeGB: 10 })
    await world.begin('by-hand')
    const ended = await world.ended('by-hand')
    expect(ended.status?.phase).toBe('Failed')
    expect(ended.status?.message).toContain('cannot shrink to 10 GB')
    const { status } = await world.cluster()
    expect(status).toMatchObject({ state: 'Running' })
    expect(status?.lastOperation).toBeUndefined()
    expect((await world.nodes()).every(({ spec }) => spec?.unschedulable !== true)).toBe(true)
  })
})

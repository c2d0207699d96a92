import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CONFIG_MAPS } from '../../../src/api/core-resources.ts'
import { MANAGED_CLUSTERS, NODE_OPERATIONS } from '../../../src/api/v1alpha1/resources.ts'
import type { KubeClient } from '../../../src/kube/client.ts'
import { isKubeError, KubeError } from '../../../src/kube/errors.ts'
import { CLOUD_ANNOTATIONS } from '../../../src/providers/simulated/script.ts'
import { DEMO_CLUSTER, DEMO_CONFIG_MAP } from '../../../src/up/demo-nodes.ts'
import { NAMESPACE, type NodesWorld, startNodesWorld } from '../../support/nodes-world.ts'

/** The cluster is deleted, and nobody hears of it. */
const losingTheLastAnswer = (client: KubeClient): KubeClient => ({
  ...client,
  delete: async (type, ...args) => {
    const answer = await client.delete(type, ...args)
    if (type.plural === MANAGED_CLUSTERS.plural) throw new KubeError('Unreachable', 'the answer is lost')
    return answer
  },
})

describe('a destroy', () => {
  let world: NodesWorld
  beforeAll(async () => {
    world = await startNodesWorld({ size: { control: 3, workers: 2, etcd: 3 } })
    await world.startOperator(losingTheLastAnswer)
    await world.until('the cluster is Running', async () => (await world.cluster()).status?.state === 'Running')
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const machines = async () => {
    const { data = {} } = await world.client.get(CONFIG_MAPS, { name: DEMO_CONFIG_MAP, namespace: NAMESPACE })
    return Object.keys(data).toSorted()
  }
  const ended = (name: string) =>
    world.until(`${name} has ended and holds nothing`, async () => {
      const operation = await world.operation(name)
      return (
        (operation.metadata.finalizers ?? []).length === 0 && operation.status?.finishedAt !== undefined && operation
      )
    })

  test('one that is cancelled leaves the cluster Destroying; whatever else is asked of it is refused', async () => {
    await world.script({ [CLOUD_ANNOTATIONS.stuck]: 'control-1' })
    await world.begin('first', { type: 'Destroy' })
    await world.until('it has come to the control nodes', async () => (await machines()).length === 4)
    const of = { name: 'first', namespace: NAMESPACE }
    await world.client.patch(NODE_OPERATIONS, of, { type: 'merge', body: { spec: { cancel: true } } })
    expect((await ended('first')).status).toMatchObject({ phase: 'Cancelled' })
    expect((await world.cluster()).status).toMatchObject({ state: 'Destroying' })
    await world.begin('roll', { type: 'Rollout' })
    expect((await ended('roll')).status).toMatchObject({
      phase: 'Failed',
      message: 'the cluster is Destroying; an operation of type Rollout starts from Running, Alert',
    })
  })

  test('a second one goes on where the first stopped, and takes the cluster and its history with it, though the last answer is lost', async () => {
    await world.script({ [CLOUD_ANNOTATIONS.stuck]: null })
    await world.begin('second', { type: 'Destroy' })
    const { status } = await ended('second')
    expect(status).toMatchObject({ phase: 'Succeeded', message: 'all machines are gone' })
    expect(await machines()).toEqual([])
    expect(await world.nodes()).toEqual([])
    await expect(world.client.get(MANAGED_CLUSTERS, { name: DEMO_CLUSTER, namespace: NAMESPACE })).rejects.toSatisfy(
      (error: unknown) => isKubeError(error, 'NotFound'),
    )
    const { items } = await world.client.list(NODE_OPERATIONS, { namespace: NAMESPACE })
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['second'])
  })
})

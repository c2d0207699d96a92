import { expect, it } from 'vitest'
import { createMemoryKube } from '../../test/support/memory-kube.ts'
import { CONFIG_MAPS } from '../api/core-resources.ts'
import { MANAGED_CLUSTERS } from '../api/v1alpha1/resources.ts'
import { DEMO_CLUSTER, DEMO_CONFIG_MAP, seedDemo } from './demo-nodes.ts'

const NAMESPACE = 'kobe-system'
const MACHINES = { name: DEMO_CONFIG_MAP, namespace: NAMESPACE }
const CLUSTER = { name: DEMO_CLUSTER, namespace: NAMESPACE }

it('leaves a cluster that is there as it is, and makes a destroyed one anew with its machines', async () => {
  const kube = createMemoryKube()
  const machines = async () => (await kube.get(CONFIG_MAPS, MACHINES)).data
  await seedDemo(kube, NAMESPACE)
  const whole = await machines()
  expect(Object.keys(whole ?? {})).toHaveLength(8)
  const only = { 'worker-1': whole?.['worker-1'] ?? '' }
  await kube.replace(CONFIG_MAPS, { ...(await kube.get(CONFIG_MAPS, MACHINES)), data: only })
  await seedDemo(kube, NAMESPACE)
  expect(await machines()).toEqual(only)
  await kube.delete(MANAGED_CLUSTERS, CLUSTER)
  await seedDemo(kube, NAMESPACE)
  expect(await machines()).toEqual(whole)
  expect((await kube.get(MANAGED_CLUSTERS, CLUSTER)).spec.nodeGroups).toHaveLength(2)
})

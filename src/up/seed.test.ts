import { expect, it } from 'vitest'
import { createMemoryKube } from '../../test/support/memory-kube.ts'
import { CLUSTER_VERBS } from '../api/v1alpha1/access-policy.ts'
import { ACCESS_POLICIES } from '../api/v1alpha1/resources.ts'
import { ensureLocalAdmin } from './seed.ts'

const NAMESPACE = 'kobe-system'
const ref = { name: 'local-admin', namespace: NAMESPACE }
const ALL = [{ names: ['*'], verbs: [...CLUSTER_VERBS] }]

it('lets the local admin do everything, and keeps its token over restarts', async () => {
  const kube = createMemoryKube()
  const token = await ensureLocalAdmin(kube, NAMESPACE)
  expect((await kube.get(ACCESS_POLICIES, ref)).spec.rules).toMatchObject([{ pools: ['*'], clusters: ALL }])
  expect(await ensureLocalAdmin(kube, NAMESPACE)).toBe(token)
})

it('gives a policy of an earlier version the clusters, and leaves alone what somebody wrote there', async () => {
  const kube = createMemoryKube()
  await ensureLocalAdmin(kube, NAMESPACE)
  const rule = { pools: ['ci-*'], maxTtl: '1h', maxConcurrentLeases: 3, maxExtensions: 2 }
  const write = (rules: object[]) => kube.patch(ACCESS_POLICIES, ref, { type: 'merge', body: { spec: { rules } } })
  await write([rule])
  await ensureLocalAdmin(kube, NAMESPACE)
  expect((await kube.get(ACCESS_POLICIES, ref)).spec.rules).toEqual([{ ...rule, clusters: ALL }])
  await write([{ ...rule, clusters: [] }])
  await ensureLocalAdmin(kube, NAMESPACE)
  expect((await kube.get(ACCESS_POLICIES, ref)).spec.rules).toEqual([{ ...rule, clusters: [] }])
})

import { describe, expect, it } from 'vitest'
import { createHealthWorld, type HealthWorld, HOLDER, NAMESPACE } from '../../../../test/support/health-world.ts'
import { Annotation } from '../../../api/v1alpha1/labels.ts'
import { NODE_OPERATIONS } from '../../../api/v1alpha1/resources.ts'
import { aMember } from '../../../core/testing/node-builders.ts'
import type { WorkloadPod } from '../workload-kinds.ts'

const CHECK = { name: 'apps', type: 'workloads' as const }
const meta = (name: string, labels: Record<string, string> = {}) => ({
  name,
  namespace: 'default',
  generation: 1,
  labels,
})

/** Of the Deployment `web`, unless another owner is named. */
function pod(name: string, what: 'Pending' | 'Crash' | 'Running', over: Partial<WorkloadPod> = {}): WorkloadPod {
  const waiting = { name: 'x', ready: false, restartCount: 3, state: { waiting: { reason: 'CrashLoopBackOff' } } }
  return {
    metadata: {
      ...meta(name, { app: 'web', 'pod-template-hash': 'abc' }),
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-abc', uid: 'r', controller: true }],
    },
    spec: what === 'Pending' ? {} : { nodeName: 'w1' },
    status: { phase: what === 'Pending' ? 'Pending' : 'Running', containerStatuses: what === 'Crash' ? [waiting] : [] },
    ...over,
  }
}

const deployment = (available: string, labels = {}) => ({
  metadata: meta('web', labels),
  status: { observedGeneration: 1, conditions: [{ type: 'Available', status: available }] },
})
const statefulSet = (availableReplicas: number) => ({
  metadata: meta('db'),
  spec: { replicas: 3 },
  status: { observedGeneration: 1, availableReplicas },
})
const daemonSet = (numberAvailable: number) => ({
  metadata: meta('agent'),
  status: { observedGeneration: 1, desiredNumberScheduled: 2, numberAvailable },
})

async function run(world: HealthWorld): Promise<void> {
  await world.kube.create(NODE_OPERATIONS, {
    metadata: { name: HOLDER.name, namespace: NAMESPACE },
    spec: {} as never,
  })
  world.holder = HOLDER
}

/** What the check says of the objects, at the next try. */
async function told(
  world: HealthWorld,
  plural: string,
  objects: readonly object[],
  check: object = {},
): Promise<string> {
  world.objects.set(plural, [...objects] as never)
  await world.clock.advance(5_000)
  return (await world.settled({ ...CHECK, ...check })).message
}

describe('workloads', () => {
  it.each<[string, string, object, string]>([
    ['a Deployment that is available', 'deployments', deployment('True'), 'well'],
    ['one that is not', 'deployments', deployment('False'), '1 workloads not available: Deployment default/web'],
    [
      'one whose controller is behind',
      'deployments',
      { ...deployment('True'), metadata: { ...meta('web'), generation: 2 } },
      '1 workloads not available: Deployment default/web',
    ],
    ['a StatefulSet with all pods', 'statefulsets', statefulSet(3), 'well'],
    ['one without', 'statefulsets', statefulSet(2), '1 workloads not available: StatefulSet default/db'],
    ['a DaemonSet on all nodes', 'daemonsets', daemonSet(2), 'well'],
    ['one with a gap', 'daemonsets', daemonSet(1), '1 workloads not available: DaemonSet default/agent'],
  ])('%s', async (_, plural, object, message) => {
    expect(await told(createHealthWorld(), plural, [object])).toBe(message)
  })

  it('a DaemonSet has no pod on a node that is down', async () => {
    const world = createHealthWorld()
    world.members = [aMember('w1'), aMember('w2', { machine: { state: 'Stopped' }, node: { ready: false } })]
    expect(await told(world, 'daemonsets', [daemonSet(1)])).toBe('well')
  })

  it('only what is selected counts', async () => {
    const world = createHealthWorld()
    const down = [deployment('False', { tier: 'test' })]
    expect(await told(world, 'deployments', down, { workloads: { namespaces: ['shop'] } })).toBe('well')
    expect(await told(world, 'deployments', down, { workloads: { matchLabels: { tier: 'front' } } })).toBe('well')
    expect(await told(world, 'deployments', down, { workloads: { matchLabels: { tier: 'test' } } })).not.toBe('well')
  })

  it('pods that crash or find no place are compared with those before the run, by workload', async () => {
    const world = createHealthWorld()
    await run(world)
    expect(await told(world, 'pods', [pod('a', 'Crash'), pod('b', 'Running')])).toBe('well')
    // The same trouble under another name: its node was drained.
    expect(await told(world, 'pods', [pod('c', 'Pending'), pod('b', 'Running')])).toBe('well')
    expect(await told(world, 'pods', [pod('c', 'Crash'), pod('b', 'Pending')])).toBe(
      '1 workloads have pods that crash or are Pending: Deployment default/web (2, 1 before the run)',
    )
  })

  it('an operator that takes over knows what was before the run', async () => {
    const first = createHealthWorld()
    await run(first)
    await told(first, 'pods', [])
    const { metadata } = await first.kube.get(NODE_OPERATIONS, { name: HOLDER.name, namespace: NAMESPACE })
    expect(metadata.annotations).toEqual({ [Annotation.troubledBefore]: '{}' })
    const second = createHealthWorld()
    await second.kube.create(NODE_OPERATIONS, { metadata: { ...metadata }, spec: {} as never })
    second.holder = HOLDER
    expect(await told(second, 'pods', [pod('a', 'Crash')])).toMatch(/web \(1, 0 before the run\)$/)
  })

  it.each<[string, WorkloadPod]>([
    ['that ends', pod('a', 'Crash', { metadata: { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z' } })],
    ['on a node that is down', pod('a', 'Crash', { spec: { nodeName: 'w9' } })],
    ['of a Job of ours', pod('a', 'Pending', { metadata: meta('a', { 'kobe.kunobi.ninja/health-check': 'x' }) })],
  ])('a pod %s is not judged', async (_, one) => {
    const world = createHealthWorld()
    await run(world)
    await told(world, 'pods', [])
    expect(await told(world, 'pods', [one])).toBe('well')
  })

  it('no data is unhealthy', async () => {
    const world = createHealthWorld()
    world.session = { ...world.session!, workloads: () => undefined }
    expect((await world.settled(CHECK)).message).toBe('the workloads have not been read yet')
    await world.clock.advance(5_000)
    world.session = undefined
    expect((await world.settled(CHECK)).message).toBe('the workloads could not be read')
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HostUnderTest } from '../../support/host-under-test.ts'
import { daemonSet, statefulSet } from './manifests.ts'
import { HOSTS, isPodReady, type Sim, startSim } from './sim.ts'

describe.each(HOSTS)('workloads in a simulated world, with a real kubectl, on $name', (kind) => {
  const { isMissing } = kind
  let host: HostUnderTest
  let sim: Sim
  beforeAll(async () => {
    if (isMissing) return
    host = await kind.start()
    sim = await startSim(host, { nodes: 3 })
  })
  afterAll(async () => {
    await sim?.[Symbol.asyncDispose]()
    await host?.stop()
    expect(sim?.errors ?? []).toEqual([])
  })

  it.skipIf(isMissing)('nodes become Ready', async () => {
    await sim.kubectl('wait', '--for=condition=Ready', 'node', '--all', '--timeout=10s')
    const { items } = await sim.get('nodes')
    expect(items.map((node: { metadata: { name: string } }) => node.metadata.name)).toEqual(['sim-1', 'sim-2', 'sim-3'])
  })

  it.skipIf(isMissing)('a Deployment rolls out, scales, rolls on, back, and restarts', async () => {
    await sim.kubectl('create', 'deployment', 'web', '--image=web:1', '--replicas=3')
    await sim.kubectl('rollout', 'status', 'deployment/web', '--timeout=20s')
    const pods = await sim.pods('app=web')
    expect(pods).toHaveLength(3)
    expect(new Set(pods.map((pod) => pod.spec.nodeName)).size).toBe(3)
    expect(pods.every(isPodReady)).toBe(true)

    await sim.kubectl('scale', 'deployment/web', '--replicas=5')
    await sim.kubectl('rollout', 'status', 'deployment/web', '--timeout=20s')
    expect(await sim.pods('app=web')).toHaveLength(5)

    await sim.kubectl('set', 'image', 'deployment/web', 'web=web:2')
    await sim.kubectl('rollout', 'status', 'deployment/web', '--timeout=20s')
    const images = async () => new Set((await sim.pods('app=web')).map((pod) => pod.spec.containers[0]?.image))
    await sim.until('only new pods', async () => (await images()).size === 1)
    expect([...(await images())]).toEqual(['web:2'])

    await sim.kubectl('rollout', 'undo', 'deployment/web')
    await sim.kubectl('rollout', 'status', 'deployment/web', '--timeout=20s')
    await sim.until('only old pods', async () => [...(await images())].join() === 'web:1')
    const history = await sim.kubectl('rollout', 'history', 'deployment/web')
    expect(history).toMatch(/\n2 [\s\S]*\n3 /)

    await sim.kubectl('rollout', 'restart', 'deployment/web')
    await sim.kubectl('rollout', 'status', 'deployment/web', '--timeout=20s')
    const { items } = await sim.get('replicasets', '-l', 'app=web')
    expect(items).toHaveLength(3)
  })

  it.skipIf(isMissing)('a Service gets the addresses of the pods that are ready', async () => {
    await sim.kubectl('expose', 'deployment/web', '--port=80')
    const slice = await sim.until('five endpoints', async () => {
      const { items } = await sim.get('endpointslices', '-l', 'kubernetes.io/service-name=web')
      return items[0]?.endpoints?.length === 5 && items[0]
    })
    expect(slice.ports).toMatchObject([{ port: 80, protocol: 'TCP' }])
    expect(slice.endpoints.every((one: { conditions: { ready: boolean } }) => one.conditions.ready)).toBe(true)
  })

  it.skipIf(isMissing)('a StatefulSet starts in order under stable names, rolls from the top, and undoes', async () => {
    await sim.apply(statefulSet('db', 3))
    await sim.kubectl('rollout', 'status', 'statefulset/db', '--timeout=20s')
    const first = await sim.pods('app=db')
    expect(first.map(({ metadata }) => metadata.name)).toEqual(['db-0', 'db-1', 'db-2'])
    const created = first.map(({ metadata }) => metadata.creationTimestamp ?? '')
    expect(created.toSorted()).toEqual(created)

    await sim.kubectl('set', 'image', 'statefulset/db', 'main=db:2')
    await sim.kubectl('rollout', 'status', 'statefulset/db', '--timeout=20s')
    expect((await sim.pods('app=db')).map((pod) => pod.spec.containers[0]?.image)).toEqual(['db:2', 'db:2', 'db:2'])

    await sim.kubectl('rollout', 'undo', 'statefulset/db')
    await sim.kubectl('rollout', 'status', 'statefulset/db', '--timeout=20s')
    expect((await sim.pods('app=db')).map((pod) => pod.spec.containers[0]?.image)).toEqual(['db:1', 'db:1', 'db:1'])
    const claims = await sim.get('persistentvolumeclaims')
    expect(claims.items.map((claim: { metadata: { name: string } }) => claim.metadata.name)).toEqual([
      'data-db-0',
      'data-db-1',
      'data-db-2',
    ])
  })

  it.skipIf(isMissing)('a DaemonSet runs once on every node and rolls', async () => {
    await sim.apply(daemonSet('agent'))
    await sim.kubectl('rollout', 'status', 'daemonset/agent', '--timeout=20s')
    const pods = await sim.pods('app=agent')
    expect(pods.map((pod) => pod.spec.nodeName).toSorted()).toEqual(['sim-1', 'sim-2', 'sim-3'])
    await sim.kubectl('set', 'image', 'daemonset/agent', 'main=agent:2')
    await sim.kubectl('rollout', 'status', 'daemonset/agent', '--timeout=20s')
    const images = (await sim.pods('app=agent')).map((pod) => pod.spec.containers[0]?.image)
    expect(images).toEqual(['agent:2', 'agent:2', 'agent:2'])
  })

  it.skipIf(isMissing)('a Job completes, and one whose pods fail gives up', async () => {
    await sim.kubectl('create', 'job', 'once', '--image=work:1')
    await sim.kubectl('wait', '--for=condition=Complete', 'job/once', '--timeout=10s')
    await sim.apply({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'never' },
      spec: {
        backoffLimit: 0,
        template: {
          metadata: { annotations: { 'sim.kobe.kunobi.ninja/crash-after': '50ms' } },
          spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'work:1' }] },
        },
      },
    })
    await sim.kubectl('wait', '--for=condition=Failed', 'job/never', '--timeout=10s')
    const job = await sim.get('job', 'never')
    expect(job.status).toMatchObject({ failed: 1 })
  })

  it.skipIf(isMissing)('a pod that fits nowhere says why, and is placed when there is room', async () => {
    await sim.kubectl('cordon', 'sim-1')
    await sim.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'big' },
      spec: { containers: [{ name: 'main', image: 'big:1', resources: { requests: { cpu: '6' } } }] },
    })
    const condition = await sim.until('the condition', async () => {
      const { status } = await sim.get('pod', 'big')
      return status.conditions?.find((one: { type: string }) => one.type === 'PodScheduled')
    })
    expect(condition).toMatchObject({ status: 'False', reason: 'Unschedulable' })
    expect(condition.message).toMatch(
      /^0\/3 nodes are available: 1 node\(s\) were unschedulable, 2 Insufficient cpu\. /,
    )
    await sim.world.addNode({ name: 'sim-big', capacity: { cpu: '8' } })
    await sim.kubectl('wait', '--for=condition=Ready', 'pod/big', '--timeout=10s')
    expect((await sim.get('pod', 'big')).spec.nodeName).toBe('sim-big')
    await sim.kubectl('uncordon', 'sim-1')
  })

  it.skipIf(isMissing)('a crashing pod is restarted with growing waits', async () => {
    await sim.kubectl('run', 'crash', '--image=crash:1', '--annotations=sim.kobe.kunobi.ninja/crash-after=50ms')
    const pod = await sim.until('two restarts', async () => {
      const one = await sim.get('pod', 'crash')
      return one.status.containerStatuses?.[0]?.restartCount >= 2 && one
    })
    expect(pod.status.containerStatuses[0].lastState.terminated.exitCode).toBe(1)
  })
})

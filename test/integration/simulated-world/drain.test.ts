import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HostUnderTest } from '../../support/host-under-test.ts'
import { daemonSet, deployment, statefulSet } from './manifests.ts'
import { HOSTS, isPodReady, type Sim, startSim } from './sim.ts'

describe.each(HOSTS)('kubectl drain in a simulated world, on $name', (kind) => {
  const { isMissing } = kind
  let host: HostUnderTest
  let sim: Sim
  beforeAll(async () => {
    if (isMissing) return
    host = await kind.start()
    sim = await startSim(host, {
      nodes: [{ name: 'sim-1' }, { name: 'sim-2' }, { name: 'sim-3', staticPods: ['proxy'] }],
      timings: { readyDelayMs: 800 },
    })
    await sim.kubectl('wait', '--for=condition=Ready', 'node', '--all', '--timeout=10s')
  })
  afterAll(async () => {
    await sim?.[Symbol.asyncDispose]()
    await host?.stop()
    expect(sim?.errors ?? []).toEqual([])
  })

  const podsOn = async (node: string) =>
    (await sim.get('pods', '-A', '--field-selector', `spec.nodeName=${node}`)).items.map(
      (pod: { metadata: { name: string } }) => pod.metadata.name as string,
    )

  it.skipIf(isMissing)(
    'waits on the budget, moves the pods, leaves daemons and static pods, and they are Ready elsewhere',
    async () => {
      await sim.apply(
        deployment('web', 6),
        statefulSet('db', 3),
        daemonSet('agent'),
        budget('web', { minAvailable: 5 }),
        budget('db', { maxUnavailable: 1 }),
      )
      for (const what of ['deployment/web', 'statefulset/db', 'daemonset/agent']) {
        await sim.kubectl('rollout', 'status', what, '--timeout=20s')
      }
      const status = await sim.until('budgets that allow', async () => {
        const { status: seen } = await sim.get('pdb', 'web')
        return seen?.disruptionsAllowed === 1 && seen
      })
      expect(status).toMatchObject({ expectedPods: 6, desiredHealthy: 5, currentHealthy: 6, disruptionsAllowed: 1 })

      const node = 'sim-3'
      const before = await podsOn(node)
      expect(before.filter((name: string) => name.startsWith('web'))).toHaveLength(2)
      let lowest = Number.POSITIVE_INFINITY
      const watching = new AbortController()
      const watch = watchReady(sim, watching.signal, (ready) => {
        lowest = Math.min(lowest, ready)
      })
      const drained = await sim.tryKubectl('drain', node, '--ignore-daemonsets', '--timeout=40s')
      watching.abort()
      await watch
      expect(drained).toMatchObject({ code: 0 })
      // The second pod had to wait until the first was Ready elsewhere.
      expect(drained.stderr).toContain('will retry after 5s')
      expect(lowest).toBeGreaterThanOrEqual(5)

      const left = await podsOn(node)
      expect(left.map((name: string) => name.replace(/-[^-]+$/, '')).toSorted()).toEqual(['agent', 'proxy-sim'])
      await sim.kubectl('rollout', 'status', 'deployment/web', '--timeout=20s')
      await sim.kubectl('rollout', 'status', 'statefulset/db', '--timeout=20s')
      const pods = await sim.pods('app in (web, db)')
      expect(pods).toHaveLength(9)
      expect(pods.every(isPodReady)).toBe(true)
      expect(pods.some((pod) => pod.spec.nodeName === node)).toBe(false)

      await sim.kubectl('uncordon', node)
      const { spec } = await sim.get('node', node)
      expect(spec.unschedulable).toBeUndefined()
      await sim.until('no taint', async () => (await sim.get('node', node)).spec.taints === undefined)
    },
  )

  it.skipIf(isMissing)('does not end while a budget allows nothing', async () => {
    await sim.apply(deployment('tight', 2), budget('tight', { minAvailable: '100%' }))
    await sim.kubectl('rollout', 'status', 'deployment/tight', '--timeout=20s')
    await sim.until('a budget of nothing', async () => {
      const { status } = await sim.get('pdb', 'tight')
      return status?.expectedPods === 2 && status.currentHealthy === 2 && status.disruptionsAllowed === 0
    })
    const [pod] = await sim.pods('app=tight')
    const node = pod?.spec.nodeName ?? ''
    const drained = await sim.tryKubectl(
      'drain',
      node,
      '--ignore-daemonsets',
      '--pod-selector=app=tight',
      '--timeout=3s',
    )
    expect(drained.code).not.toBe(0)
    expect(drained.stderr).toContain("Cannot evict pod as it would violate the pod's disruption budget")
    expect((await sim.pods('app=tight')).every(isPodReady)).toBe(true)
    await sim.kubectl('uncordon', node)
  })

  it.skipIf(isMissing)(
    'a pod that is not Ready may go when its budget is met without it, or does not mind',
    async () => {
      const never = { annotations: { 'sim.kobe.kunobi.ninja/never-ready': 'true' } }
      const extra = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'extra', labels: { app: 'spare' }, ...never },
        spec: { containers: [{ name: 'main', image: 'x' }] },
      }
      await sim.apply(deployment('sick', 1, never), deployment('lost', 1, never), deployment('spare', 2), extra)
      await sim.kubectl('rollout', 'status', 'deployment/spare', '--timeout=20s')
      await sim.apply(
        budget('sick', { minAvailable: 1 }),
        budget('lost', { minAvailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' }),
        budget('spare', { minAvailable: 2 }),
      )
      const evict = async (name: string, healthy: number) => {
        const pod = await sim.until('a pod that runs and is not ready', async () => {
          const one = (await sim.pods(`app=${name}`)).find((other) => !isPodReady(other))
          return one?.status?.phase === 'Running' && one.metadata.name
        })
        await sim.until('a budget that knows its pods', async () => {
          const { status } = await sim.get('pdb', name)
          return (
            status?.observedGeneration === 1 && status.currentHealthy === healthy && status.disruptionsAllowed === 0
          )
        })
        const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod } }
        return await sim.client.raw('POST', `/api/v1/namespaces/default/pods/${pod}/eviction`, body)
      }
      await expect(evict('sick', 0)).rejects.toMatchObject({ code: 'TooManyRequests' })
      await expect(evict('lost', 0)).resolves.toMatchObject({ status: 'Success' })
      await expect(evict('spare', 2)).resolves.toMatchObject({ status: 'Success' })
    },
  )

  it.skipIf(isMissing)('waits for a pod that ignores its termination until the grace period is over', async () => {
    const script = { 'sim.kobe.kunobi.ninja/ignore-termination': 'true' }
    await sim.apply(deployment('stubborn', 1, { annotations: script, graceSeconds: 2 }))
    await sim.kubectl('rollout', 'status', 'deployment/stubborn', '--timeout=20s')
    const [pod] = await sim.pods('app=stubborn')
    const begun = performance.now()
    await sim.kubectl('delete', 'pod', pod?.metadata.name ?? '', '--timeout=20s')
    expect(performance.now() - begun).toBeGreaterThan(1_000)
  })
})

describe.each(HOSTS)('nodes that lose power, on $name', (kind) => {
  const { isMissing } = kind
  let host: HostUnderTest
  let sim: Sim
  beforeAll(async () => {
    if (isMissing) return
    host = await kind.start()
    sim = await startSim(host, { nodes: 2 })
    await sim.kubectl('wait', '--for=condition=Ready', 'node', '--all', '--timeout=10s')
  })
  afterAll(async () => {
    await sim?.[Symbol.asyncDispose]()
    await host?.stop()
    expect(sim?.errors ?? []).toEqual([])
  })

  const nodeOf = (name: string) => sim.get('node', name)
  const readyOf = async (name: string) =>
    (await nodeOf(name)).status.conditions.find(({ type }: { type: string }) => type === 'Ready')

  it.skipIf(isMissing)(
    'become unreachable, keep their pods, and come back with another boot ID and restarted pods',
    async () => {
      await sim.apply(deployment('web', 2))
      await sim.kubectl('rollout', 'status', 'deployment/web', '--timeout=20s')
      const bootId = (await nodeOf('sim-1')).status.nodeInfo.bootID
      await sim.kubectl('annotate', 'node', 'sim-1', 'sim.kobe.kunobi.ninja/power=off')
      await sim.kubectl('wait', '--for=condition=Ready=Unknown', 'node/sim-1', '--timeout=20s')
      expect(await readyOf('sim-1')).toMatchObject({ reason: 'NodeStatusUnknown' })
      const taints = await sim.until('both taints', async () => {
        const { spec } = await nodeOf('sim-1')
        return spec.taints?.length === 2 && spec.taints
      })
      expect(taints.map(({ key, effect }: { key: string; effect: string }) => `${key}:${effect}`)).toEqual([
        'node.kubernetes.io/unreachable:NoSchedule',
        'node.kubernetes.io/unreachable:NoExecute',
      ])
      const pod = await sim.until('a pod that is not Ready, and stays', async () => {
        const onIt = (await sim.pods('app=web')).find((one) => one.spec.nodeName === 'sim-1')
        return onIt !== undefined && !isPodReady(onIt) && onIt
      })
      await sim.kubectl('annotate', 'node', 'sim-1', '--overwrite', 'sim.kobe.kunobi.ninja/power=on')
      await sim.kubectl('wait', '--for=condition=Ready', 'node/sim-1', '--timeout=20s')
      const node = await nodeOf('sim-1')
      expect(node.status.nodeInfo.bootID).not.toBe(bootId)
      await sim.kubectl('rollout', 'status', 'deployment/web', '--timeout=20s')
      const again = await sim.get('pod', pod.metadata.name ?? '')
      expect(again.status.containerStatuses[0].restartCount).toBe(1)
      await sim.until('no taints', async () => (await nodeOf('sim-1')).spec.taints === undefined)
    },
  )

  it.skipIf(isMissing)('a node that is deleted takes its pods with it', async () => {
    await sim.kubectl('delete', 'node', 'sim-2')
    await sim.until('all pods on the other node', async () => {
      const pods = await sim.pods('app=web')
      return pods.length === 2 && pods.every((pod) => pod.spec.nodeName === 'sim-1' && isPodReady(pod))
    })
  })
})

function budget(name: string, spec: object): object {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name },
    spec: { selector: { matchLabels: { app: name } }, ...spec },
  }
}

/** Tells how many pods of `web` are ready, at every look, until the signal aborts. */
async function watchReady(sim: Sim, signal: AbortSignal, tell: (ready: number) => void): Promise<void> {
  const ready = new Map<string, boolean>()
  const pods = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true } as const
  const selection = { namespace: 'default', labelSelector: 'app=web' }
  const { items, resourceVersion } = await sim.client.list(pods, selection)
  const note = (pod: object): void => {
    const { metadata } = pod as { metadata: { name: string; deletionTimestamp?: string } }
    ready.set(metadata.name, metadata.deletionTimestamp === undefined && isPodReady(pod as never))
  }
  items.forEach(note)
  for await (const { type, object } of sim.client.watch(pods, { ...selection, resourceVersion, signal })) {
    if (type === 'DELETED') ready.delete(object.metadata.name ?? '')
    else note(object)
    tell([...ready.values()].filter(Boolean).length)
  }
}

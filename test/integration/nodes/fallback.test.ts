import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NAMESPACES, NODES, SECRETS } from '../../../src/api/core-resources.ts'
import { withManagedClusterDefaults } from '../../../src/api/v1alpha1/defaults.ts'
import type { ManagedCluster } from '../../../src/api/v1alpha1/managed-cluster.ts'
import type { NodeDeps } from '../../../src/controllers/cluster/deps.ts'
import { observeMembers } from '../../../src/controllers/cluster/observe-cluster.ts'
import { noMetrics } from '../../../src/controllers/engine/controller-metrics.ts'
import { systemClock } from '../../../src/kube/clock.ts'
import { createEventRecorder } from '../../../src/kube/event-recorder.ts'
import { silentLog } from '../../../src/kube/log.ts'
import { createNodeCaches, createNodeDeps } from '../../../src/operator-nodes.ts'
import { type CuttingProxy, startCuttingProxy } from '../../support/cutting-proxy.ts'
import { HOST_KINDS, type HostUnderTest } from '../../support/host-under-test.ts'
import { eventually } from '../../support/run.ts'

const NAMESPACE = 'kobe-system'
const DEADLINE_MS = 30_000

/** One API server behind two addresses, as two control nodes are. */
describe('a cluster with two API servers', () => {
  let host: HostUnderTest
  let first: CuttingProxy
  let second: CuttingProxy
  let cluster: ManagedCluster
  let deps: NodeDeps
  let close: () => Promise<void>

  beforeAll(async () => {
    host = await HOST_KINDS[0]!.start()
    const client = host.client()
    first = await startCuttingProxy(host.url)
    second = await startCuttingProxy(host.url)
    const at = ({ port }: CuttingProxy): string => `https://127.0.0.1:${port}`
    const kubeconfig = Buffer.from(host.kubeconfig.replaceAll(host.url, at(first))).toString('base64')
    await client.create(NAMESPACES, { metadata: { name: NAMESPACE } })
    await client.create(SECRETS, { metadata: { name: 'access', namespace: NAMESPACE }, data: { kubeconfig } })
    cluster = withManagedClusterDefaults({
      metadata: { name: 'prod', namespace: NAMESPACE, uid: 'prod-uid' },
      spec: {
        connection: { kubeconfigSecretRef: { name: 'access' }, endpoints: [at(second)] },
        provider: { type: 'simulated' },
        nodeGroups: [{ name: 'worker', type: 'worker' }],
      },
    })
    const common = { client, clock: systemClock, log: silentLog }
    const recorder = createEventRecorder({ ...common, component: 'kobe', instance: 'test' })
    deps = createNodeDeps({
      ...common,
      caches: createNodeCaches({ ...common, namespace: NAMESPACE }),
      recorder,
      metrics: () => noMetrics,
      probing: { probeEveryMs: 200, probeTimeoutMs: 1_000 },
    })
    close = async () => {
      recorder.close()
      await deps.sessions.close()
    }
  })

  afterAll(async () => {
    await close()
    await first.close()
    await second.close()
    await host.stop()
  })

  /** What a pass sees: the names of the nodes, or that it does not know them. */
  async function seen(): Promise<readonly string[] | 'unknown'> {
    const { nodesKnown, members } = await observeMembers(deps, cluster, { fresh: false })
    return nodesKnown ? members.map(({ name }) => name) : 'unknown'
  }

  const sees = (...names: readonly string[]) =>
    eventually(`the nodes are known to be ${names}`, DEADLINE_MS, async () => String(await seen()) === String(names))

  const knowsNothing = () => eventually('the nodes are unknown', DEADLINE_MS, async () => (await seen()) === 'unknown')

  /** By a way that always works. */
  const add = (name: string) => host.client().create(NODES, { metadata: { name } })

  async function read(): Promise<unknown> {
    const { client } = await deps.sessions.of(cluster)
    return await client.get(NODES, { name: 'node-1' })
  }

  it('requests and watches go to the second when the first hangs, with its connections open', async () => {
    await add('node-1')
    await sees('node-1')
    first.hang(true)
    await add('node-2')
    const reading = read()
    await sees('node-1', 'node-2')
    expect(await reading).toMatchObject({ metadata: { name: 'node-1' } })
  })

  it('and back to the first when the second dies', async () => {
    first.hang(false)
    second.refuse(true)
    await add('node-3')
    await sees('node-1', 'node-2', 'node-3')
    await eventually('requests are answered', DEADLINE_MS, read)
  })

  it('while none answers nothing old is taken for new, and all is known again when one does', async () => {
    first.refuse(true)
    await knowsNothing()
    await add('node-4')
    expect(await seen()).toBe('unknown')
    await expect(read()).rejects.toMatchObject({ code: 'Unreachable' })
    second.refuse(false)
    await sees('node-1', 'node-2', 'node-3', 'node-4')
  })

  it('the same when both hang', async () => {
    first.refuse(false)
    first.hang(true)
    second.hang(true)
    await knowsNothing()
    await add('node-5')
    expect(await seen()).toBe('unknown')
    first.hang(false)
    await sees('node-1', 'node-2', 'node-3', 'node-4', 'node-5')
  })
})

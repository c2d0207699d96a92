/** The simulated provider, its cloud, and the simulated kubelets, over HTTP on an embedded control plane. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CONFIG_MAPS, NAMESPACES, NODES } from '../../../src/api/core-resources.ts'
import { systemClock } from '../../../src/kube/clock.ts'
import type { ClosableKubeClient } from '../../../src/kube/kube-client.ts'
import type { ClusterTarget } from '../../../src/providers/provider.ts'
import { type SimulatedCloud, startSimulatedCloud } from '../../../src/providers/simulated/cloud.ts'
import { CLOUD_ANNOTATIONS } from '../../../src/providers/simulated/script.ts'
import { createSimulatedProvider } from '../../../src/providers/simulated/simulated-provider.ts'
import { type SimulatedWorld, startSimulatedWorld } from '../../../src/simulated-world/world.ts'
import { providerContract } from '../../contract/provider-contract.ts'
import { HOST_KINDS, type HostUnderTest } from '../../support/host-under-test.ts'
import { eventually } from '../../support/run.ts'
import { FAST } from '../simulated-world/sim.ts'

interface World {
  readonly client: ClosableKubeClient
  cluster(name: string): Promise<ClusterTarget>
  script(cluster: ClusterTarget, annotations: Readonly<Record<string, string | null>>): Promise<void>
  close(): Promise<void>
}

async function createWorld(): Promise<World> {
  const host: HostUnderTest = await HOST_KINDS[0]!.start()
  const client = host.client()
  const world: SimulatedWorld = await startSimulatedWorld({ client, nodes: 0, timings: FAST })
  const clouds: SimulatedCloud[] = []
  return {
    client,
    async cluster(name) {
      const annotations = {
        [CLOUD_ANNOTATIONS.stopTime]: '20ms',
        [CLOUD_ANNOTATIONS.startTime]: '20ms',
        [CLOUD_ANNOTATIONS.createTime]: '20ms',
      }
      await client.create(NAMESPACES, { metadata: { name } })
      await client.create(CONFIG_MAPS, { metadata: { name: 'machines', namespace: name, annotations } })
      clouds.push(
        await startSimulatedCloud({ client, configMap: { namespace: name, name: 'machines' }, clock: systemClock }),
      )
      return { namespace: name, name, uid: name, config: { type: 'simulated' } }
    },
    async script({ namespace }, annotations) {
      await client.patch(
        CONFIG_MAPS,
        { name: 'machines', namespace },
        { type: 'merge', body: { metadata: { annotations } } },
      )
    },
    async close() {
      await Promise.all(clouds.map((cloud) => cloud.stop()))
      await world.stop()
      await host.stop()
    },
  }
}

providerContract('simulated', async () => {
  const world = await createWorld()
  return {
    open: () => createSimulatedProvider({ client: world.client, clock: systemClock }),
    cluster: (name) => world.cluster(name),
    full: (cluster, offering, isFull) =>
      world.script(cluster, { [CLOUD_ANNOTATIONS.noRoom]: isFull ? offering : null }),
    throttle: (cluster, isThrottled) =>
      world.script(cluster, { [CLOUD_ANNOTATIONS.throttled]: isThrottled ? 'true' : null }),
    close: () => world.close(),
  }
})

describe('machines under simulated nodes', () => {
  let world: World
  let cluster: ClusterTarget
  beforeAll(async () => {
    world = await createWorld()
    cluster = await world.cluster('prod')
  })
  afterAll(() => world.close())

  const provider = () => createSimulatedProvider({ client: world.client, clock: systemClock })
  const readyOf = async (name: string) => {
    const { status } = await world.client.get(NODES, { name })
    const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status
    return { ready, bootId: status?.nodeInfo?.bootID }
  }
  const until = (name: string, ready: string) =>
    eventually(`${name} is Ready: ${ready}`, 20_000, async () => {
      const seen = await readyOf(name)
      return seen.ready === ready && seen
    })
  const state = (id: string, wanted: string) =>
    eventually(`${id} is ${wanted}`, 20_000, async () =>
      (await provider().listMachines(cluster)).some((one) => one.id === id && one.state === wanted),
    )

  test('a machine that is made has a Node, and a restart gives it a new boot ID', async () => {
    const settings = { offering: 'small', rootDiskSizeGB: 20 }
    await provider().createMachines(cluster, [{ name: 'w1', type: 'worker', group: 'workers', settings }])
    const before = await until('w1', 'True')
    await provider().stop(cluster, 'm-w1')
    await state('m-w1', 'Stopped')
    await until('w1', 'Unknown')
    await provider().start(cluster, 'm-w1')
    const after = await until('w1', 'True')
    expect(after.bootId).not.toBe(before.bootId)
  })

  test('a machine that never returns runs, and its Node does not become Ready', async () => {
    await world.script(cluster, { [CLOUD_ANNOTATIONS.neverReturns]: 'w1' })
    await provider().stop(cluster, 'm-w1')
    await state('m-w1', 'Stopped')
    await provider().start(cluster, 'm-w1')
    await state('m-w1', 'Running')
    await until('w1', 'False')
  })

  test('a terminated machine takes its Node with it', async () => {
    await provider().terminate(cluster, 'm-w1')
    await eventually('the node is gone', 20_000, async () => {
      const { items } = await world.client.list(NODES)
      return items.every(({ metadata }) => metadata.name !== 'w1')
    })
  })
})

/** `kobe up --simulate-nodes N` and `--demo nodes`: a simulated world on the host API, in this process. */
import type { KubeClient } from '../kube/client.ts'
import { systemClock } from '../kube/clock.ts'
import type { Log } from '../kube/log.ts'
import type { NodeSpec } from '../simulated-world/node-spec.ts'
import type { UpOptions } from './up-options.ts'

export interface Simulation {
  stop(): Promise<void>
}

/** Undefined when no nodes were asked for; nothing of it is loaded then. */
export async function startSimulation(
  { simulateNodes, demo, namespace }: Pick<UpOptions, 'simulateNodes' | 'demo' | 'namespace'>,
  client: KubeClient,
  log: Log,
): Promise<Simulation | undefined> {
  if (demo === 'nodes') return await startNodesDemo(client, namespace, log)
  return simulateNodes === undefined ? undefined : await startWorld(client, simulateNodes, log)
}

async function startWorld(client: KubeClient, nodes: number | readonly NodeSpec[], log: Log): Promise<Simulation> {
  const { startSimulatedWorld } = await import('../simulated-world/world.ts')
  const { missingControllers } = await import('../simulated-world/missing-controllers.ts')
  const controllers = await missingControllers(client, systemClock.now())
  return await startSimulatedWorld({ client, nodes, controllers, log: log.child({ part: 'simulated-world' }) })
}

/** Nodes, workloads, machines with the cloud that moves them, and the ManagedCluster. */
async function startNodesDemo(client: KubeClient, namespace: string, log: Log): Promise<Simulation> {
  const { DEMO_CONFIG_MAP, DEMO_SIZE, demoNodes, seedDemo } = await import('./demo-nodes.ts')
  const { startSimulatedCloud } = await import('../providers/simulated/cloud.ts')
  const world = await startWorld(client, demoNodes(DEMO_SIZE), log)
  await seedDemo(client, namespace)
  const cloud = await startSimulatedCloud({
    client,
    configMap: { namespace, name: DEMO_CONFIG_MAP },
    clock: systemClock,
    log: log.child({ part: 'simulated-cloud' }),
  })
  return {
    async stop() {
      await cloud.stop()
      await world.stop()
    },
  }
}

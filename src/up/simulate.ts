/** `kobe up --simulate-nodes N`: a simulated world on the host API, in this process. */
import type { KubeClient } from '../kube/client.ts'
import { systemClock } from '../kube/clock.ts'
import type { Log } from '../kube/log.ts'

export interface Simulation {
  stop(): Promise<void>
}

/** Undefined when no nodes were asked for; nothing of it is loaded then. */
export async function startSimulation(
  nodes: number | undefined,
  client: KubeClient,
  log: Log,
): Promise<Simulation | undefined> {
  if (nodes === undefined) return undefined
  const { startSimulatedWorld } = await import('../simulated-world/world.ts')
  const { missingControllers } = await import('../simulated-world/missing-controllers.ts')
  const controllers = await missingControllers(client, systemClock.now())
  return await startSimulatedWorld({ client, nodes, controllers, log: log.child({ part: 'simulated-world' }) })
}

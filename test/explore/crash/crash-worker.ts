/** Tells one scenario, once for each of its writes, over an API server of its own. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Fault } from '../../support/faulty-client.ts'
import { startWorldHost } from '../../support/operator-world.ts'
import { tellWithEveryFault } from './crash-run.ts'
import { crashScenario } from './scenarios.ts'

const { scenario, kind } = workerData as { scenario: string; kind: Fault['kind'] }
const host = await startWorldHost()
try {
  parentPort?.postMessage(await tellWithEveryFault(host, crashScenario(scenario), kind))
} finally {
  await host.stop()
}

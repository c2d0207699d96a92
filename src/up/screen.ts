/** The one screen that `kobe up` prints: what runs, where, and what to type next. */
import { relative } from 'node:path'
import type { Output } from '../cli/output.ts'
import type { Demo } from './up-options.ts'
import type { PoolSummary } from './wait-warm.ts'

export interface ScreenFacts {
  readonly cwd: string
  readonly startedInMs: number
  readonly hostUrl: string
  readonly hostKubeconfig: string
  readonly httpUrl: string
  readonly httpsUrl: string
  readonly statePath: string
  readonly logPath: string
  readonly memory: boolean
  readonly adopted: boolean
  /** Absent: there is no simulated world. */
  readonly simulatedNodes: number | undefined
  readonly demo: Demo | undefined
  readonly namespace: string
  readonly pools: readonly PoolSummary[]
}

export function printScreen(output: Output, facts: ScreenFacts): void {
  const near = (path: string) => {
    const short = relative(facts.cwd, path)
    return short.startsWith('..') ? path : short
  }
  const warm = facts.pools.reduce((sum, pool) => sum + pool.ready, 0)
  const clusters = warm === 1 ? '1 warm cluster' : `${warm} warm clusters`
  const kubeconfig = near(facts.hostKubeconfig)
  output.line(`${output.bold('Kobe is ready')}: ${clusters}, after ${(facts.startedInMs / 1000).toFixed(1)} s`)
  output.line()
  output.table(
    ['WHAT', 'WHERE', 'DETAILS'],
    [
      ['host API', facts.hostUrl, `kubeconfig ${kubeconfig}${facts.adopted ? ' (was still running)' : ''}`],
      ['HTTP API', facts.httpUrl, 'what `kobe` talks to; this machine only'],
      ['connect', `${facts.httpsUrl}/connect`, 'where leased kubeconfigs point'],
      ...facts.pools.map((pool) => [`pool ${pool.name}`, `${pool.ready} of ${pool.target} ready`, pool.details]),
      ...(facts.demo === 'nodes' ? DEMO_ROWS : simulationRow(facts.simulatedNodes)),
      ['state', near(facts.statePath), facts.memory ? 'in memory: gone when this stops' : `log ${near(facts.logPath)}`],
    ],
  )
  output.line()
  output.line('Next, in another terminal:')
  output.line('  npx kobe status')
  output.line(`  npx kobe lease ${facts.pools[0]?.name ?? '<pool>'}`)
  output.line(`  kubectl --kubeconfig ${kubeconfig} -n ${facts.namespace} get clusterpool,clusterinstance,clusterlease`)
  if (facts.demo === 'nodes') {
    output.line('  npx kobe node plan demo --group workers --offering large')
    output.line('  npx kobe node rollout demo --group workers --offering large --max-unavailable 2')
    output.line(`  kubectl --kubeconfig ${kubeconfig} -n ${facts.namespace} get managedcluster,nodes`)
  }
  output.line()
  output.line('Ctrl-C stops everything.')
}

const DEMO_ROWS = [['cluster demo', '3 control nodes, 5 workers', 'simulated: workloads run as objects only']]

function simulationRow(nodes: number | undefined): string[][] {
  if (nodes === undefined) return []
  const where = nodes === 1 ? 'node sim-1' : nodes === 0 ? 'no node yet' : `nodes sim-1 to sim-${nodes}`
  return [['simulation', where, 'on the host API: workloads run as objects only']]
}

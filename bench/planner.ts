/**
 * CPU time of the planners: reconciles of a pool of 200 members, settled and in the middle of an upgrade, and passes over a cluster
 * of 5,000 nodes; argument: how many.
 */

import type { ClusterInstance } from '../src/api/v1alpha1/cluster-instance.ts'
import { instanceName } from '../src/api/v1alpha1/labels.ts'
import type { PoolObserved } from '../src/core/pool/observed.ts'
import { planPool } from '../src/core/pool/plan-pool.ts'
import { aPool, aReady, HASH_B, observedPool, T0 } from '../src/core/testing/builders.ts'
import { NODES, nodePasses, PASS_LIMIT_MS } from './support/node-passes.ts'
import { summarize } from './support/statistics.ts'

const RECONCILES = Number(process.argv[2] ?? 100)
const MEMBERS = 200

function memberOf(n: number, drifted: boolean): ClusterInstance {
  const member = aReady({ n, ...(drifted ? { specHash: HASH_B } : {}) })
  return { ...member, metadata: { ...member.metadata, name: instanceName('ci-small', n) } }
}

function observedOf(drifted: boolean): PoolObserved {
  const instances = Array.from({ length: MEMBERS }, (_unused, index) => memberOf(index + 1, drifted))
  return observedPool({ pool: aPool({ size: MEMBERS }), instances })
}

/** CPU milliseconds of all reconciles together, and of each. */
function measure(observed: PoolObserved): { totalMs: number; each: ReturnType<typeof summarize> } {
  const before = process.cpuUsage()
  const each: number[] = []
  for (let count = 0; count < RECONCILES; count += 1) {
    const start = process.cpuUsage()
    planPool(observed, T0 + count * 1000)
    const { user, system } = process.cpuUsage(start)
    each.push((user + system) / 1000)
  }
  const { user, system } = process.cpuUsage(before)
  return { totalMs: Math.round((user + system) / 1000), each: summarize(each) }
}

const settled = measure(observedOf(false))
const upgrading = measure(observedOf(true))
const nodes = nodePasses(RECONCILES)
console.log(
  JSON.stringify(
    {
      bench: 'planner',
      unit: 'ms of CPU',
      members: MEMBERS,
      reconciles: RECONCILES,
      settled,
      upgrading,
      nodes: { count: NODES, ...nodes },
    },
    null,
    2,
  ),
)
if (settled.totalMs > 1000 * (RECONCILES / 100)) {
  console.error('100 reconciles of a settled pool took more than 1 s of CPU')
  process.exitCode = 1
}
for (const [what, { p50 }] of Object.entries(nodes)) {
  if (p50 <= PASS_LIMIT_MS) continue
  console.error(`a pass over ${NODES} nodes (${what}) took ${p50} ms of CPU, more than ${PASS_LIMIT_MS} ms`)
  process.exitCode = 1
}

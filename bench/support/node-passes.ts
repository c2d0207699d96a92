/** CPU time of the planners of nodes over a cluster of 5,000 nodes: idle, picking a batch, in the middle of one, and the scanner. */
import { planManagedCluster } from '../../src/core/nodes/plan-managed-cluster.ts'
import { planNodeOperation } from '../../src/core/nodes/plan-node-operation.ts'
import { T0 } from '../../src/core/testing/builders.ts'
import { aMember, heldNodes, upToDate } from '../../src/core/testing/node-builders.ts'
import { summarize } from './statistics.ts'

export const NODES = 5_000

/** Most CPU milliseconds of one pass, as the median over the passes. */
export const PASS_LIMIT_MS = 50

const members = [
  ...['c1', 'c2', 'c3'].map((name) => aMember(name, upToDate)),
  ...Array.from({ length: NODES - 3 }, (_none, at) => aMember(`w${at + 1}`, at % 2 === 0 ? upToDate : {})),
]

const operation = { maxUnavailable: '10%' as const }
const batch = members.filter(({ machine }) => machine?.settings.offering === 'v1').slice(0, 250)

const idle = heldNodes(members, { operation, over: { freezes: [{ name: 'freeze', reason: 'bench' }] } })
const picking = heldNodes(members, { operation })
const underWay = heldNodes(members, { operation, batch: batch.map(({ name }) => name) })

export function nodePasses(passes: number): Record<string, ReturnType<typeof summarize>> {
  return {
    frozen: measure(passes, () => planNodeOperation(idle, T0)),
    picking: measure(passes, () => planNodeOperation(picking, T0)),
    underWay: measure(passes, () => planNodeOperation(underWay, T0)),
    scanner: measure(passes, () => planManagedCluster({ ...picking, operations: [picking.operation] }, T0)),
  }
}

function measure(passes: number, pass: () => unknown): ReturnType<typeof summarize> {
  const each: number[] = []
  for (let count = 0; count < passes; count += 1) {
    const start = process.cpuUsage()
    pass()
    const { user, system } = process.cpuUsage(start)
    each.push((user + system) / 1000)
  }
  return summarize(each)
}

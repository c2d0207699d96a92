/** Whether the cluster as a whole is well, and what it has. */
import { NodeReason } from '../../api/v1alpha1/node-reasons.ts'
import type { ClusterFacts, Member } from './model.ts'
import { named, type Problem } from './preflight.ts'
import { hasNode, isRunning, isServing } from './run-facts.ts'

/** What is wrong; undefined when every machine runs, every node is Ready and etcd is well. No data is wrong. */
export function clusterProblem(facts: ClusterFacts): Problem | undefined {
  const wrong = (message: string): Problem => ({ reason: NodeReason.Unhealthy, message })
  if (!facts.machinesKnown) return { reason: NodeReason.NoData, message: 'the machines could not be read' }
  const down = facts.members.filter((member) => !isRunning(member))
  if (down.length > 0) return wrong(`${down.length} machine(s) do not run: ${named(down)}`)
  if (!facts.nodesKnown) return { reason: NodeReason.NoData, message: 'the nodes could not be read' }
  const notReady = facts.members.filter((member) => hasNode(member) && !isServing(member))
  if (notReady.length > 0) return wrong(`${notReady.length} node(s) are not Ready: ${named(notReady)}`)
  const hasEtcd = facts.members.some(({ type }) => type !== 'worker')
  if (!hasEtcd) return undefined
  if (facts.etcd === undefined) return wrong('nothing is known of the health of etcd')
  const sick = facts.etcd.members.filter(({ healthy }) => !healthy)
  if (sick.length > 0) return wrong(`${sick.length} etcd member(s) are not healthy: ${named(sick)}`)
  return facts.etcd.ready ? undefined : wrong('etcd does not report ready')
}

/** Cores and memory of the machines of control and worker nodes, as they are now: offerings change under a run [C]. */
export function capacityOf(members: readonly Member[]): { cpu: number; memory: string } {
  let cpu = 0
  let memoryMiB = 0
  for (const { type, machine } of members) {
    if (type === 'etcd') continue
    cpu += machine?.cpu ?? 0
    memoryMiB += machine?.memoryMiB ?? 0
  }
  return { cpu, memory: `${memoryMiB}Mi` }
}

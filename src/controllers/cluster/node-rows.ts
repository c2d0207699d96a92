/** The nodes of a cluster, one row each, for whoever looks at it. */
import type { ManagedCluster } from '../../api/v1alpha1/managed-cluster.ts'
import type { NodeRow } from '../../core/nodes/cluster-insight.ts'
import type { Member } from '../../core/nodes/model.ts'
import { outOfDate } from '../../core/nodes/out-of-date.ts'
import { field } from '../../core/optional-field.ts'
import type { NodeDeps } from './deps.ts'
import { observeMembers } from './observe-cluster.ts'

/** In the order of the groups, then by name. */
export async function nodeRows(deps: NodeDeps, cluster: ManagedCluster): Promise<readonly NodeRow[]> {
  const { members } = await observeMembers(deps, cluster, { fresh: false })
  return cluster.spec.nodeGroups.flatMap(({ name, settings }) =>
    members.filter(({ group }) => group === name).map((member) => rowOf(member, outOfDate(member.machine, settings))),
  )
}

function rowOf({ name, group, type, zone, machine, node }: Member, differences: readonly string[]): NodeRow {
  return {
    name,
    group,
    type,
    ...field('zone', zone),
    ...field('machine', machine?.state),
    ...(node === undefined ? {} : { ready: node.ready, cordon: node.cordon }),
    ...(node?.mark === undefined ? {} : { marked: true }),
    outOfDate: differences,
  }
}

/** A ManagedCluster on the wire. */
import type { ManagedCluster, NodeGroup } from '../../api/v1alpha1/managed-cluster.ts'
import type { OperationNode } from '../../api/v1alpha1/node-operation.ts'
import type { NodeRow } from '../../core/nodes/cluster-insight.ts'
import { holderOf, stateOf } from '../../core/nodes/held-cluster.ts'
import { field } from '../../core/optional-field.ts'
import type { ClusterDetail, ClusterView } from '../schemas/cluster.ts'

export function clusterView(cluster: ManagedCluster): ClusterView {
  const { metadata, spec, status = {} } = cluster
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    ...field('createdAt', metadata.creationTimestamp),
    state: stateOf(cluster),
    provider: spec.provider.type,
    ...field('operation', holderView(cluster)),
    ...field('lastOperation', lastOperation(cluster)),
    ...field('frozen', spec.policy.freeze?.reason),
    groups: spec.nodeGroups.map((group) => groupView(cluster, group)),
    ...field('capacity', status.capacity),
    ...field('lastError', status.lastError),
    ...field('ungrouped', status.ungrouped),
    ...field('conditions', status.conditions),
  }
}

function holderView(cluster: ManagedCluster): ClusterView['operation'] {
  const holder = holderOf(cluster)
  return holder === undefined ? undefined : { name: holder.name, type: holder.type, since: holder.startedAt }
}

function lastOperation({ status }: ManagedCluster): ClusterView['lastOperation'] {
  const last = status?.lastOperation
  return last === undefined ? undefined : { name: last.name, phase: last.phase, endedAt: last.finishedAt }
}

function groupView({ status }: ManagedCluster, { name, type, settings, maxUnavailable }: NodeGroup) {
  const { name: _name, type: _type, ...counts } = status?.groups?.find((group) => group.name === name) ?? {}
  return { name, type, ...counts, settings, maxUnavailable }
}

/** `steps`: the nodes of the operation that holds the cluster. */
export function clusterDetail(
  cluster: ManagedCluster,
  rows: readonly NodeRow[],
  steps: readonly OperationNode[],
): ClusterDetail {
  const byName = new Map(steps.map((node) => [node.name, node]))
  return { ...clusterView(cluster), nodes: rows.map((row) => nodeView(row, byName.get(row.name))) }
}

function nodeView(row: NodeRow, at: OperationNode | undefined): ClusterDetail['nodes'][number] {
  return {
    ...row,
    outOfDate: [...row.outOfDate],
    ...field('step', at?.step),
    ...field('since', at?.since),
    ...field('waitingFor', at?.message),
  }
}

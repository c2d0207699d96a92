/** Answers what is asked about standing clusters without changing them. */
import type { ClusterInsight } from '../../core/nodes/cluster-insight.ts'
import { stateOf } from '../../core/nodes/held-cluster.ts'
import type { NodeDeps } from './deps.ts'
import { nodeRows } from './node-rows.ts'

export function createClusterInsight(deps: NodeDeps): ClusterInsight {
  return {
    nodes: (cluster) => nodeRows(deps, cluster),
    checkSettings: async () => [],
    plan: async (cluster) => ({
      cluster: cluster.metadata.name ?? '',
      state: stateOf(cluster),
      groups: [],
      batches: [],
      leftOut: [],
      totalNodes: 0,
      estimateMs: 0,
      estimateBasis: '',
      notes: [],
    }),
  }
}

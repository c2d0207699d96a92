/** Changes of the claim that an operation has on its cluster: each is one write of the status, fenced by its version. */
import type {
  ManagedCluster,
  ManagedClusterStatus,
  OperationHolder,
  Outcome,
} from '../../api/v1alpha1/managed-cluster.ts'
import { ClusterState } from '../../api/v1alpha1/node-phases.ts'
import type { NodeAction } from './action.ts'

/** State of a cluster that nobody has looked at yet. */
export const stateOf = ({ status }: ManagedCluster): ClusterState => status?.state ?? ClusterState.Created

export const holderOf = ({ status }: ManagedCluster): OperationHolder | undefined => status?.operation

export const setCluster = (cluster: ManagedCluster, status: ManagedClusterStatus): NodeAction => ({
  kind: 'SetCluster',
  resourceVersion: cluster.metadata.resourceVersion ?? '',
  status,
})

export const setHolder = (cluster: ManagedCluster, operation: OperationHolder): NodeAction =>
  setCluster(cluster, { ...cluster.status, operation })

/** The end is written before anything is released: it does not change any more, whatever a restart finds. */
export const setOutcome = (cluster: ManagedCluster, holder: OperationHolder, outcome: Outcome): NodeAction =>
  setHolder(cluster, { ...holder, outcome })

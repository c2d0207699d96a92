/** Clusters and operations of clusters as a caller may see them: what it may not view is not there. */
import type { ManagedCluster } from '../../api/v1alpha1/managed-cluster.ts'
import type { NodeOperation } from '../../api/v1alpha1/node-operation.ts'
import { mayOnCluster } from '../auth/cluster-access.ts'
import type { Principal } from '../auth/principal.ts'
import type { HttpContext } from '../context.ts'
import { ApiError } from '../errors.ts'

type Stores = Pick<HttpContext, 'clusters' | 'operations'>

/** @throws ApiError `cluster_not_found` */
export async function visibleCluster({ clusters }: Stores, { rule }: Principal, name: string): Promise<ManagedCluster> {
  const cluster = mayOnCluster(rule, 'view', name) ? await clusters.find(name) : undefined
  if (cluster !== undefined) return cluster
  throw new ApiError('cluster_not_found', {
    detail: 'You may view no such cluster; GET /v1/clusters lists those you may',
    field: 'name',
  })
}

export function visibleClusters({ clusters }: Stores, { rule }: Principal): ManagedCluster[] {
  return clusters
    .list()
    .filter(({ metadata }) => mayOnCluster(rule, 'view', metadata.name ?? ''))
    .sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
}

/** @throws ApiError `operation_not_found` */
export async function visibleOperation(
  { operations }: Stores,
  principal: Principal,
  name: string,
): Promise<NodeOperation> {
  return requireVisible(await operations.find(name), principal)
}

/** The same without asking the API server. */
export function visibleOperationNow({ operations }: Stores, principal: Principal, name: string): NodeOperation {
  return requireVisible(operations.peek(name), principal)
}

/** @throws ApiError `operation_not_found` */
export function requireVisible(operation: NodeOperation | undefined, { rule }: Principal): NodeOperation {
  if (operation !== undefined && mayOnCluster(rule, 'view', operation.spec.clusterRef.name)) return operation
  throw new ApiError('operation_not_found', {
    detail: 'You may view no such operation; GET /v1/operations lists those you may',
    field: 'name',
  })
}

/** Newest first. */
export function visibleOperations({ operations }: Stores, { rule }: Principal): NodeOperation[] {
  return operations
    .list()
    .filter(({ spec }) => mayOnCluster(rule, 'view', spec.clusterRef.name))
    .sort(newestFirst)
}

function newestFirst({ metadata: a }: NodeOperation, { metadata: b }: NodeOperation): number {
  const [left, right] = [a.creationTimestamp ?? '', b.creationTimestamp ?? '']
  if (left !== right) return left < right ? 1 : -1
  return (a.name ?? '') < (b.name ?? '') ? 1 : -1
}

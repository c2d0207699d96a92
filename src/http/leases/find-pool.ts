/** A pool by name. It may have been applied a moment ago: the API server is asked before a name is called unknown. */
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import { CLUSTER_POOLS } from '../../api/v1alpha1/resources.ts'
import { isKubeError } from '../../kube/errors.ts'
import type { HttpDeps } from '../deps.ts'

export async function findPool(
  { caches, client, namespace }: Pick<HttpDeps, 'caches' | 'client' | 'namespace'>,
  name: string,
): Promise<ClusterPool | undefined> {
  const cached = caches.pools.get(namespace, name)
  if (cached !== undefined) return cached
  try {
    return await client.get(CLUSTER_POOLS, { name, namespace })
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return undefined
    throw error
  }
}

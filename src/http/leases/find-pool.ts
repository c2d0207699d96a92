/** A pool by name. It may have been applied a moment ago: the API server is asked before a name is called unknown. */
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import { CLUSTER_POOLS } from '../../api/v1alpha1/resources.ts'
import type { HttpDeps } from '../deps.ts'
import { readObject } from '../read-object.ts'

export async function findPool(
  { caches, client, namespace }: Pick<HttpDeps, 'caches' | 'client' | 'namespace'>,
  name: string,
): Promise<ClusterPool | undefined> {
  return caches.pools.get(namespace, name) ?? (await readObject(client, CLUSTER_POOLS, { name, namespace }))
}

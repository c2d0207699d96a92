/** What is recorded of how a member is made. */
import type { CreatedWith } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import { canonicalJson } from '../../core/fleet/canonical-json.ts'
import type { OperatorFacts } from '../deps.ts'

/** Access and teardown go by this, so a pool that is edited or deleted later never cuts off a member. */
export function createdWith(
  pool: ClusterPool,
  operator: OperatorFacts,
  sha256Hex: (text: string) => string,
): CreatedWith {
  const { backend, cluster, resources } = pool.spec
  const vkobe = backend.type === 'vkobe' && operator.syncImage !== undefined
  return {
    operatorVersion: operator.version,
    backendType: backend.type,
    ...(vkobe ? { kobeSyncImage: operator.syncImage } : {}),
    poolUid: pool.metadata.uid ?? '',
    backend,
    configDigest: sha256Hex(canonicalJson(backend)),
    cluster,
    ...(resources === undefined ? {} : { resources }),
  }
}

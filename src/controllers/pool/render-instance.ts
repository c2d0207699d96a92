/** A new member as an object, and what is recorded of how it was made. */

import { apiVersionOf } from '../../api/resource.ts'
import type { ClusterInstance, ClusterInstanceInput, CreatedWith } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import { withClusterInstanceDefaults } from '../../api/v1alpha1/defaults.ts'
import { Finalizer, Label, OPERATOR_NAME } from '../../api/v1alpha1/labels.ts'
import { CLUSTER_POOLS } from '../../api/v1alpha1/resources.ts'
import { canonicalJson } from '../../core/fleet/canonical-json.ts'
import type { OperatorFacts } from '../deps.ts'

/** The finalizer is there from the first write on, so nothing is ever made for an object that could vanish unseen. */
export function renderInstance(pool: ClusterPool, name: string): ClusterInstance {
  const poolName = pool.metadata.name ?? ''
  const uid = pool.metadata.uid ?? ''
  const instance: ClusterInstanceInput = {
    metadata: {
      name,
      ...(pool.metadata.namespace === undefined ? {} : { namespace: pool.metadata.namespace }),
      labels: { [Label.managedBy]: OPERATOR_NAME, [Label.pool]: poolName },
      finalizers: [Finalizer.instanceCleanup],
      ownerReferences: [
        {
          apiVersion: apiVersionOf(CLUSTER_POOLS),
          kind: CLUSTER_POOLS.kind,
          name: poolName,
          uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: { poolRef: { name: poolName, uid } },
  }
  return withClusterInstanceDefaults(instance)
}

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

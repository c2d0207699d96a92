/** A new member of a pool as it is created: labelled, owned, and with its finalizer before anything is made for it. */

import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import { withClusterInstanceDefaults } from '../../api/v1alpha1/defaults.ts'
import { Finalizer, Label, OPERATOR_NAME } from '../../api/v1alpha1/labels.ts'
import { API_VERSION } from '../../api/v1alpha1/resources.ts'
import { field } from '../optional-field.ts'

export function renderInstance(pool: ClusterPool, name: string): ClusterInstance {
  const { name: poolName = '', uid = '', namespace } = pool.metadata
  return withClusterInstanceDefaults({
    metadata: {
      name,
      ...field('namespace', namespace),
      labels: { [Label.managedBy]: OPERATOR_NAME, [Label.pool]: poolName },
      finalizers: [Finalizer.instanceCleanup],
      ownerReferences: [
        {
          apiVersion: API_VERSION,
          kind: 'ClusterPool',
          name: poolName,
          uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: { poolRef: { name: poolName, uid } },
  })
}

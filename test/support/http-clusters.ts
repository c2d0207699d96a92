/** Standing clusters in the world of `http-world.ts`. */
import { withManagedClusterDefaults } from '../../src/api/v1alpha1/defaults.ts'
import type {
  ManagedCluster,
  ManagedClusterInput,
  ManagedClusterStatus,
} from '../../src/api/v1alpha1/managed-cluster.ts'
import { MANAGED_CLUSTERS } from '../../src/api/v1alpha1/resources.ts'
import { type HttpWorld, NAMESPACE } from './http-world.ts'

export interface ClusterChanges {
  readonly spec?: Partial<ManagedClusterInput['spec']>
  readonly status?: ManagedClusterStatus
}

/** Running, with one group of workers that has the offering `small`. */
export async function makeCluster(
  { kube }: HttpWorld,
  name: string,
  { spec = {}, status }: ClusterChanges = {},
): Promise<ManagedCluster> {
  const cluster = withManagedClusterDefaults({
    metadata: { name, namespace: NAMESPACE },
    spec: {
      connection: { inCluster: true },
      provider: { type: 'simulated', simulated: {} },
      nodeGroups: [{ name: 'workers', type: 'worker', settings: { offering: 'small' } }],
      ...spec,
    },
  })
  await kube.create(MANAGED_CLUSTERS, cluster)
  const body = { status: status ?? { state: 'Running' } }
  const ref = { name, namespace: NAMESPACE }
  return await kube.patch(MANAGED_CLUSTERS, ref, { type: 'merge', body }, { subresource: 'status' })
}

export const clusterNow = ({ kube }: HttpWorld, name: string): Promise<ManagedCluster> =>
  kube.get(MANAGED_CLUSTERS, { name, namespace: NAMESPACE })

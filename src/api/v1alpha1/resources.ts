/** The kinds of this group, as they are addressed on the wire. */
import type { KubeObject, ResourceType } from '../resource.ts'
import type { AccessPolicy } from './access-policy.ts'
import type { BootstrapConfig } from './bootstrap-config.ts'
import type { ClusterInstance } from './cluster-instance.ts'
import type { ClusterLease } from './cluster-lease.ts'
import type { ClusterPool } from './cluster-pool.ts'
import type { ManagedCluster } from './managed-cluster.ts'
import type { NodeOperation } from './node-operation.ts'

export const GROUP = 'kobe.kunobi.ninja'
export const VERSION = 'v1alpha1'
export const API_VERSION = `${GROUP}/${VERSION}`

const kobe = <T extends KubeObject>(kind: string, plural: string): ResourceType<T> => ({
  group: GROUP,
  version: VERSION,
  plural,
  kind,
  namespaced: true,
})

export const CLUSTER_POOLS = kobe<ClusterPool>('ClusterPool', 'clusterpools')
export const CLUSTER_INSTANCES = kobe<ClusterInstance>('ClusterInstance', 'clusterinstances')
export const CLUSTER_LEASES = kobe<ClusterLease>('ClusterLease', 'clusterleases')
export const BOOTSTRAP_CONFIGS = kobe<BootstrapConfig>('BootstrapConfig', 'bootstrapconfigs')
export const ACCESS_POLICIES = kobe<AccessPolicy>('AccessPolicy', 'accesspolicies')
export const MANAGED_CLUSTERS = kobe<ManagedCluster>('ManagedCluster', 'managedclusters')
export const NODE_OPERATIONS = kobe<NodeOperation>('NodeOperation', 'nodeoperations')

export const KOBE_RESOURCES = [
  CLUSTER_POOLS,
  CLUSTER_INSTANCES,
  CLUSTER_LEASES,
  BOOTSTRAP_CONFIGS,
  ACCESS_POLICIES,
  MANAGED_CLUSTERS,
  NODE_OPERATIONS,
] as const

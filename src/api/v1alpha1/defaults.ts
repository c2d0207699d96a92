/**
 * Defaults for objects that no API server has seen yet, such as fixtures and manifests. Pure; the input is left as it is.
 * What comes from a client or a cache is filled already.
 */
import { applyDefaults } from '../defaults.ts'
import type { AccessPolicy, AccessPolicyInput } from './access-policy.ts'
import type { BootstrapConfig, BootstrapConfigInput } from './bootstrap-config.ts'
import type { ClusterInstance, ClusterInstanceInput } from './cluster-instance.ts'
import type { ClusterLease, ClusterLeaseInput } from './cluster-lease.ts'
import type { ClusterPool, ClusterPoolInput } from './cluster-pool.ts'
import { KINDS, type KindName, type KindTypes } from './kinds.ts'
import type { ManagedCluster, ManagedClusterInput } from './managed-cluster.ts'
import type { NodeOperation, NodeOperationInput } from './node-operation.ts'
import { API_VERSION } from './resources.ts'

export const withClusterPoolDefaults = (pool: ClusterPoolInput): ClusterPool => fill('ClusterPool', pool)
export const withClusterInstanceDefaults = (instance: ClusterInstanceInput): ClusterInstance =>
  fill('ClusterInstance', instance)
export const withClusterLeaseDefaults = (lease: ClusterLeaseInput): ClusterLease => fill('ClusterLease', lease)
export const withBootstrapConfigDefaults = (config: BootstrapConfigInput): BootstrapConfig =>
  fill('BootstrapConfig', config)
export const withAccessPolicyDefaults = (policy: AccessPolicyInput): AccessPolicy => fill('AccessPolicy', policy)
export const withManagedClusterDefaults = (cluster: ManagedClusterInput): ManagedCluster =>
  fill('ManagedCluster', cluster)
export const withNodeOperationDefaults = (operation: NodeOperationInput): NodeOperation =>
  fill('NodeOperation', operation)

function fill<K extends KindName>(kind: K, object: object): KindTypes[K] {
  const filled: unknown = applyDefaults(KINDS[kind].schema, { apiVersion: API_VERSION, kind, ...object })
  return filled as KindTypes[K]
}

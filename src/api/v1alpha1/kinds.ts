/** The kinds of this group in one list: what the CRDs, the checks and the reference page are made from. */
import type { KubeObject, ResourceType } from '../resource.ts'
import { type StructuralSchema, toStructural } from '../structural.ts'
import { type AccessPolicy, AccessPolicySchema } from './access-policy.ts'
import { type BootstrapConfig, BootstrapConfigSchema } from './bootstrap-config.ts'
import { type ClusterInstance, ClusterInstanceSchema } from './cluster-instance.ts'
import { type ClusterLease, ClusterLeaseSchema } from './cluster-lease.ts'
import { type ClusterPool, ClusterPoolSchema } from './cluster-pool.ts'
import { type ManagedCluster, ManagedClusterSchema } from './managed-cluster.ts'
import { type NodeOperation, NodeOperationSchema } from './node-operation.ts'
import {
  ACCESS_POLICIES,
  BOOTSTRAP_CONFIGS,
  CLUSTER_INSTANCES,
  CLUSTER_LEASES,
  CLUSTER_POOLS,
  MANAGED_CLUSTERS,
  NODE_OPERATIONS,
} from './resources.ts'

/** The TypeScript type of each kind, by its name. */
export interface KindTypes {
  ClusterPool: ClusterPool
  ClusterInstance: ClusterInstance
  ClusterLease: ClusterLease
  BootstrapConfig: BootstrapConfig
  AccessPolicy: AccessPolicy
  ManagedCluster: ManagedCluster
  NodeOperation: NodeOperation
}

export type KindName = keyof KindTypes

export interface Kind<T extends KubeObject = KubeObject> {
  readonly resource: ResourceType<T>
  readonly shortName: string
  /** Schema of the whole object, as the CRD holds it. */
  readonly schema: StructuralSchema
  readonly columns: readonly Column[]
  /** Field paths a list may be filtered by, besides name and namespace. */
  readonly selectable: readonly string[]
  readonly hasStatus: boolean
  readonly scale?: { readonly specReplicasPath: string; readonly statusReplicasPath: string }
}

export interface Column {
  readonly name: string
  readonly type: 'string' | 'integer' | 'date'
  readonly jsonPath: string
  readonly description: string
  /** 1: with `-o wide` only. */
  readonly priority?: number
}

const text = (name: string, jsonPath: string, description: string): Column => ({
  name,
  type: 'string',
  jsonPath,
  description,
})
const number = (name: string, jsonPath: string, description: string): Column => ({
  name,
  type: 'integer',
  jsonPath,
  description,
})
const wide = (column: Column): Column => ({ ...column, priority: 1 })

const AGE: Column = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Time since the object was created.',
}

export const KINDS: { readonly [K in KindName]: Kind<KindTypes[K]> } = {
  ClusterPool: {
    resource: CLUSTER_POOLS,
    shortName: 'cp',
    schema: toStructural(ClusterPoolSchema),
    hasStatus: true,
    scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.ready' },
    selectable: ['.status.phase'],
    columns: [
      text('Phase', '.status.phase', 'Summary of the state.'),
      number('Ready', '.status.ready', 'Members that are warm and free.'),
      number('Leased', '.status.leased', 'Members that are bound to a lease.'),
      number('Creating', '.status.creating', 'Members on their way to Ready.'),
      number('Failures', '.status.consecutiveFailures', 'Creation failures in a row.'),
      wide(number('Queue', '.status.queueDepth', 'Leases that wait.')),
      wide(number('Drifted', '.status.drifted', 'Members made from another template.')),
      wide(number('Quarantined', '.status.quarantined', 'Members whose cleanup is not proven.')),
      wide(text('Version', '.spec.cluster.version', 'Version of the members.')),
      AGE,
    ],
  },
  ClusterInstance: {
    resource: CLUSTER_INSTANCES,
    shortName: 'ci',
    schema: toStructural(ClusterInstanceSchema),
    hasStatus: true,
    selectable: ['.status.phase', '.spec.poolRef.name'],
    columns: [
      text('Phase', '.status.phase', 'Where in its life the cluster is.'),
      text('Pool', '.spec.poolRef.name', 'The pool of which it is a member.'),
      text('Lease', '.status.leaseRef.name', 'The lease that holds it.'),
      wide(text('Hash', '.status.specHash', 'Hash of the template it was made from.')),
      wide(text('Message', '.status.message', 'What is going on.')),
      AGE,
    ],
  },
  ClusterLease: {
    resource: CLUSTER_LEASES,
    shortName: 'cl',
    schema: toStructural(ClusterLeaseSchema),
    hasStatus: true,
    selectable: ['.status.phase', '.spec.poolRef', '.status.clusterName'],
    columns: [
      text('Pool', '.spec.poolRef', 'The pool it asks.'),
      text('Phase', '.status.phase', 'Where in its life the lease is.'),
      text('Cluster', '.status.clusterName', 'The instance it is bound to.'),
      // Of type string: a date column shows a moment in the future as <invalid>.
      text('Expires', '.status.expiresAt', 'When it ends.'),
      wide(text('Requester', '.spec.requester.identity', 'Who holds it.')),
      wide(text('Message', '.status.message', 'What is going on.')),
      AGE,
    ],
  },
  BootstrapConfig: {
    resource: BOOTSTRAP_CONFIGS,
    shortName: 'bc',
    schema: toStructural(BootstrapConfigSchema),
    hasStatus: false,
    selectable: [],
    columns: [text('Image', '.spec.job.image', 'Image of the job.'), AGE],
  },
  AccessPolicy: {
    resource: ACCESS_POLICIES,
    shortName: 'ap',
    schema: toStructural(AccessPolicySchema),
    hasStatus: false,
    selectable: [],
    columns: [text('Pools', '.spec.rules[*].pools[*]', 'Patterns of the pools it grants.'), AGE],
  },
  ManagedCluster: {
    resource: MANAGED_CLUSTERS,
    shortName: 'mc',
    schema: toStructural(ManagedClusterSchema),
    hasStatus: true,
    selectable: ['.status.state'],
    columns: [
      text('State', '.status.state', 'Where in its life the cluster is.'),
      text('Operation', '.status.operation.name', 'The operation that holds it.'),
      text('Error', '.status.lastError', 'Why the last run stopped, and what it could not do.'),
      wide(text('Provider', '.spec.provider.type', 'What runs its machines.')),
      wide(text('Groups', '.status.groups[*].name', 'Its node groups.')),
      wide(
        text('Out-Of-Date', '.status.groups[*].outOfDate', 'Nodes that differ from their settings, group by group.'),
      ),
      wide(text('Rotation', '.status.rotation', 'Whether nodes are being changed.')),
      AGE,
    ],
  },
  NodeOperation: {
    resource: NODE_OPERATIONS,
    shortName: 'nop',
    schema: toStructural(NodeOperationSchema),
    hasStatus: true,
    selectable: ['.status.phase', '.spec.clusterRef.name'],
    columns: [
      text('Cluster', '.spec.clusterRef.name', 'The cluster it works on.'),
      text('Type', '.spec.type', 'What it does.'),
      text('Phase', '.status.phase', 'How far it is.'),
      number('Done', '.status.counts.done', 'Nodes that are done.'),
      number('Left', '.status.counts.outOfDate', 'Nodes that are still to be done.'),
      wide(number('Failed', '.status.counts.failed', 'Nodes that failed.')),
      wide(text('ETA', '.status.eta', 'When it will be done at the pace so far.')),
      wide(text('Message', '.status.message', 'What is going on.')),
      AGE,
    ],
  },
}

export const KIND_NAMES = [
  'ClusterPool',
  'ClusterInstance',
  'ClusterLease',
  'BootstrapConfig',
  'AccessPolicy',
  'ManagedCluster',
  'NodeOperation',
] as const

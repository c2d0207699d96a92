/** ManagedCluster: a standing cluster whose nodes are kept as their groups say, a few at a time. */
import { type Static, Type } from '@sinclair/typebox'
import {
  anyObject,
  choice,
  count,
  defaulted,
  duration,
  flag,
  type Input,
  list,
  name,
  object,
  optional,
  withRules,
} from '../field.ts'
import { kindSchema, type ObjectWithStatus } from '../kind.ts'
import type { KubeObject } from '../resource.ts'
import { HealthChecksSchema } from './health-check.ts'
import { ManagedClusterStatusSchema } from './managed-cluster-status.ts'
import { NodeGroupsSchema } from './node-group.ts'

export type { NodeHealthCheck } from './health-check.ts'
export type {
  Batch,
  BatchNode,
  GroupStatus,
  ManagedClusterStatus,
  OperationHolder,
  Outcome,
} from './managed-cluster-status.ts'
export { MAX_BATCH } from './managed-cluster-status.ts'
export type { NodeGroup, NodeSelector, NodeSettings, NodeType } from './node-group.ts'

export const PROVIDER_TYPES = ['simulated', 'cloudstack', 'awsAutoScaling', 'clusterApi'] as const
export type ProviderType = (typeof PROVIDER_TYPES)[number]

const ConnectionSchema = withRules(
  object('How the API of the cluster is reached: exactly one of `kubeconfigSecretRef` and `inCluster`.', {
    kubeconfigSecretRef: optional(
      object('The Secret that holds a kubeconfig under the key `kubeconfig`.', { name: name('Name of the Secret.') }),
    ),
    inCluster: optional(flag('It is the cluster that the operator runs in.')),
    endpoints: defaulted(
      list(
        'Other API servers of the cluster, with the same credentials and CA. The one in use is asked every 5 s whether it serves; when it gives no answer for 4 s, or is not ready while another one is, requests and watches go to another. While none answers, nothing is known of the nodes.',
        name('URL, https.'),
        {
          maxItems: 16,
        },
      ),
      [],
    ),
  }),
  [
    {
      rule: 'has(self.kubeconfigSecretRef) != (has(self.inCluster) && self.inCluster)',
      message: 'connection needs exactly one of kubeconfigSecretRef and inCluster: true',
      reason: 'FieldValueInvalid',
    },
  ],
)

/** Blocks of the types are named after them; each provider parses its own. */
const ProviderSchema = withRules(
  object('What runs the machines under the nodes.', {
    type: choice(PROVIDER_TYPES, 'Which provider.'),
    simulated: optional(
      object('Machines that exist in an object only, under the simulated nodes of an embedded control plane.', {
        configMap: defaulted(name('Name of the ConfigMap that holds them.', { maxLength: 253 }), 'machines'),
      }),
    ),
    cloudstack: optional(anyObject('Settings of the CloudStack provider.')),
    awsAutoScaling: optional(anyObject('Settings of the provider for AWS Auto Scaling groups.')),
    clusterApi: optional(anyObject('Settings of the Cluster API provider.')),
  }),
  PROVIDER_TYPES.map((type) => ({
    rule: `self.type == '${type}' || !has(self.${type})`,
    message: `provider.${type} is only for type ${type}`,
    reason: 'FieldValueForbidden' as const,
    fieldPath: `.${type}`,
  })),
)

export const ON_DRAIN_TIMEOUT = ['Fail', 'Skip', 'Force'] as const

const DrainSchema = object('How pods are moved off a node before it goes down.', {
  timeout: defaulted(duration('How long it may take; never past the deadline of the batch.'), '300s'),
  retryInterval: defaulted(duration('Wait between two attempts for one pod.'), '5s'),
  gracePeriodSeconds: defaulted(
    Type.Integer({
      description: 'Grace period of the pods in seconds; -1: what each pod asks for.',
      format: 'int32',
      minimum: -1,
      maximum: 2_147_483_647,
    }),
    -1,
  ),
  deleteEmptyDirData: defaulted(flag('Whether pods that use an emptyDir may be moved: its content is lost.'), true),
  force: defaulted(flag('Whether pods that no controller makes again may be evicted.'), false),
  onTimeout: defaulted(
    choice(
      ON_DRAIN_TIMEOUT,
      '`Fail`: the batch fails, and nodes that never went down are given back. `Skip`: the node is left out and reported. `Force`: the rest is deleted, budgets or not.',
    ),
    'Fail',
  ),
})

export const CANARIES = ['One', 'OnePerZone', 'Off'] as const

const PaceSchema = object('How soon one batch follows the other.', {
  canary: defaulted(
    choice(
      CANARIES,
      'Size of the first batch of a group none of whose nodes is up to date yet: one node, one in each zone, or as large as any.',
    ),
    'One',
  ),
  consecutive: defaulted(count('How many times in a row each health check has to pass.', { minimum: 1 }), 1),
  bakeTime: optional(duration('Least time between two batches.')),
})

const PolicySchema = object('When runs may go on.', {
  freeze: optional(
    object('While this is set nothing new starts; what is under way is finished.', {
      reason: name('Why, for a person.', { maxLength: 1024 }),
    }),
  ),
})

export const ManagedClusterSpecSchema = withRules(
  object('The cluster as it is wanted.', {
    connection: ConnectionSchema,
    provider: ProviderSchema,
    nodeGroups: NodeGroupsSchema,
    drain: defaulted(DrainSchema, {}),
    nodeTimeout: defaulted(duration('How long one batch may take.'), '1800s'),
    healthChecks: defaulted(HealthChecksSchema, []),
    pace: defaulted(PaceSchema, {}),
    order: defaulted(
      list(
        'What goes first: types or names of groups, one tier each. Groups that are not named go last, in the order etcd, control, worker.',
        name('A type or the name of a group.', { maxLength: 63 }),
        { maxItems: 64 },
      ),
      ['etcd', 'control', 'worker'],
    ),
    policy: defaulted(PolicySchema, {}),
  }),
  [
    {
      rule: "self.order.all(o, o in ['etcd', 'control', 'worker'] || self.nodeGroups.exists(g, g.name == o))",
      message: 'order names the types etcd, control and worker, and groups of nodeGroups',
      reason: 'FieldValueInvalid',
      fieldPath: '.order',
    },
    {
      rule: "self.nodeGroups.all(g, !(g.name in ['etcd', 'control', 'worker']) || g.name == g.type)",
      message: 'a group may only be called etcd, control or worker when that is its type',
      reason: 'FieldValueInvalid',
      fieldPath: '.nodeGroups',
    },
  ],
)

export const ManagedClusterSchema = kindSchema(
  'A standing cluster whose nodes are kept as their groups say, a few at a time.',
  ManagedClusterSpecSchema,
  ManagedClusterStatusSchema,
)

export type ManagedClusterSpec = Static<typeof ManagedClusterSpecSchema>
export interface ManagedCluster
  extends ObjectWithStatus<typeof ManagedClusterSpecSchema, typeof ManagedClusterStatusSchema> {}

/** What an author writes: fields with a default may be left out. */
export interface ManagedClusterInput extends KubeObject {
  spec: Input<typeof ManagedClusterSpecSchema>
  status?: Input<typeof ManagedClusterStatusSchema>
}

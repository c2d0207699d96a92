/** Bodies and answers of the routes of standing clusters: camelCase on the wire. */
import { type Static, Type } from '@sinclair/typebox'
import { PROVIDER_TYPES } from '../../api/v1alpha1/managed-cluster.ts'
import { NODE_TYPES } from '../../api/v1alpha1/node-group.ts'
import { NODE_STEPS } from '../../api/v1alpha1/node-operation.ts'
import { CLUSTER_STATES, OPERATION_OUTCOMES, OPERATION_TYPES } from '../../api/v1alpha1/node-phases.ts'
import { ConditionView } from './condition.ts'

const text = (description: string) => Type.String({ description })
const count = (description: string) => Type.Integer({ description, minimum: 0 })
const choice = <const V extends readonly string[]>(values: V, description: string) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values], description })
/** Checked against the schema of the kind, which `docs/reference/kinds.md` describes field by field. */
const partOfKind = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', description, additionalProperties: true })

/** As in the kind; a whole number or a percentage. */
const Amount = (description: string) =>
  Type.Unsafe<number | string>({ anyOf: [{ type: 'integer', minimum: 1 }, { type: 'string' }], description })

const SettingsView = Type.Object(
  {
    offering: Type.Optional(text('Size of the machine, as its provider calls it.')),
    rootDiskSizeGB: Type.Optional(Type.Integer({ description: 'Size of the root disk in GB.', minimum: 1 })),
    affinityGroups: Type.Optional(
      Type.Array(text('One group.'), { description: 'Affinity groups of the machine, all of them.', maxItems: 64 }),
    ),
    image: Type.Optional(text('Image of the machine. Only a replacement changes it.')),
  },
  { description: 'What every node of the group should have.', additionalProperties: false },
)

export const SettingsByGroup = Type.Record(Type.String(), SettingsView, {
  description:
    'Settings by the name of a group, or by a type (`control`, `worker`, `etcd`) for all of its groups. What is left out stays as it is.',
  minProperties: 1,
})
export type SettingsByGroup = Static<typeof SettingsByGroup>

export const SelectorBody = Type.Object(
  {
    matchLabels: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Labels that the Node has.' })),
    zones: Type.Optional(
      Type.Array(text('One zone.'), { description: 'Zones, one of which the machine is in.', maxItems: 64 }),
    ),
    names: Type.Optional(
      Type.Array(text('One name.'), { description: 'Names, one of which the Node or machine has.', maxItems: 512 }),
    ),
  },
  { description: 'Only the nodes that fit every part that is given.', additionalProperties: false },
)

export const MaxUnavailable = Amount(
  'Most workers of a group at a time, instead of what the group says: a number, or a percentage such as `10%`.',
)
export const AllowLastWorker = Type.Boolean({
  description: 'Whether the only worker of the cluster may be taken down: nothing serves meanwhile. Default false.',
})

export const CreateClusterBody = Type.Object(
  {
    name: text('Name of the cluster; a DNS label.'),
    kubeconfig: Type.Optional(
      text(
        'The kubeconfig of the cluster, as text. Kept in a Secret and never shown again. One that runs a program, uses an `auth-provider` or names files is refused.',
      ),
    ),
    kubeconfigSecret: Type.Optional(
      text('Name of a Secret that holds the kubeconfig under the key `kubeconfig`, instead of the text.'),
    ),
    inCluster: Type.Optional(
      Type.Boolean({ description: 'It is the cluster that the operator runs in; instead of a kubeconfig.' }),
    ),
    endpoints: Type.Optional(
      Type.Array(text('URL, https.'), {
        description: 'Other API servers of the cluster, tried in turn while the first is down.',
      }),
    ),
    provider: Type.Unsafe<{ type: (typeof PROVIDER_TYPES)[number]; [block: string]: unknown }>({
      type: 'object',
      description: 'What runs the machines: `type`, and a block of that name with its settings.',
      properties: { type: { type: 'string', enum: [...PROVIDER_TYPES], description: 'Which provider.' } },
      required: ['type'],
      additionalProperties: true,
    }),
    nodeGroups: Type.Array(
      Type.Object(
        {
          name: text('Name of the group.'),
          type: choice(NODE_TYPES, 'What its nodes do.'),
          selector: Type.Optional(SelectorBody),
          settings: Type.Optional(SettingsView),
          maxUnavailable: Type.Optional(Amount('Most nodes that may be unavailable at a time. Default 1.')),
        },
        { description: 'One group.' },
      ),
      { description: 'The groups, as in `spec.nodeGroups` of a ManagedCluster.' },
    ),
    drain: Type.Optional(partOfKind('As `spec.drain` of a ManagedCluster.')),
    nodeTimeout: Type.Optional(text('How long one batch may take. Default `1800s`.')),
    healthChecks: Type.Optional(
      Type.Array(partOfKind('One check.'), { description: 'As `spec.healthChecks` of a ManagedCluster.' }),
    ),
    pace: Type.Optional(partOfKind('As `spec.pace` of a ManagedCluster.')),
    order: Type.Optional(
      Type.Array(text('A type or the name of a group.'), {
        description: 'What goes first. Default etcd, control, worker.',
      }),
    ),
  },
  {
    description:
      'A cluster that exists, and whose nodes are to be looked after. Exactly one of `kubeconfig`, `kubeconfigSecret` and `inCluster`.',
  },
)
export type CreateClusterBody = Static<typeof CreateClusterBody>

export const StoreSettingsBody = Type.Object(
  { groups: SettingsByGroup },
  { description: 'Settings to keep. No node is touched: a rollout brings the nodes to them.' },
)
export type StoreSettingsBody = Static<typeof StoreSettingsBody>

const GroupView = Type.Object(
  {
    name: text('Name of the group.'),
    type: choice(NODE_TYPES, 'What its nodes do.'),
    nodes: Type.Optional(count('Nodes of the group; absent before the first observation, as the other counts.')),
    ready: Type.Optional(count('Nodes that serve.')),
    outOfDate: Type.Optional(count('Nodes that differ from the settings of the group.')),
    unavailable: Type.Optional(count('Nodes that do not serve, whatever the cause.')),
    settings: SettingsView,
    maxUnavailable: Amount('Most nodes that may be unavailable at a time.'),
  },
  { description: 'One group.' },
)

const clusterFields = {
  name: text('Name of the cluster.'),
  uid: text('UID of the ManagedCluster: a namesake that is made later is another one.'),
  createdAt: Type.Optional(text('When it was described (RFC 3339).')),
  state: choice(CLUSTER_STATES, 'Where in its life the cluster is.'),
  provider: text('What runs its machines.'),
  operation: Type.Optional(
    Type.Object(
      {
        name: text('Name of the operation.'),
        type: choice(OPERATION_TYPES, 'What it does.'),
        since: text('When it took the cluster (RFC 3339).'),
      },
      { description: 'The operation that holds the cluster; absent: nobody does.' },
    ),
  ),
  lastOperation: Type.Optional(
    Type.Object(
      {
        name: text('Name of the operation.'),
        phase: choice(OPERATION_OUTCOMES, 'How it ended.'),
        endedAt: text('When it let go of the cluster (RFC 3339).'),
      },
      { description: 'The operation that held the cluster before.' },
    ),
  ),
  frozen: Type.Optional(text('Why nothing new starts, as `spec.policy.freeze` says; absent: nothing is frozen.')),
  groups: Type.Array(GroupView, { description: 'The groups, in the order of the ManagedCluster.' }),
  capacity: Type.Optional(
    Type.Object(
      { cpu: count('CPU cores.'), memory: text('Memory as a Kubernetes quantity.') },
      { description: 'Sum of the machines of control and worker nodes.' },
    ),
  ),
  lastError: Type.Optional(
    text('Why the last run stopped, and which nodes it could not do; absent when all went well.'),
  ),
  ungrouped: Type.Optional(
    Type.Array(text('Name.'), { description: 'Nodes and machines that fit no group, the first few.' }),
  ),
  conditions: Type.Optional(Type.Array(ConditionView, { description: 'Absent when there are none.' })),
}

const NodeView = Type.Object(
  {
    name: text('Name of the Node; of the machine, for one without a Node.'),
    group: text('Name of its group.'),
    type: choice(NODE_TYPES, 'What it does.'),
    zone: Type.Optional(text('Where its machine is.')),
    machine: Type.Optional(
      text(
        'State of its machine, such as `Running` or `Stopped`; absent: the provider could not be asked, or has none.',
      ),
    ),
    ready: Type.Optional(
      Type.Boolean({ description: 'Whether its Node is Ready; absent: it has none, or the cluster does not answer.' }),
    ),
    cordon: Type.Optional(
      choice(['none', 'ours', 'foreign'], 'Whose cordon is on it: `ours` of a run, `foreign` of somebody else.'),
    ),
    marked: Type.Optional(Type.Boolean({ description: 'It carries the mark of a run.' })),
    outOfDate: Type.Array(text('One difference.'), {
      description: 'Why a rollout would restart it; empty: it would not.',
    }),
    step: Type.Optional(choice(NODE_STEPS, 'Where the run that holds the cluster is with it.')),
    since: Type.Optional(text('When it came to that step (RFC 3339).')),
    waitingFor: Type.Optional(text('What that step waits for, or why it failed.')),
  },
  { description: 'One node.' },
)

export const ClusterView = Type.Object(clusterFields, { description: 'One cluster.' })
export type ClusterView = Static<typeof ClusterView>

export const ClusterDetail = Type.Object(
  {
    ...clusterFields,
    nodes: Type.Array(NodeView, { description: 'In the order of the groups, then by name.' }),
  },
  { description: 'One cluster with its nodes.' },
)
export type ClusterDetail = Static<typeof ClusterDetail>

export const ClusterList = Type.Object(
  { clusters: Type.Array(ClusterView, { description: 'By name.' }) },
  { description: 'The clusters you may see.' },
)
export type ClusterList = Static<typeof ClusterList>

/** NodeOperation: one run over the nodes of a ManagedCluster. Its status is the history of the run. */
import type { Static } from '@sinclair/typebox'
import {
  choice,
  count,
  defaulted,
  flag,
  type Input,
  keyedList,
  list,
  longCount,
  name,
  object,
  optional,
  type Rule,
  text,
  timestamp,
  withRules,
} from '../field.ts'
import { kindSchema, type ObjectWithStatus } from '../kind.ts'
import type { KubeObject } from '../resource.ts'
import { ConditionsSchema } from './conditions.ts'
import { MAX_BATCH } from './managed-cluster-status.ts'
import { amount, NodeSelectorSchema } from './node-group.ts'
import { CLUSTER_STATES, OPERATION_PHASES, OPERATION_TYPES } from './node-phases.ts'

export const STRATEGIES = ['Restart', 'Replace'] as const
export type Strategy = (typeof STRATEGIES)[number]

const onlyFor = (field: string, types: readonly string[]): Rule => ({
  rule: `!has(self.${field}) || ${types.map((type) => `self.type == '${type}'`).join(' || ')}`,
  message: `${field} is only for an operation of type ${types.join(' or ')}`,
  reason: 'FieldValueForbidden',
  fieldPath: `.${field}`,
})

/** Keeps its first value, absence included. */
const fixed = (field: string): Rule => ({
  rule: `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
  message: `${field} is immutable: cancel this operation and create another`,
  reason: 'FieldValueForbidden',
  fieldPath: `.${field}`,
})

const FIXED = [
  'type',
  'clusterRef',
  'strategy',
  'maxUnavailable',
  'allowLastWorker',
  'selector',
  'version',
  'size',
  'nodes',
] as const

export const NodeOperationSpecSchema = withRules(
  object('The run as it was asked for. Only `cancel` and `settingsStored` can be changed, and only to true.', {
    type: choice(OPERATION_TYPES, 'What is done.'),
    clusterRef: object('The ManagedCluster, in the same namespace.', {
      name: name('Name of the ManagedCluster.', { maxLength: 253 }),
    }),
    strategy: optional(
      choice(
        STRATEGIES,
        'How nodes get new settings: stopped, changed and started, or replaced by new ones. What the provider can do when left out, a restart first.',
      ),
    ),
    maxUnavailable: optional(
      amount('Most workers of a group at a time, instead of what the group says; a number, or a percentage.'),
    ),
    allowLastWorker: defaulted(
      flag('Whether the only worker of the cluster may be taken down: nothing serves meanwhile.'),
      false,
    ),
    selector: optional(NodeSelectorSchema),
    settingsStored: defaulted(
      flag(
        'False: the operation takes the cluster and waits, so that its requester can store the wanted settings in the ManagedCluster; nodes are worked on when this is true. A cancel meanwhile gives the cluster back as it was.',
      ),
      true,
    ),
    cancel: defaulted(flag('Ends the run after the nodes that are being worked on.'), false),
    version: optional(name('Upgrade: the Kubernetes version.', { maxLength: 64 })),
    size: optional(count('Scale: how many workers there should be.', { minimum: 1 })),
    nodes: optional(
      list('Scale: names of the workers to remove.', name('One name.', { maxLength: 253 }), {
        minItems: 1,
        maxItems: 512,
      }),
    ),
  }),
  [
    ...FIXED.map(fixed),
    {
      rule: 'self.cancel || !oldSelf.cancel',
      message: 'cancel cannot be taken back: create another operation',
      reason: 'FieldValueForbidden',
      fieldPath: '.cancel',
    },
    {
      rule: 'self.settingsStored || !oldSelf.settingsStored',
      message: 'settingsStored cannot be taken back: the work may have begun',
      reason: 'FieldValueForbidden',
      fieldPath: '.settingsStored',
    },
    {
      rule: "self.type != 'Upgrade' || has(self.version)",
      message: 'an Upgrade needs the version to upgrade to',
      reason: 'FieldValueRequired',
      fieldPath: '.version',
    },
    {
      rule: "self.type != 'Scale' || has(self.size) != has(self.nodes)",
      message: 'a Scale needs either the size to reach or the names of the nodes to remove',
      reason: 'FieldValueRequired',
      fieldPath: '.size',
    },
    {
      rule: "self.settingsStored || self.type == 'Rollout'",
      message: 'settingsStored: false is only for an operation of type Rollout',
      reason: 'FieldValueForbidden',
      fieldPath: '.settingsStored',
    },
    onlyFor('maxUnavailable', ['Rollout', 'Upgrade']),
    onlyFor('strategy', ['Rollout', 'Upgrade']),
    onlyFor('selector', ['Rollout']),
    onlyFor('version', ['Upgrade']),
    onlyFor('size', ['Scale']),
    onlyFor('nodes', ['Scale']),
  ],
)

/** Where a node of the batch is, in this order. */
export const NODE_STEPS = [
  'Claimed',
  'Marking',
  'Cordoning',
  'Draining',
  'Stopping',
  'Changing',
  'Starting',
  'Verifying',
  'Uncordoning',
  'Restoring',
  'Failed',
  'Skipped',
] as const
export type NodeStep = (typeof NODE_STEPS)[number]

const OperationNodeSchema = object('One node that is worked on, failed or was skipped.', {
  name: name('Name of the Node; of the machine, for one without a Node.', { maxLength: 253 }),
  group: name('Name of its group.'),
  step: choice(NODE_STEPS, 'Where it is.'),
  since: timestamp('When it came there.'),
  message: optional(text('What it waits for, or why it failed.', { maxLength: 512 })),
})

const CountsSchema = object('Nodes by where they are.', {
  total: count('Nodes that the run is about.'),
  done: count('Nodes that this run brought to the wanted settings.'),
  outOfDate: count('Nodes that are still to be done.'),
  inFlight: count('Nodes that are worked on now.'),
  failed: count('Nodes that failed.'),
  skipped: count('Nodes that were left out.'),
  batches: optional(count('Batches that are over: with the times of the run, how long one took.')),
})

export const NodeOperationStatusSchema = object('How far the run is.', {
  observedGeneration: optional(longCount('The `metadata.generation` this status was computed from.')),
  phase: optional(choice(OPERATION_PHASES, 'Summary, for display.')),
  state: optional(choice(CLUSTER_STATES, 'State that the cluster has for it.')),
  startedAt: optional(timestamp('When it took the cluster.')),
  finishedAt: optional(timestamp('When it ended.')),
  counts: optional(CountsSchema),
  nodes: optional(
    keyedList(
      'Nodes that are worked on, failed or were skipped; of the others only the counts.',
      OperationNodeSchema,
      ['name'],
      {
        maxItems: MAX_BATCH,
      },
    ),
  ),
  eta: optional(timestamp('When it will be done at the pace so far.')),
  message: optional(text('What is going on, in a sentence.', { maxLength: 4096 })),
  conditions: optional(ConditionsSchema),
})

export const NodeOperationSchema = kindSchema(
  'One run over the nodes of a ManagedCluster.',
  NodeOperationSpecSchema,
  NodeOperationStatusSchema,
)

export type NodeOperationSpec = Static<typeof NodeOperationSpecSchema>
export type NodeOperationStatus = Static<typeof NodeOperationStatusSchema>
export type OperationNode = Static<typeof OperationNodeSchema>
export type OperationCounts = Static<typeof CountsSchema>
export interface NodeOperation
  extends ObjectWithStatus<typeof NodeOperationSpecSchema, typeof NodeOperationStatusSchema> {}

/** What an author writes: fields with a default may be left out. */
export interface NodeOperationInput extends KubeObject {
  spec: Input<typeof NodeOperationSpecSchema>
  status?: Input<typeof NodeOperationStatusSchema>
}

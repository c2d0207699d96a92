/**
 * `status` of a ManagedCluster. `operation` is the claim of the operation that holds the cluster and everything it must not
 * forget: it is written by compare-and-set before each effect, so a restarted operator goes on from here and from the nodes.
 */
import type { Static } from '@sinclair/typebox'
import { choice, count, flag, keyedList, list, longCount, name, object, optional, text, timestamp } from '../field.ts'
import { ConditionsSchema } from './conditions.ts'
import { NODE_TYPES, NodeSettingsSchema } from './node-group.ts'
import { CLUSTER_STATES, OPERATION_OUTCOMES, OPERATION_TYPES, ROTATIONS } from './node-phases.ts'

/** Most nodes of one batch, so that the status stays small at any size of a cluster. */
export const MAX_BATCH = 250

const BatchNodeSchema = object('One node of the batch.', {
  name: name('Name of the Node; of the machine, for one without a Node.', { maxLength: 253 }),
  bootId: optional(
    name('Boot ID it had when it was claimed: only another one proves that it was restarted.', { maxLength: 64 }),
  ),
  before: optional(NodeSettingsSchema),
  restoring: optional(
    flag('It could not be started with the wanted settings: those it had before are put back, once.'),
  ),
  failed: optional(
    object('Why it is not worked on any more.', {
      reason: name('Stable code of the cause.', { maxLength: 64 }),
      message: text('A sentence for a person.', { maxLength: 512 }),
    }),
  ),
  skipped: optional(text('Why it is left out for the rest of this run.', { maxLength: 512 })),
})

const BatchSchema = object('The nodes that are worked on now: claimed together, before the first of them is touched.', {
  startedAt: timestamp('When it was claimed; its deadline is `nodeTimeout` later.'),
  group: name('Group, or the first of the groups, that the nodes are of.'),
  nodes: keyedList('The nodes.', BatchNodeSchema, ['name'], { maxItems: MAX_BATCH }),
})

const GroupSettingsSchema = object('Settings of one group as they were when the run began.', {
  name: name('Name of the group.'),
  settings: NodeSettingsSchema,
})

const HolderSchema = object('The operation that holds the cluster.', {
  name: name('Name of the NodeOperation.'),
  uid: name('UID of the NodeOperation: a namesake is another one.'),
  type: choice(OPERATION_TYPES, 'What it does.'),
  startedAt: timestamp('When it took the cluster.'),
  from: choice(CLUSTER_STATES, 'State the cluster had before; it goes back to it when nothing was begun.'),
  entered: optional(choice(CLUSTER_STATES, 'State the operation set; absent when it runs without a change of state.')),
  wanted: optional(
    keyedList(
      'What the groups are brought to, fixed when the work began: later changes of the spec wait for the next run.',
      GroupSettingsSchema,
      ['name'],
      { maxItems: 64 },
    ),
  ),
  batch: optional(BatchSchema),
  lastBatchAt: optional(timestamp('When the last batch was done; `bakeTime` runs from here.')),
  holdSince: optional(timestamp('Since when the next batch waits for the cluster to be well.')),
  batches: optional(count('Batches that are over in this run.')),
  done: optional(count('Nodes that were brought to the wanted settings in this run.')),
  skipped: optional(
    keyedList(
      'Nodes that are left out of this run, with the reason.',
      object('One node.', {
        name: name('Name of the node.', { maxLength: 253 }),
        message: text('Why.', { maxLength: 256 }),
      }),
      ['name'],
      { maxItems: MAX_BATCH },
    ),
  ),
  outcome: optional(
    object('How it ends: written first, then everything it holds is released.', {
      phase: choice(OPERATION_OUTCOMES, 'The end.'),
      reason: name('Stable code of the cause.', { maxLength: 64 }),
      message: text('A sentence for a person.', { maxLength: 4096 }),
    }),
  ),
})

const GroupStatusSchema = object('One group as it is observed.', {
  name: name('Name of the group.'),
  type: choice(NODE_TYPES, 'What its nodes do.'),
  nodes: count('Nodes of the group.'),
  ready: count('Nodes that serve.'),
  outOfDate: count('Nodes that differ from the settings of the group.'),
  unavailable: count('Nodes that do not serve, whatever the cause.'),
})

export const ManagedClusterStatusSchema = object('What the operator observes of the cluster.', {
  observedGeneration: optional(longCount('The `metadata.generation` this status was computed from.')),
  state: optional(choice(CLUSTER_STATES, 'Where in its life the cluster is. Moved by compare-and-set only.')),
  operation: optional(HolderSchema),
  lastOperation: optional(
    object('The operation that held the cluster before.', {
      name: name('Name of the NodeOperation.'),
      uid: name('UID of the NodeOperation.'),
      phase: choice(OPERATION_OUTCOMES, 'How it ended.'),
      finishedAt: timestamp('When it let go of the cluster.'),
    }),
  ),
  rotation: optional(
    choice(ROTATIONS, '`Rotate` while nodes are being changed; `Freeze`, the dormant state, otherwise.'),
  ),
  groups: optional(keyedList('The groups as they are.', GroupStatusSchema, ['name'], { maxItems: 64 })),
  capacity: optional(
    object('Sum of the machines of control and worker nodes.', {
      cpu: count('CPU cores.'),
      memory: name('Memory as a Kubernetes quantity.'),
    }),
  ),
  lastError: optional(
    text('Why the last run stopped, and which nodes it could not do; absent when all went well.', { maxLength: 8192 }),
  ),
  ungrouped: optional(list('Nodes and machines that fit no group, the first few.', name('Name.'), { maxItems: 16 })),
  conditions: optional(ConditionsSchema),
})

export type ManagedClusterStatus = Static<typeof ManagedClusterStatusSchema>
export type OperationHolder = Static<typeof HolderSchema>
export type Batch = Static<typeof BatchSchema>
export type BatchNode = Static<typeof BatchNodeSchema>
export type GroupStatus = Static<typeof GroupStatusSchema>
export type Outcome = NonNullable<OperationHolder['outcome']>

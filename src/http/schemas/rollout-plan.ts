/** What a rollout would do, and the question for it: camelCase on the wire. */
import { type Static, Type } from '@sinclair/typebox'
import { NODE_TYPES } from '../../api/v1alpha1/node-group.ts'
import { CLUSTER_STATES } from '../../api/v1alpha1/node-phases.ts'
import { FINDINGS, type FindingKind } from '../../core/drain/preview.ts'
import { AllowLastWorker, MaxUnavailable, SelectorBody, SettingsByGroup } from './cluster.ts'
import { NoteView } from './note.ts'

const text = (description: string) => Type.String({ description })
const count = (description: string) => Type.Integer({ description, minimum: 0 })
const choice = <const V extends readonly string[]>(values: V, description: string) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values], description })

export const PlanBody = Type.Object(
  {
    settings: Type.Optional(SettingsByGroup),
    maxUnavailable: Type.Optional(MaxUnavailable),
    allowLastWorker: Type.Optional(AllowLastWorker),
    selector: Type.Optional(SelectorBody),
  },
  { description: 'A rollout that is only planned. Nothing is stored and no node is touched.' },
)
export type PlanBody = Static<typeof PlanBody>

const FindingView = Type.Object(
  {
    kind: choice(Object.keys(FINDINGS) as FindingKind[], 'What was found.'),
    blocks: Type.Boolean({ description: 'The drain would fail on it.' }),
    pods: Type.Array(text('`namespace/name`.'), { description: 'The pods.' }),
    budgets: Type.Array(text('`namespace/name`.'), { description: 'The PodDisruptionBudgets.' }),
    message: text('A sentence.'),
  },
  { description: 'Something that the drain of the node would meet.' },
)

const PlannedNodeView = Type.Object(
  {
    name: text('Name of the node.'),
    reasons: Type.Array(text('One difference.'), { description: 'Why it is rolled.' }),
    leftover: Type.Optional(Type.Boolean({ description: 'An earlier run left it behind: stopped, or marked.' })),
    findings: Type.Array(FindingView, { description: 'What its drain would meet.' }),
  },
  { description: 'One node.' },
)

export const RolloutPlanView = Type.Object(
  {
    cluster: text('Name of the cluster.'),
    state: choice(CLUSTER_STATES, 'State of the cluster.'),
    refused: Type.Optional(
      Type.Object(
        { reason: text('Stable code.'), message: text('A sentence.') },
        { description: 'Why a rollout would not start now; absent: it would.' },
      ),
    ),
    groups: Type.Array(
      Type.Object(
        {
          name: text('Name of the group.'),
          type: choice(NODE_TYPES, 'What its nodes do.'),
          nodes: count('Its nodes.'),
          outOfDate: count('Nodes that differ.'),
          skipped: Type.Optional(text('Why nothing of it is rolled although it differs.')),
        },
        { description: 'One group.' },
      ),
      { description: 'Every group.' },
    ),
    batches: Type.Array(
      Type.Object(
        {
          group: text('Group of the nodes.'),
          nodes: Type.Array(PlannedNodeView, { description: 'Nodes that are down together.' }),
          waitsFor: Type.Array(text('A sentence.'), {
            description: 'What the run would wait for before it; empty: nothing.',
          }),
          estimateMs: count('How long the batch takes, milliseconds.'),
        },
        { description: 'One batch.' },
      ),
      { description: 'In the order in which they would go.' },
    ),
    leftOut: Type.Array(
      Type.Object(
        { node: text('Name of the node.'), reason: text('Stable code.'), message: text('A sentence.') },
        { description: 'One node.' },
      ),
      { description: 'Nodes that differ, or are stopped, and are not rolled.' },
    ),
    totalNodes: count('Nodes in all batches.'),
    estimateMs: count('How long the whole run takes, milliseconds.'),
    estimateBasis: text('What the estimate comes from, in words.'),
    notes: Type.Array(NoteView, { description: 'What else is to be known.' }),
  },
  { description: 'What a rollout would do now. Nothing is done by asking.' },
)
export type RolloutPlanView = Static<typeof RolloutPlanView>

/** Bodies and answers of the routes of operations on the nodes of standing clusters: camelCase on the wire. */
import { type Static, Type } from '@sinclair/typebox'
import { NODE_STEPS, STRATEGIES } from '../../api/v1alpha1/node-operation.ts'
import { CLUSTER_STATES, OPERATION_PHASES, OPERATION_TYPES } from '../../api/v1alpha1/node-phases.ts'
import { AllowLastWorker, MaxUnavailable, SelectorBody, SettingsByGroup } from './cluster.ts'
import { NoteView } from './note.ts'

const text = (description: string) => Type.String({ description })
const count = (description: string) => Type.Integer({ description, minimum: 0 })
const choice = <const V extends readonly string[]>(values: V, description: string) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values], description })

/** Those that can be asked for here. */
export const REQUESTED_TYPES = ['Rollout', 'Start', 'Stop', 'Destroy'] as const

export const CreateOperationBody = Type.Object(
  {
    cluster: text('Name of the cluster.'),
    type: choice(REQUESTED_TYPES, 'What is done.'),
    settings: Type.Optional(SettingsByGroup),
    maxUnavailable: Type.Optional(MaxUnavailable),
    allowLastWorker: Type.Optional(AllowLastWorker),
    selector: Type.Optional(SelectorBody),
    idempotencyKey: Type.Optional(
      text('The same key and body from the same caller answer the same operation. Also as header `Idempotency-Key`.'),
    ),
  },
  {
    description:
      'A run over the nodes of a cluster. `settings`, `maxUnavailable`, `allowLastWorker` and `selector` are for a Rollout only.',
  },
)
export type CreateOperationBody = Static<typeof CreateOperationBody>

const OperationNodeView = Type.Object(
  {
    name: text('Name of the node.'),
    group: text('Name of its group.'),
    step: choice(NODE_STEPS, 'Where it is.'),
    since: text('When it came there (RFC 3339).'),
    waitingFor: Type.Optional(text('What it waits for, or why it failed.')),
    estimateMs: Type.Optional(count('How long it may still take, milliseconds; absent: nothing is known.')),
  },
  { description: 'One node that is worked on, failed or was skipped.' },
)

const ProgressView = Type.Object(
  {
    total: count('Nodes that the run is about.'),
    done: count('Nodes that this run brought to the wanted settings.'),
    outOfDate: count('Nodes that are still to be done.'),
    inFlight: count('Nodes that are worked on now.'),
    failed: count('Nodes that failed.'),
    skipped: count('Nodes that were left out.'),
    batches: Type.Optional(count('Batches that are over.')),
  },
  { description: 'Nodes by where they are; absent before the operation has taken its cluster.' },
)

export const OperationView = Type.Object(
  {
    name: text('Name of the operation.'),
    uid: text('UID of the NodeOperation.'),
    cluster: text('Name of the cluster.'),
    type: choice(OPERATION_TYPES, 'What it does.'),
    strategy: Type.Optional(choice(STRATEGIES, 'How nodes get new settings; absent: what the provider can do.')),
    phase: choice(OPERATION_PHASES, 'How far it is.'),
    ended: Type.Boolean({ description: 'Nothing changes any more.' }),
    state: Type.Optional(choice(CLUSTER_STATES, 'State that the cluster has for it.')),
    reason: Type.Optional(text('Stable code of what it does, waits for, or ended with.')),
    message: Type.Optional(text('What is going on, in a sentence.')),
    createdAt: Type.Optional(text('When it was asked for (RFC 3339).')),
    startedAt: Type.Optional(text('When it took the cluster (RFC 3339).')),
    endedAt: Type.Optional(text('When it ended (RFC 3339).')),
    progress: Type.Optional(ProgressView),
    nodes: Type.Array(OperationNodeView, { description: 'Those that are worked on, failed or were skipped.' }),
    eta: Type.Optional(text('When it will be done at the pace so far (RFC 3339).')),
    etaMs: Type.Optional(count('The same from now, milliseconds.')),
    lastError: Type.Optional(text('Why it failed.')),
    maxUnavailable: Type.Optional(
      Type.Unsafe<number | string>({ description: 'Most workers of a group at a time, where it was asked for.' }),
    ),
    allowLastWorker: Type.Boolean({ description: 'Whether the only worker may be taken down.' }),
    storingSettings: Type.Optional(
      Type.Boolean({ description: 'It holds the cluster, or waits for it, until its settings are stored.' }),
    ),
    cancelRequested: Type.Boolean({ description: 'It ends after the nodes that are being worked on.' }),
    cancelReason: Type.Optional(text('Who asked for that, or why its settings were not stored.')),
    requestedBy: Type.Optional(text('Identity of who asked for it; absent: it was not asked for through this API.')),
  },
  { description: 'One run over the nodes of a cluster.' },
)
export type OperationView = Static<typeof OperationView>

export const OperationList = Type.Object(
  { operations: Type.Array(OperationView, { description: 'Newest first.' }) },
  { description: 'Operations on clusters that you may see.' },
)
export type OperationList = Static<typeof OperationList>

export const OperationExplanation = Type.Object(
  {
    operation: OperationView,
    notes: Type.Array(NoteView, { description: 'What it does, waits for or refuses now, and why.' }),
  },
  { description: 'Why an operation does what it does.' },
)
export type OperationExplanation = Static<typeof OperationExplanation>

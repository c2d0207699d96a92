/** Answer of `GET /v1/pools/:name/plan`. */
import { type Static, Type } from '@sinclair/typebox'
import { NoteView } from './note.ts'

const text = (description: string) => Type.String({ description })
const count = (description: string) => Type.Integer({ description, minimum: 0 })

export const PLAN_ACTIONS = [
  'AddFinalizer',
  'RemoveFinalizer',
  'CreateInstance',
  'RecycleInstance',
  'StampInstance',
] as const

const ActionView = Type.Object(
  {
    kind: Type.Unsafe<(typeof PLAN_ACTIONS)[number]>({
      type: 'string',
      enum: [...PLAN_ACTIONS],
      description: 'What is done.',
    }),
    member: Type.Optional(text('Name of the member; absent: the pool itself.')),
    reason: Type.Optional(text('Why a member is recycled, such as `spec_drift` or `scale_down`.')),
    message: text('A sentence.'),
  },
  { description: 'One step.' },
)

const UpgradeView = Type.Object(
  {
    remaining: count('Outdated members that are in use or usable, leased ones included.'),
    floor: count('Least number of Ready members during the upgrade.'),
    maxRecycling: count('Most members recycled for it at a time; 0 pauses it.'),
    maxSurge: count('Most members above the warm target meanwhile, as far as the ceiling leaves room.'),
    startedAt: Type.Optional(text('When it began (RFC 3339); absent before its first pass.')),
  },
  { description: 'The change of the template that is being rolled out; absent when no member is outdated.' },
)

export const PoolPlan = Type.Object(
  {
    name: text('Name of the pool.'),
    at: text('The moment it was planned for (RFC 3339).'),
    actions: Type.Array(ActionView, { description: 'What the next pass does, in order; empty: nothing.' }),
    notes: Type.Array(NoteView, { description: 'Why it does that, and why it does nothing else.' }),
    nextLookSeconds: Type.Optional(
      count('When the pool is looked at again without an event; absent: only an event can change anything.'),
    ),
    upgrade: Type.Optional(UpgradeView),
  },
  { description: 'What the operator would do for the pool now. Nothing is done by asking.' },
)
export type PoolPlan = Static<typeof PoolPlan>

/** Answers of `GET /v1/leases/:id/plan` and `/explain`. */
import { type Static, Type } from '@sinclair/typebox'
import { LEASE_MOMENTS, type LeaseMomentKind } from '../../core/lease/moments.ts'
import { LeaseDetail } from './lease.ts'
import { NoteView } from './note.ts'

const text = (description: string) => Type.String({ description })

export const LEASE_PLAN_ACTIONS = [
  'AddFinalizer',
  'RemoveFinalizer',
  'ProbeCandidate',
  'RecordIntent',
  'ReserveInstance',
  'CreateConnectToken',
  'CaptureDiagnostics',
  'DeleteConnectToken',
  'DeleteLease',
] as const

const LeaseActionView = Type.Object(
  {
    kind: Type.Unsafe<(typeof LEASE_PLAN_ACTIONS)[number]>({
      type: 'string',
      enum: [...LEASE_PLAN_ACTIONS],
      description: 'What is done.',
    }),
    cluster: Type.Optional(text('Name of the cluster it is about; absent: the lease itself.')),
    message: text('A sentence.'),
  },
  { description: 'One step.' },
)

const MomentView = Type.Object(
  {
    kind: Type.Unsafe<LeaseMomentKind>({
      type: 'string',
      enum: [...LEASE_MOMENTS],
      description: 'What happens then.',
    }),
    at: text('When (RFC 3339).'),
    message: text('A sentence.'),
  },
  { description: 'What happens at a known time, if nothing else does before.' },
)

const planned = {
  at: text('The moment it was planned for (RFC 3339).'),
  upcoming: Type.Array(MomentView, { description: 'What is ahead of the lease, soonest first.' }),
  notes: Type.Array(NoteView, { description: 'What the planner has to say of the lease now.' }),
}

export const LeasePlan = Type.Object(
  {
    id: text('Id of the lease.'),
    phase: LeaseDetail.properties.phase,
    next_phase: LeaseDetail.properties.phase,
    actions: Type.Array(LeaseActionView, { description: 'What the next pass does, in order; empty: nothing.' }),
    next_look_seconds: Type.Optional(
      Type.Integer({
        description: 'When the lease is looked at again without an event; absent: only an event can change anything.',
        minimum: 0,
      }),
    ),
    ...planned,
  },
  { description: 'What the operator would do for the lease now. Nothing is done by asking.' },
)
export type LeasePlan = Static<typeof LeasePlan>

const { kubeconfig: _kubeconfig, teardown_receipt: _receipt, ...explained } = LeaseDetail.properties

export const LeaseExplanation = Type.Object(
  {
    ...explained,
    because: Type.Object(
      {
        reason: text('Stable code.'),
        message: text('A sentence.'),
        since: Type.Optional(text('Since when (RFC 3339); absent: it is about to be recorded.')),
      },
      { description: 'Why the lease is in this phase, as the operator would say it now.' },
    ),
    ...planned,
  },
  { description: 'Why a lease waits, is bound or has ended, and what is ahead of it. Without its credential.' },
)
export type LeaseExplanation = Static<typeof LeaseExplanation>

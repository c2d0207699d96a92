/** Bodies and answers of the lease routes. Field names are snake_case on the wire, except `idempotencyKey`. */
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { CLEANUP_MODES } from '../../api/v1alpha1/cluster-lease.ts'
import { LEASE_PHASES } from '../../api/v1alpha1/phases.ts'
import { ConditionView } from './condition.ts'

const text = (description: string, options: object = {}) => Type.String({ description, ...options })
const nullable = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const choice = <const V extends readonly string[]>(values: V, description: string) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values], description })

export const CreateLeaseBody = Type.Object(
  {
    profile: Type.Optional(text('Name of the pool to lease from. Required, here or as `pool`.')),
    pool: Type.Optional(text('Another spelling of `profile`.')),
    ttl: nullable(
      text(
        'How long to keep the cluster once it is bound, such as `30m`. Default: the `ttl` of the pool. Cut to the `maxTtl` of the policy.',
      ),
    ),
    alias: nullable(text('A name of your own, unique among your active leases; a DNS label.')),
    metadata: nullable(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        description: 'Free data, handed back as it was given.',
        additionalProperties: true,
      }),
    ),
    idempotencyKey: nullable(
      text('The same key and body from the same caller answer the same lease. Also as header `Idempotency-Key`.'),
    ),
    cleanup_mode: nullable(choice(CLEANUP_MODES, 'How the cluster is destroyed afterwards. Default `Standard`.')),
    allow_stale: nullable(
      Type.Boolean({
        description: 'Whether a cluster made from an earlier template of the pool will do. Default true.',
      }),
    ),
    diagnostics: nullable(
      Type.Boolean({
        description:
          'Keeps events, resources and logs of the cluster when the lease ends. Default: what the pool says.',
      }),
    ),
    idle_timeout: nullable(text('Releases the lease early when no heartbeat arrives for this long.')),
  },
  { description: 'A request for a cluster. Unknown fields are named in a `Warning` header.' },
)
export type CreateLeaseBody = Static<typeof CreateLeaseBody>

export const ExtendLeaseBody = Type.Object(
  { extend_ttl: text('By how much the expiry moves, such as `30m`.') },
  { description: 'An extension.' },
)
export type ExtendLeaseBody = Static<typeof ExtendLeaseBody>

const summaryFields = {
  id: text('Id of the lease.'),
  phase: choice(LEASE_PHASES, 'Where in its life the lease is.'),
  profile: text('Name of the pool.'),
  cluster_name: Type.Optional(text('Name of the cluster, once bound.')),
  expires_at: Type.Optional(text('When the lease ends unless it is extended (RFC 3339).')),
  queue_position: Type.Optional(
    Type.Integer({ description: 'Place in the queue, 1 being next; absent when not queued.' }),
  ),
  diagnostics_url: Type.Optional(
    text('Where the diagnostics of the cluster are downloaded, once the lease has ended.'),
  ),
  alias: Type.Optional(text('The alias, if there is one.')),
  metadata: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      description: 'What the request gave.',
      additionalProperties: true,
    }),
  ),
}

const measured = (what: string) => ({
  seconds: Type.Optional(Type.Integer({ description: `Mean of the ${what}.`, minimum: 0 })),
  samples: Type.Integer({ description: `How many ${what} were measured.`, minimum: 0 }),
})
const EstimateBasis = Type.Object(
  {
    creations: Type.Object(measured('recent creations of a cluster of the pool'), {
      description: 'From the creation of a cluster until it is Ready.',
    }),
    holds: Type.Object(measured('recent times a lease of the pool was held'), {
      description: 'From binding to end. Without any, a lease is taken to live until it expires.',
    }),
    coming: Type.Integer({ description: 'Clusters that are on their way to Ready.', minimum: 0 }),
    leased: Type.Integer({ description: 'Clusters that come free when their leases end.', minimum: 0 }),
  },
  { description: 'What the estimate was made from.' },
)

const waitingFields = {
  reason: Type.Optional(
    text('While Pending: why it waits, such as `Warming`, `AllLeased`, `QuotaReached`, `Backoff`.'),
  ),
  message: Type.Optional(text('What is going on, in a sentence.')),
  estimate_seconds: Type.Optional(
    Type.Integer({ description: 'While Pending: how long it may still take, where that is known.', minimum: 1 }),
  ),
  estimate_basis: Type.Optional(EstimateBasis),
}

export const LeaseCreated = Type.Object(
  {
    ...summaryFields,
    ...waitingFields,
    effective_ttl: Type.Optional(text('The TTL granted, when it is less than what was asked for.')),
  },
  { description: 'The lease that was created, or the earlier one of the same idempotency key.' },
)
export type LeaseCreated = Static<typeof LeaseCreated>

export const LeaseSummary = Type.Object(
  {
    ...summaryFields,
    ...waitingFields,
    requester: Type.Optional(text('Identity of the requester; only for own leases.')),
  },
  { description: 'One lease in a list.' },
)
export type LeaseSummary = Static<typeof LeaseSummary>

export const LeaseDetail = Type.Object(
  {
    ...summaryFields,
    ...waitingFields,
    kubeconfig: Type.Optional(
      text('While Bound: a complete kubeconfig. Holds a credential of this lease; it ends with the lease.'),
    ),
    conditions: Type.Optional(Type.Array(ConditionView, { description: 'Absent when there are none.' })),
    created_at: Type.Optional(text('When it was requested (RFC 3339).')),
    bound_at: Type.Optional(text('When it was bound (RFC 3339).')),
    ttl: Type.Optional(text('How long the cluster is kept once bound.')),
    extensions: Type.Optional(Type.Integer({ description: 'How many times it was extended.' })),
    teardown_receipt: Type.Optional(
      Type.Unsafe<object>({ type: 'object', description: 'Proof of a verified cleanup.', additionalProperties: true }),
    ),
  },
  { description: 'One lease.' },
)
export type LeaseDetail = Static<typeof LeaseDetail>

export const LeaseExtended = Type.Object(
  { expires_at: text('The new expiry (RFC 3339).') },
  { description: 'The extended lease.' },
)
export const HeartbeatTaken = Type.Object(
  {
    id: text('Id of the lease.'),
    phase: choice(LEASE_PHASES, 'Where in its life the lease is.'),
    expires_at: Type.Optional(text('When the lease ends unless it is extended; a heartbeat does not move it.')),
    last_heartbeat: text('The moment that was recorded (RFC 3339).'),
  },
  { description: 'The heartbeat was recorded.' },
)
export const DiagnosticsView = Type.Object(
  {
    url: text('Where the bundle is downloaded, with the same credential.'),
    lease_id: text('Id of the lease.'),
    captured_at: text('When it was made (RFC 3339).'),
    kept_until: text('When it is removed at the latest (RFC 3339).'),
    bytes: Type.Integer({ description: 'Size of the bundle.', minimum: 0 }),
    complete: Type.Boolean({ description: 'False: a bound on size or time cut something off; the bundle says what.' }),
  },
  { description: 'Diagnostics of a lease.' },
)

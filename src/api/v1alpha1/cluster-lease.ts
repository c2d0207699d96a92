/** ClusterLease: a request for a cluster of a pool, and the binding that answers it. */
import type { Static } from '@sinclair/typebox'
import {
  anyObject,
  choice,
  count,
  DNS_LABEL,
  defaulted,
  duration,
  flag,
  type Input,
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
import { LeaseBindingSchema, TeardownReceiptSchema } from './lease-binding.ts'
import { LEASE_PHASES } from './phases.ts'

export type { BackendProvenance, LeaseBinding, TeardownCheck, TeardownReceipt } from './lease-binding.ts'

export const CLEANUP_MODES = ['Standard', 'VerifiedDestroy'] as const
export type CleanupMode = (typeof CLEANUP_MODES)[number]

const RequesterSchema = object('Who asks.', {
  type: name(
    'How the requester was authenticated: the name of an AccessPolicy, with `:` and the matched claim value if there is one.',
    {
      maxLength: 512,
    },
  ),
  identity: name('Identity of the requester; quota and ownership go by it.', { maxLength: 1024 }),
})

const IdempotencySchema = object('Makes a repeated request find this lease again.', {
  keyHash: text('SHA-256 of requester and idempotency key, in hex.', { pattern: '^[0-9a-f]{64}$', maxLength: 64 }),
  requestHash: text('SHA-256 of the canonical request, in hex: another request under the same key is refused.', {
    pattern: '^[0-9a-f]{64}$',
    maxLength: 64,
  }),
})

/** A field that keeps its first value, absence included. (A rule on an optional field itself is skipped when it appears or goes.) */
const writeOnce = (field: string, why: string): Rule => ({
  rule: `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
  message: `${field} is immutable: ${why}`,
  reason: 'FieldValueForbidden',
  fieldPath: `.${field}`,
})

const NEW_LEASE = 'release this lease and request another'

export const LeaseSpecSchema = withRules(
  object('The request.', {
    poolRef: text('Name of the pool in the same namespace.', { minLength: 1, maxLength: 63, pattern: DNS_LABEL }),
    ttl: duration('How long the cluster is kept once it is bound. Extensions move `status.expiresAt`, never this.'),
    requester: RequesterSchema,
    priority: defaulted(count('Place in the queue: higher first.'), 50),
    cleanupMode: defaulted(
      choice(
        CLEANUP_MODES,
        'How the cluster is destroyed afterwards. `VerifiedDestroy` proves that nothing is left, where the backend can. Set once, on creation.',
      ),
      'Standard',
    ),
    allowStale: defaulted(flag('Whether a member made from an earlier template will do.'), true),
    diagnostics: optional(
      flag(
        'Whether events, resources and logs of the cluster are kept when the lease ends. Default: what the pool says.',
      ),
    ),
    idleTimeout: optional(duration('Releases the lease early when no heartbeat arrived for this long.')),
    alias: optional(
      text('A name of its own, unique among the active leases of the requester.', {
        minLength: 1,
        maxLength: 63,
        pattern: DNS_LABEL,
      }),
    ),
    idempotency: optional(IdempotencySchema),
    metadata: optional(anyObject('Free data of the requester, handed back as it was given.')),
  }),
  [
    writeOnce('poolRef', NEW_LEASE),
    writeOnce('ttl', 'extend the lease instead'),
    writeOnce('requester', NEW_LEASE),
    writeOnce('cleanupMode', 'it is chosen when the lease is created'),
    writeOnce('allowStale', NEW_LEASE),
    writeOnce('alias', NEW_LEASE),
    writeOnce('idempotency', 'it belongs to the request that created the lease'),
  ],
)

export const LeaseStatusSchema = object('The answer.', {
  observedGeneration: optional(longCount('The `metadata.generation` this status was computed from.')),
  phase: defaulted(choice(LEASE_PHASES, 'Where in its life the lease is.'), 'Pending'),
  clusterName: optional(text('Name of the ClusterInstance.')),
  binding: optional(LeaseBindingSchema),
  boundAt: optional(timestamp('When it was bound.')),
  expiresAt: optional(timestamp('When it ends unless it is extended.')),
  lastHeartbeat: optional(timestamp('When the requester last gave a sign of life.')),
  endedAt: optional(timestamp('When it was released or expired.')),
  queuePosition: defaulted(count('Place in the queue, 1 being next; 0 when not queued.'), 0),
  extensionsCount: defaulted(count('How many times it was extended.'), 0),
  maxExtensions: defaulted(count('How many times it may be extended.'), 0),
  diagnosticsUrl: optional(text('Path of the HTTP API under which the diagnostics are downloaded.')),
  message: optional(text('What is going on, in a sentence.')),
  teardownReceipt: optional(TeardownReceiptSchema),
  conditions: optional(ConditionsSchema),
})

export const ClusterLeaseSchema = kindSchema(
  'A request for a cluster of a pool, and the binding that answers it.',
  LeaseSpecSchema,
  LeaseStatusSchema,
)

export type LeaseSpec = Static<typeof LeaseSpecSchema>
export type LeaseStatus = Static<typeof LeaseStatusSchema>
export type Requester = Static<typeof RequesterSchema>
export type Idempotency = Static<typeof IdempotencySchema>
export type { LeasePhase } from './phases.ts'
export interface ClusterLease extends ObjectWithStatus<typeof LeaseSpecSchema, typeof LeaseStatusSchema> {}

/** What an author writes: fields with a default may be left out. */
export interface ClusterLeaseInput extends KubeObject {
  spec: Input<typeof LeaseSpecSchema>
  status?: Input<typeof LeaseStatusSchema>
}

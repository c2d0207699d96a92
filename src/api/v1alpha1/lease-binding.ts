/** What ties a lease to an instance, written on both sides, and what a verified cleanup leaves behind as proof. */
import type { Static } from '@sinclair/typebox'
import { choice, count, defaulted, list, longCount, name, object, optional, text, timestamp } from '../field.ts'
import { BACKEND_TYPES } from './backend.ts'
import { exactRef } from './references.ts'

const SHA256 = { pattern: '^[0-9a-f]{64}$' }
const SPEC_DIGEST = { pattern: '^([0-9a-f]{16}|[0-9a-f]{64})$' }

const ProvenanceSchema = object('Which backend made the instance, and with which configuration.', {
  type: choice(BACKEND_TYPES, 'Type of the backend.'),
  configDigest: text('SHA-256 of the backend block, in hex.', SHA256),
  capi: optional(
    object('Cluster API: the infrastructure object of the instance.', {
      infrastructureApiVersion: name('apiVersion of the infrastructure object.'),
      infrastructureKind: name('Kind of the infrastructure object.'),
      infrastructurePlural: optional(name('Plural resource name of that kind.')),
    }),
  ),
})

export const LeaseBindingSchema = object('The pairing of one lease with one instance; the same on both.', {
  bindingId: text('UUID of this pairing.', { minLength: 1, maxLength: 128 }),
  lease: exactRef('The lease.'),
  instance: object('The instance.', {
    name: name('Name of the instance.'),
    uid: name('UID of the instance.'),
    observedGeneration: longCount('Generation of the instance when it was bound.', 1),
  }),
  pool: exactRef('The pool of the instance.'),
  backend: ProvenanceSchema,
  instanceSpecDigest: text('Spec hash of the instance when it was bound.', SPEC_DIGEST),
})

export const CHECK_RESULTS = ['verified', 'notApplicable', 'unknown'] as const

const TeardownCheckSchema = object('What was found about one subject.', {
  subject: name('The kind of thing that must be gone, such as `serverStatefulSet` or `process`.'),
  result: choice(CHECK_RESULTS, '`unknown` keeps the instance quarantined.'),
  reason: optional(text('Stable code of why it is not verified.')),
  verified: defaulted(list('Names or UIDs proven to be gone.', text('One name or UID.')), []),
  kind: optional(text('Kind of the object, for one that is known by UID.')),
  name: optional(text('Name of the object.')),
  uid: optional(text('UID of the object.')),
  at: optional(timestamp('When it was checked.')),
  how: optional(text('How its absence was proven, in a sentence.')),
})

export const TeardownReceiptSchema = object('Proof of a verified cleanup, or of what is missing from it.', {
  schemaVersion: defaulted(count('Version of this shape.', { minimum: 1 }), 1),
  attemptId: name('UUID of the attempt.'),
  lease: exactRef('The lease whose cleanup this is.'),
  instance: exactRef('The instance that was destroyed.'),
  pool: exactRef('The pool of the instance.'),
  backendType: choice(BACKEND_TYPES, 'Type of the backend.'),
  configDigest: text('SHA-256 of the backend block, in hex.', SHA256),
  instanceSpecDigest: text('Spec hash of the instance.', SPEC_DIGEST),
  startedAt: timestamp('When the first attempt began.'),
  completedAt: optional(timestamp('When every subject was verified.')),
  checks: defaulted(list('One entry for each subject.', TeardownCheckSchema), []),
  retryCount: defaulted(count('Attempts after the first.'), 0),
  outcome: choice(['verified', 'quarantined'], 'Whether everything is proven to be gone.'),
})

export type BackendProvenance = Static<typeof ProvenanceSchema>
export type LeaseBinding = Static<typeof LeaseBindingSchema>
export type TeardownCheck = Static<typeof TeardownCheckSchema>
export type TeardownReceipt = Static<typeof TeardownReceiptSchema>

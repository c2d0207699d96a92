/** `status` of a ClusterPool. */
import type { Static } from '@sinclair/typebox'
import { choice, count, defaulted, keyedList, longCount, name, object, optional, text, timestamp } from '../field.ts'
import { ConditionsSchema } from './conditions.ts'
import { POOL_PHASES } from './phases.ts'

export const SPEC_HASH = { pattern: '^[0-9a-f]{16}$' }

const digest = (description: string) => text(description, SPEC_HASH)

/** Says which of the four sources of a spec hash changed, also after a restart of the operator. */
export const SpecHashSourcesSchema = object('A digest of each source of the spec hash.', {
  version: count('Which algorithm made the digests; those of different algorithms cannot be compared.', { minimum: 1 }),
  spec: digest('What the pool says of the shape of a member.'),
  operator: digest('Configuration of the operator that shapes members; backend vkobe only.'),
  bootstraps: digest('Content of the BootstrapConfigs that the pool names.'),
  workload: digest('What the backend would make now.'),
})

export type SpecHashSources = Static<typeof SpecHashSourcesSchema>

const UpgradeStatusSchema = object('The replacement of outdated members that is going on.', {
  startedAt: timestamp('When it began.'),
  oldHash: optional(text('Spec hash most members had when it began.', SPEC_HASH)),
  newHash: text('Spec hash the members are brought to.', SPEC_HASH),
  remaining: count('Outdated members that are left, leased ones included.'),
})

const CreationFailureSchema = object('One member that could not be created.', {
  uid: name('UID of the ClusterInstance: each is counted once.'),
  name: name('Name of the ClusterInstance.'),
  reason: name('Stable code of the cause.'),
  message: optional(text('A sentence for a person.', { maxLength: 4096 })),
  at: timestamp('When it failed.'),
  specHash: optional(text('Spec hash it was made with: a changed template deserves a new try.', SPEC_HASH)),
})

export const PoolStatusSchema = object('What the operator observes of the pool.', {
  observedGeneration: optional(longCount('The `metadata.generation` this status was computed from.')),
  phase: optional(choice(POOL_PHASES, 'Summary of the state, for display.')),
  ready: defaulted(count('Members that are warm and free.'), 0),
  leased: defaulted(count('Members that are bound to a lease.'), 0),
  creating: defaulted(count('Members on their way to Ready.'), 0),
  recycling: defaulted(count('Members that are being destroyed.'), 0),
  unhealthy: defaulted(count('Members that failed to come up or failed their probes.'), 0),
  quarantined: defaulted(count('Members whose cleanup could not be proven; they count against the ceiling.'), 0),
  queueDepth: defaulted(count('Leases that wait for a member.'), 0),
  warmTarget: optional(count('Members that should be Ready or on their way, surge and queue included.')),
  drifted: defaulted(count('Members, leased ones included, that were made from another template.'), 0),
  currentSpecHash: optional(text('Spec hash of the present template.', SPEC_HASH)),
  specHashSources: optional(SpecHashSourcesSchema),
  highestIndex: defaulted(longCount('Highest number ever given to a member; numbers are never used again.'), 0),
  effectiveSurge: optional(count('Surge that fits under the ceiling right now.')),
  upgrade: optional(UpgradeStatusSchema),
  consecutiveFailures: defaulted(count('Creation failures since a member last became Ready.'), 0),
  failures: defaulted(
    keyedList('Creation failures since a member last became Ready, the latest last.', CreationFailureSchema, ['uid'], {
      maxItems: 64,
    }),
    [],
  ),
  nextAttemptAt: optional(timestamp('Before this moment no member is created.')),
  lastFailureReason: optional(text('What went wrong last, in a sentence.')),
  goldenBackup: optional(text('Name of the backup that new members are restored from.')),
  goldenTemplateDb: optional(text('Name of the template database that new members start from.')),
  goldenGeneration: optional(longCount('Generation of the pool that the backup was made from.')),
  maxAttemptedIndex: defaulted(longCount('Highest number of a member whose creation was tried.'), 0),
  lastReadyMaxIndex: defaulted(longCount('Highest number of a member that became Ready.'), 0),
  conditions: optional(ConditionsSchema),
})

export type PoolStatus = Static<typeof PoolStatusSchema>
export type UpgradeStatus = Static<typeof UpgradeStatusSchema>
export type CreationFailure = Static<typeof CreationFailureSchema>

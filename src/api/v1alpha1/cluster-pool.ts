/** ClusterPool: a number of warm clusters of one shape, kept ready to be leased. */
import type { Static } from '@sinclair/typebox'
import { count, defaulted, duration, type Input, object, optional, withRules } from '../field.ts'
import { kindSchema, type ObjectWithStatus } from '../kind.ts'
import type { KubeObject } from '../resource.ts'
import { BackendSchema } from './backend.ts'
import { AddonsSchema, BootstrapsSchema, ClusterTemplateSchema, ResourcesSchema } from './cluster-template.ts'
import {
  DiagnosticsSchema,
  HealthCheckSchema,
  ReadinessGatesSchema,
  ScalingSchema,
  SnapshotSchema,
  UpgradePolicySchema,
} from './pool-policy.ts'
import { PoolStatusSchema } from './pool-status.ts'

export type { Backend, BackendType, EmbeddedBackend } from './backend.ts'
export type { Addon, BootstrapRef, ClusterTemplate, Resources } from './cluster-template.ts'
export type { Condition } from './conditions.ts'
export type {
  Diagnostics,
  FailureBackoff,
  GateType,
  HealthCheck,
  ReadinessGate,
  Scaling,
  Snapshot,
  UpgradePolicy,
} from './pool-policy.ts'
export type { CreationFailure, PoolStatus, SpecHashSources, UpgradeStatus } from './pool-status.ts'

export const PoolSpecSchema = object('The pool as it is wanted.', {
  size: defaulted(count('Members kept Ready. Ignored when `scaling` is set.'), 3),
  ttl: defaulted(duration('How long a lease lives when its requester does not say.'), '2h'),
  // Spelled out: the rules of the block are run over this default before anything is filled in.
  backend: defaulted(BackendSchema, { type: 'k3s' }),
  cluster: ClusterTemplateSchema,
  addons: defaulted(AddonsSchema, []),
  bootstraps: defaulted(BootstrapsSchema, []),
  resources: optional(ResourcesSchema),
  healthCheck: defaulted(HealthCheckSchema, {}),
  readinessGates: defaulted(ReadinessGatesSchema, []),
  scaling: optional(ScalingSchema),
  queueTimeout: optional(
    duration('How long a lease may wait in the queue of a pool of fixed size; without limit when left out.'),
  ),
  upgradePolicy: defaulted(UpgradePolicySchema, {}),
  maxConcurrentCreates: optional(
    count('Most members being created at a time; what the backend recommends when left out.', { minimum: 1 }),
  ),
  diagnostics: optional(DiagnosticsSchema),
  snapshot: optional(SnapshotSchema),
})

/** `pool-<name>-<n>` has to stay a DNS label of at most 63 characters, with n up to seven digits. */
export const POOL_NAME_MAX_LENGTH = 50

export const ClusterPoolSchema = withRules(
  kindSchema('A number of warm clusters of one shape, kept ready to be leased.', PoolSpecSchema, PoolStatusSchema),
  [
    {
      rule: `self.metadata.name.size() <= ${POOL_NAME_MAX_LENGTH} && self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')`,
      message: `the name of a pool is part of the names of its members: at most ${POOL_NAME_MAX_LENGTH} lower case letters, digits and dashes, beginning and ending with a letter or digit`,
      reason: 'FieldValueInvalid',
    },
  ],
)

export type PoolSpec = Static<typeof PoolSpecSchema>
export interface ClusterPool extends ObjectWithStatus<typeof PoolSpecSchema, typeof PoolStatusSchema> {}

/** What an author writes: fields with a default may be left out. */
export interface ClusterPoolInput extends KubeObject {
  spec: Input<typeof PoolSpecSchema>
  status?: Input<typeof PoolStatusSchema>
}

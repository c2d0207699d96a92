/** ClusterInstance: one cluster, usually a member of a pool. Written by the operator. */
import type { Static } from '@sinclair/typebox'
import {
  choice,
  count,
  defaulted,
  flag,
  type Input,
  list,
  longCount,
  name,
  object,
  optional,
  text,
  timestamp,
  withRules,
} from '../field.ts'
import { kindSchema, type ObjectWithStatus } from '../kind.ts'
import type { KubeObject } from '../resource.ts'
import { BACKEND_TYPES, BackendSchema } from './backend.ts'
import { AddonsSchema, BootstrapsSchema, ClusterTemplateSchema, ResourcesSchema } from './cluster-template.ts'
import { ConditionsSchema } from './conditions.ts'
import { LeaseBindingSchema } from './lease-binding.ts'
import { INSTANCE_PHASES } from './phases.ts'
import { HealthCheckSchema, ReadinessGatesSchema, SnapshotSchema } from './pool-policy.ts'
import { SPEC_HASH, SpecHashSourcesSchema } from './pool-status.ts'
import { objectRef } from './references.ts'

export const TEARDOWN_SUBJECTS = [
  'agentDeployment',
  'serverStatefulSet',
  'serverPods',
  'service',
  'podDisruptionBudget',
  'publisherConfigMap',
  'registriesConfigMap',
  'tokenSecret',
  'kubeconfigSecret',
  'connectTokenSecret',
  'cidrClaim',
  'serverDataPvcs',
  'serverDataVolumes',
  'database',
  'databaseRole',
  'process',
  'files',
  'port',
] as const

export const InstanceSpecSchema = withRules(
  object('The cluster as it is wanted. A member of a pool has `poolRef` and takes the rest from its pool.', {
    poolRef: optional(objectRef('The pool of which this is a member.')),
    backend: optional(BackendSchema),
    cluster: optional(ClusterTemplateSchema),
    addons: defaulted(AddonsSchema, []),
    bootstraps: defaulted(BootstrapsSchema, []),
    healthCheck: optional(HealthCheckSchema),
    readinessGates: defaulted(ReadinessGatesSchema, []),
    snapshot: optional(SnapshotSchema),
  }),
  [
    {
      rule: 'has(self.poolRef) || (has(self.backend) && has(self.cluster))',
      message: 'an instance needs poolRef, or backend and cluster of its own',
      reason: 'FieldValueRequired',
    },
    {
      rule: 'has(self.poolRef) == has(oldSelf.poolRef) && (!has(self.poolRef) || self.poolRef == oldSelf.poolRef)',
      message: 'poolRef is immutable: an instance never changes its pool',
      reason: 'FieldValueForbidden',
    },
  ],
)

const NetworkSchema = object('Address ranges of the cluster.', {
  serviceCidr: name('Range of Service addresses.'),
  clusterCidr: name('Range of pod addresses.'),
})

const CreatedWithSchema = object(
  'What the instance was created with. Written once; access and teardown go by this, never by the present pool.',
  {
    operatorVersion: name('Version of the operator that created it.'),
    backendType: optional(choice(BACKEND_TYPES, 'Type of the backend.')),
    kobeSyncImage: optional(text('Image of the sync sidecar. Backend vkobe only.')),
    poolUid: optional(name('UID of the pool.')),
    backend: optional(BackendSchema),
    configDigest: optional(text('SHA-256 of the backend block, in hex.', { pattern: '^[0-9a-f]{64}$' })),
    cluster: optional(ClusterTemplateSchema),
    resources: optional(ResourcesSchema),
    teardownPlan: optional(
      list('What a verified cleanup has to prove gone.', choice(TEARDOWN_SUBJECTS, 'One subject.')),
    ),
  },
)

const ManifestEntrySchema = object('One object that the backend created.', {
  apiVersion: optional(text('apiVersion of the object; none for what is not a Kubernetes object.')),
  kind: name('Kind of the object.'),
  namespace: optional(text('Namespace of the object.')),
  name: name('Name of the object.'),
  uid: name('UID of the object; for a process its PID and start time, for a file its path.'),
})

const QuarantineSchema = object('Why the instance is out of use.', {
  since: timestamp('When the cleanup was first found unproven.'),
  reason: name('Stable code of the cause.'),
  subjects: defaulted(list('What is not proven to be gone.', text('One subject.')), []),
})

export const InstanceStatusSchema = object('What the operator observes of the cluster.', {
  observedGeneration: optional(longCount('The `metadata.generation` this status was computed from.')),
  phase: defaulted(choice(INSTANCE_PHASES, 'Where in its life the cluster is.'), 'Creating'),
  provisioned: defaulted(flag('Whether the backend has made the cluster.'), false),
  bootstrapped: defaulted(flag('Whether every bootstrap has run.'), false),
  specHash: optional(text('Hash of the template it was made from.', SPEC_HASH)),
  specHashVersion: optional(count('Which algorithm made `specHash`.', { minimum: 1 })),
  specHashSources: optional(SpecHashSourcesSchema),
  leaseRef: optional(objectRef('The lease that holds the cluster; absent while it is free.')),
  binding: optional(LeaseBindingSchema),
  activeBootstrap: optional(text('The bootstrap that runs right now.')),
  idleSince: optional(timestamp('Since when it is Ready and unused.')),
  stateSince: optional(timestamp('When the phase last changed.')),
  readySince: optional(timestamp('When it first became Ready.')),
  healthFailures: defaulted(count('Failed probes in a row.'), 0),
  lastProbeTime: optional(timestamp('When it was last probed.')),
  network: optional(NetworkSchema),
  createdWith: optional(CreatedWithSchema),
  creationManifest: optional(
    list('Each object that the backend created, complete before the instance is bound.', ManifestEntrySchema),
  ),
  teardownIdentities: defaulted(list('Names of volumes that must be gone after teardown.', text('One name.')), []),
  quarantine: optional(QuarantineSchema),
  message: optional(text('What is going on, in a sentence.')),
  conditions: optional(ConditionsSchema),
})

export const ClusterInstanceSchema = kindSchema(
  'One cluster, usually a member of a pool. Written by the operator.',
  InstanceSpecSchema,
  InstanceStatusSchema,
)

export type InstanceSpec = Static<typeof InstanceSpecSchema>
export type InstanceStatus = Static<typeof InstanceStatusSchema>
export type CreatedWith = Static<typeof CreatedWithSchema>
export type ManifestEntry = Static<typeof ManifestEntrySchema>
export type Quarantine = Static<typeof QuarantineSchema>
export type TeardownSubject = (typeof TEARDOWN_SUBJECTS)[number]
export type { InstancePhase } from './phases.ts'
export interface ClusterInstance extends ObjectWithStatus<typeof InstanceSpecSchema, typeof InstanceStatusSchema> {}

/** What an author writes: fields with a default may be left out. */
export interface ClusterInstanceInput extends KubeObject {
  spec: Input<typeof InstanceSpecSchema>
  status?: Input<typeof InstanceStatusSchema>
}

/** How many members a pool keeps, when they count as ready, how they are probed, rolled, and restored. */
import { type Static, Type } from '@sinclair/typebox'
import { choice, count, defaulted, duration, flag, list, name, object, optional, withRules } from '../field.ts'

export const GATE_TYPES = [
  'AddonsReady',
  'CRDExists',
  'NodesReady',
  'DeploymentReady',
  'DaemonSetReady',
  'URLHealthy',
  'SchedulingProbe',
  'DNSHealthy',
  'InClusterToken',
] as const
export type GateType = (typeof GATE_TYPES)[number]

/** Which fields a gate of each type must have. */
export const GATE_REQUIRED_FIELDS: Readonly<Record<GateType, readonly ('name' | 'namespace' | 'count' | 'url')[]>> = {
  AddonsReady: [],
  CRDExists: ['name'],
  NodesReady: ['count'],
  DeploymentReady: ['name', 'namespace'],
  DaemonSetReady: ['name', 'namespace'],
  URLHealthy: ['url'],
  SchedulingProbe: [],
  DNSHealthy: [],
  InClusterToken: [],
}

export const ReadinessGateSchema = object(
  'One condition that a new member must meet before it is Ready.',
  {
    type: choice(GATE_TYPES, 'What is checked; decides which of the other fields are required.'),
    name: optional(name('Name of the object: required for `CRDExists`, `DeploymentReady` and `DaemonSetReady`.')),
    namespace: optional(
      name(
        'Namespace of the object: required for `DeploymentReady` and `DaemonSetReady`; `kube-system` when left out for `SchedulingProbe`, `DNSHealthy` and `InClusterToken`.',
      ),
    ),
    count: optional(count('Least number of Ready nodes: required for `NodesReady`.')),
    url: optional(name('https URL that must answer 2xx: required for `URLHealthy`.', { maxLength: 2048 })),
    serviceAccount: optional(name('Account whose token is tried by `InClusterToken`; `default` when left out.')),
  },
  {
    anyOf: GATE_TYPES.map((type) => {
      const required = GATE_REQUIRED_FIELDS[type]
      return { properties: { type: { enum: [type] } }, ...(required.length === 0 ? {} : { required: [...required] }) }
    }),
  },
)

export const ReadinessGatesSchema = list(
  'All must pass, in this order, before a new member is Ready. An empty list stands for the defaults of the backend.',
  ReadinessGateSchema,
)

export const HealthCheckSchema = object(
  'How Ready members are probed; they are probed with the defaults when this is left out.',
  {
    intervalSeconds: defaulted(count('Seconds between two probes of a member.', { minimum: 1 }), 30),
    failureThreshold: defaulted(count('Failures in a row after which a member is recycled.', { minimum: 1 }), 3),
  },
)

const FailureBackoffSchema = object('How long creation pauses after failures.', {
  base: defaulted(duration('Pause after the first failure.'), '5s'),
  multiplier: defaulted(
    Type.Number({
      description: 'Factor by which the pause grows with each further failure.',
      format: 'double',
      minimum: 1,
    }),
    2,
  ),
  max: defaulted(duration('Longest pause.'), '2m'),
})

export const ScalingSchema = object('Sizes the pool by demand. When set, `size` is ignored.', {
  minReady: defaulted(count('Members kept Ready; 0 scales to zero.'), 1),
  maxClusters: defaulted(count('Most members of the pool in any state.'), 8),
  scaleUpThreshold: defaulted(
    count(
      'When the Ready count has dropped to this number, recently leased members are made good in advance; 0 waits for the queue.',
    ),
    0,
  ),
  scaleDownAfter: defaulted(duration('How long a surplus member stays idle before it is removed.'), '5m'),
  queueTimeout: defaulted(duration('How long a lease may wait in the queue before it expires.'), '5m'),
  creatingTimeout: defaulted(duration('How long a member may take to become Ready before it is replaced.'), '10m'),
  failureBackoff: defaulted(FailureBackoffSchema, {}),
})

export const UpgradePolicySchema = object('How members are replaced when the template of the pool changes.', {
  maxRecycling: defaulted(
    count('Most members being recycled for a changed template at a time; 0 pauses the upgrade.'),
    1,
  ),
  maxSurge: defaulted(count('Members above the warm target while an outdated Ready member remains.'), 1),
  minReadyDuringUpgrade: optional(
    count(
      'Least number of Ready members, outdated ones included, during an upgrade; `scaling.minReady` or `size` when left out.',
    ),
  ),
})

/** What is not done is refused, not ignored: whoever turns diagnostics on would look for them elsewhere, or for more in them. */
export const DiagnosticsSchema = withRules(
  object('Keeps logs and state of a member when its lease ends.', {
    enabled: defaulted(flag('Whether diagnostics are captured.'), false),
    storage: optional(
      name(
        'Another place for diagnostics, such as `s3://bucket/prefix`, for manifests that have it; refused with `enabled`. Diagnostics are kept in the diagnostics directory of the operator (`KOBE_DIAGNOSTICS_DIR`).',
      ),
    ),
    retentionDays: defaulted(count('Days after which they are removed.', { minimum: 1 }), 7),
    logLines: defaulted(count('Most lines kept of each log.', { minimum: 1 }), 1000),
    includeSecrets: defaulted(
      flag('Whether Secrets are captured too, for manifests that have it; refused with `enabled`: they never are.'),
      false,
    ),
  }),
  [
    {
      rule: '!self.enabled || !has(self.storage)',
      message:
        'diagnostics.storage is not supported: diagnostics are kept in the diagnostics directory of the operator (KOBE_DIAGNOSTICS_DIR) and downloaded with kobe diagnostics. Leave storage out',
      reason: 'FieldValueForbidden',
      fieldPath: '.storage',
    },
    {
      rule: '!self.enabled || !self.includeSecrets',
      message:
        'diagnostics.includeSecrets is not supported: Secrets never leave a leased cluster in its diagnostics. Set it to false, and read a Secret with the kubeconfig of the lease while it is bound',
      reason: 'FieldValueForbidden',
      fieldPath: '.includeSecrets',
    },
  ],
)

export const SnapshotSchema = object('Restores new members from a Velero backup of a prepared one.', {
  enabled: defaulted(flag('Whether snapshots are used.'), false),
  veleroNamespace: defaulted(name('Namespace of Velero.'), 'velero'),
  storageLocation: defaulted(name('Name of the BackupStorageLocation.'), 'default'),
  goldenPrefix: defaulted(name('Prefix of the names of the backups.'), 'golden'),
  ttl: defaulted(duration('How long a backup is kept.'), '720h'),
  refreshOn: defaulted(
    choice(
      ['ProfileChange', 'Manual'],
      'When a new backup is made: when the template of the pool changes, or on request only.',
    ),
    'ProfileChange',
  ),
})

export type ReadinessGate = Static<typeof ReadinessGateSchema>
export type HealthCheck = Static<typeof HealthCheckSchema>
export type FailureBackoff = Static<typeof FailureBackoffSchema>
export type Scaling = Static<typeof ScalingSchema>
export type UpgradePolicy = Static<typeof UpgradePolicySchema>
export type Diagnostics = Static<typeof DiagnosticsSchema>
export type Snapshot = Static<typeof SnapshotSchema>

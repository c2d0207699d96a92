/** What has to be well before, between and during batches. No data counts as unhealthy. */
import { type Static, Type } from '@sinclair/typebox'
import {
  anyObject,
  choice,
  count,
  DNS_LABEL,
  defaulted,
  duration,
  keyedList,
  list,
  name,
  object,
  optional,
  stringMap,
  withRules,
} from '../field.ts'

export const HEALTH_CHECK_TYPES = [
  'nodesReady',
  'machinesRunning',
  'controlPlane',
  'etcdQuorum',
  'workloads',
  'pdbHeadroom',
  'http',
  'prometheus',
  'job',
  'cel',
] as const
export type HealthCheckType = (typeof HEALTH_CHECK_TYPES)[number]

/** These need a block of their own name. */
const PLUG_INS = ['http', 'prometheus', 'job', 'cel'] as const

/** How a number is compared with the wanted one. */
export const COMPARISONS = ['Below', 'AtMost', 'AtLeast', 'Above'] as const
export type Comparison = (typeof COMPARISONS)[number]

/** No user and password: a URL is shown in messages. */
const WEB_URL = '^https?://[^/?#@\\s]+([/?][^\\s]*)?$'

const url = (description: string) => name(description, { maxLength: 2048, pattern: WEB_URL })

const secretKey = (description: string, key: string) =>
  object(description, {
    name: name('Name of the Secret, in the namespace of the ManagedCluster.', { maxLength: 253 }),
    key: defaulted(name('Key in it.', { maxLength: 253 }), key),
  })

/** A token is never sent in the clear. */
const TOKEN_NEEDS_TLS = {
  rule: "!has(self.bearerTokenSecretRef) || self.url.startsWith('https://')",
  message: 'a bearer token is only sent over https',
  reason: 'FieldValueForbidden' as const,
  fieldPath: '.bearerTokenSecretRef',
}

/** How a server over HTTP is spoken to. */
const access = () => ({
  bearerTokenSecretRef: optional(secretKey('Secret that holds the bearer token to send; https only.', 'token')),
  caSecretRef: optional(
    secretKey('Secret that holds the CA certificates to trust, in PEM; those of the system when left out.', 'ca.crt'),
  ),
})

const HttpSchema = withRules(
  object('A URL that has to answer. Redirects are not followed.', {
    url: url('URL, http or https; without user and password.'),
    status: defaulted(count('Status it answers with.', { minimum: 100, maximum: 599 }), 200),
    ...access(),
  }),
  [TOKEN_NEEDS_TLS],
)

const PrometheusSchema = withRules(
  object('A query whose single value is compared. No value, NaN and more than one value are unhealthy.', {
    url: url('URL of the Prometheus server, without `/api/v1/query`.'),
    query: name('PromQL that gives one number.', { maxLength: 4096 }),
    is: choice(COMPARISONS, 'How the number relates to `value` when all is well.'),
    value: Type.Number({ description: 'What it is compared with.', format: 'double' }),
    ...access(),
  }),
  [TOKEN_NEEDS_TLS],
)

const JobSchema = object(
  'A Job that has to succeed. It runs in the cluster while nodes are changed, again and again, and is deleted when it has ended.',
  {
    namespace: defaulted(
      name('Namespace of the cluster that it runs in.', { pattern: DNS_LABEL, maxLength: 63 }),
      'default',
    ),
    template: anyObject(
      'Spec of the Job. When it does not say otherwise: no retries, and restartPolicy Never; its deadline is `timeout`.',
    ),
    every: defaulted(duration('Least time from the start of one Job to the start of the next.'), '60s'),
  },
)

const WorkloadsSchema = object('Which workloads count; all when left out.', {
  namespaces: optional(
    list('Their namespaces.', name('Name of a namespace.', { maxLength: 63 }), { minItems: 1, maxItems: 64 }),
  ),
  matchLabels: optional(stringMap('Labels that they, and their pods, have.')),
})

const HealthCheckSchema = withRules(
  object('One check.', {
    name: name('Name of the check, for messages.', { pattern: DNS_LABEL, maxLength: 63 }),
    type: choice(
      HEALTH_CHECK_TYPES,
      'What is checked; `http`, `prometheus`, `job` and `cel` need a block of that name.',
    ),
    timeout: optional(
      duration('How long one try may take; no answer by then is unhealthy. 10s when left out, 300s for a job.'),
    ),
    workloads: optional(WorkloadsSchema),
    http: optional(HttpSchema),
    prometheus: optional(PrometheusSchema),
    job: optional(JobSchema),
    cel: optional(
      object('An expression over the cluster that has to be true.', {
        expression: name(
          'CEL over `nodes`, `pods`, `daemonSets` and `budgets` (lists of the objects), `machines`, and `groups` (name, type, nodes, ready of each). Numbers are doubles: `size(groups) == 2`, `groups[0].ready + 1.0`. Cut off after 250 ms.',
          { maxLength: 4096 },
        ),
      }),
    ),
  }),
  [
    ...PLUG_INS.map((type) => ({
      rule: `(self.type == '${type}') == has(self.${type})`,
      message: `a check of type ${type} has a block ${type}, and no other check has one`,
      reason: 'FieldValueInvalid' as const,
      fieldPath: `.${type}`,
    })),
    {
      rule: "!has(self.workloads) || self.type == 'workloads'",
      message: 'workloads is only for a check of type workloads',
      reason: 'FieldValueForbidden' as const,
      fieldPath: '.workloads',
    },
  ],
)

export const HealthChecksSchema = keyedList(
  'Checks besides the built-in ones: all other nodes Ready and machines running, etcd with quorum, the API served. Asked before each batch, and before each step of a node that is still up.',
  HealthCheckSchema,
  ['name'],
  { maxItems: 32 },
)

export type NodeHealthCheck = Static<typeof HealthCheckSchema>
export type HttpAccess = Pick<NonNullable<NodeHealthCheck['http']>, 'bearerTokenSecretRef' | 'caSecretRef'>

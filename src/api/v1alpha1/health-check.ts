/** What has to be well before, between and during batches. No data counts as unhealthy. */
import { type Static, Type } from '@sinclair/typebox'
import {
  anyObject,
  choice,
  count,
  DNS_LABEL,
  defaulted,
  keyedList,
  name,
  object,
  optional,
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

const HealthCheckSchema = withRules(
  object('One check.', {
    name: name('Name of the check, for messages.', { pattern: DNS_LABEL, maxLength: 63 }),
    type: choice(
      HEALTH_CHECK_TYPES,
      'What is checked; `http`, `prometheus`, `job` and `cel` need a block of that name.',
    ),
    http: optional(
      object('A URL that has to answer.', {
        url: name('URL, http or https.', { maxLength: 2048 }),
        status: defaulted(count('Status it answers with.', { minimum: 100, maximum: 599 }), 200),
      }),
    ),
    prometheus: optional(
      object('A query whose single value is compared.', {
        url: name('URL of the Prometheus server.', { maxLength: 2048 }),
        query: name('PromQL that gives one number.', { maxLength: 4096 }),
        is: choice(['Below', 'AtMost', 'AtLeast', 'Above'], 'How the number relates to `value` when all is well.'),
        value: Type.Number({ description: 'What it is compared with.', format: 'double' }),
      }),
    ),
    job: optional(object('A Job that has to succeed.', { template: anyObject('Spec of the Job.') })),
    cel: optional(
      object('An expression over the cluster that has to be true.', {
        expression: name('CEL; `nodes`, `machines` and `groups` are at hand.', { maxLength: 4096 }),
      }),
    ),
  }),
  PLUG_INS.map((type) => ({
    rule: `(self.type == '${type}') == has(self.${type})`,
    message: `a check of type ${type} has a block ${type}, and no other check has one`,
    reason: 'FieldValueInvalid' as const,
    fieldPath: `.${type}`,
  })),
)

export const HealthChecksSchema = keyedList(
  'Checks besides the built-in ones: all other nodes Ready and machines running, etcd with quorum, the API served.',
  HealthCheckSchema,
  ['name'],
  { maxItems: 32 },
)

export type NodeHealthCheck = Static<typeof HealthCheckSchema>

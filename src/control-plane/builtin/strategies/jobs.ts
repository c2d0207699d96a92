/** Jobs and CronJobs [k8s batch/v1]. */

import type { StoredObject, Strategy } from '../../registry/resource-definition.ts'
import { invalidError, notSupportedError, requiredError } from '../../schema/field-error.ts'
import { equalJson } from '../../schema/json.ts'
import type { FieldError } from '../../schema/schema.ts'
import { isCronSchedule } from '../cron-schedule.ts'
import { at, ensureFields, type Fields, fieldsAt, isFields, numberAt, setDefault, textAt } from '../fields.ts'
import { IMMUTABLE, labelSelector, notNegative, oneOf, selectorMatches, unchanged } from './checks.ts'
import { defaultPodTemplate } from './pod-spec-defaults.ts'
import { validatePodTemplate } from './pod-spec-validation.ts'

/** Labels by which a Job finds its pods; the short ones are what older programs look for. */
const PREFIX = 'batch.kubernetes.io/'
const UID_LABELS = ['controller-uid', `${PREFIX}controller-uid`]
const NAME_LABELS = ['job-name', `${PREFIX}job-name`]

export const jobStrategy: Strategy = {
  prepareForCreate: generateSelector,
  defaults(job) {
    const spec = ensureFields(job, 'spec')
    defaultJobSpec(spec)
    setDefault(spec, 'manualSelector', false)
  },
  validate: (job) => [
    ...validateJobSpec(at(job, 'spec'), 'spec'),
    ...labelSelector(at(job, 'spec.selector'), 'spec.selector'),
    ...validateSelector(job),
  ],
  validateUpdate: validateJobUpdate,
}

function defaultJobSpec(spec: Fields): void {
  if (spec['completions'] === undefined && spec['parallelism'] === undefined) spec['completions'] = 1
  setDefault(spec, 'parallelism', 1)
  setDefault(spec, 'backoffLimit', spec['backoffLimitPerIndex'] === undefined ? 6 : 2_147_483_647)
  setDefault(spec, 'completionMode', 'NonIndexed')
  setDefault(spec, 'suspend', false)
  setDefault(spec, 'podReplacementPolicy', spec['podFailurePolicy'] === undefined ? 'TerminatingOrFailed' : 'Failed')
  defaultPodTemplate(spec)
}

/** Unless the user selects pods himself, a Job selects those that carry its UID. */
function generateSelector(job: StoredObject): void {
  const spec = ensureFields(job, 'spec')
  if (spec['manualSelector'] === true) return
  const labels = ensureFields(ensureFields(ensureFields(spec, 'template'), 'metadata'), 'labels')
  for (const name of NAME_LABELS) setDefault(labels, name, job.metadata.name)
  for (const name of UID_LABELS) setDefault(labels, name, job.metadata.uid)
  const selector = ensureFields(ensureFields(spec, 'selector'), 'matchLabels')
  setDefault(selector, `${PREFIX}controller-uid`, job.metadata.uid)
  // A Job without labels takes those of its pods.
  job.metadata.labels ??= { ...(labels as Record<string, string>) }
}

const COUNTS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
]

function validateJobSpec(spec: unknown, field: string): FieldError[] {
  const policy = textAt(spec, 'template.spec.restartPolicy')
  const indexed = textAt(spec, 'completionMode') === 'Indexed'
  return [
    ...notNegative(spec, COUNTS, `${field}.`),
    ...oneOf(spec, 'completionMode', ['NonIndexed', 'Indexed'], `${field}.`),
    ...oneOf(spec, 'podReplacementPolicy', ['Failed', 'TerminatingOrFailed'], `${field}.`),
    ...(indexed && at(spec, 'completions') === undefined
      ? [requiredError(`${field}.completions`, 'when completion mode is Indexed')]
      : []),
    ...validatePodTemplate(at(spec, 'template'), `${field}.template`),
    ...(policy === 'OnFailure' || policy === 'Never'
      ? []
      : [restartPolicyError(policy, `${field}.template.spec.restartPolicy`)]),
  ]
}

/** `Always` is a valid policy, but not for pods that are to end. */
function restartPolicyError(policy: string, field: string): FieldError {
  if (policy !== 'Always') return notSupportedError(field, policy, ['OnFailure', 'Never'])
  return requiredError(field, 'valid values: "OnFailure", "Never"')
}

function validateSelector(job: StoredObject): FieldError[] {
  const selector = at(job, 'spec.selector')
  const podLabels = fieldsAt(job, 'spec.template.metadata.labels')
  if (!isFields(selector)) return [requiredError('spec.selector')]
  return [
    ...(at(job, 'spec.manualSelector') === true ? [] : validateGenerated(job, selector, podLabels)),
    ...(selectorMatches(selector, podLabels)
      ? []
      : [invalidError('spec.template.metadata.labels', podLabels, '`selector` does not match template `labels`')]),
  ]
}

function validateGenerated({ metadata }: StoredObject, selector: unknown, podLabels: Fields): FieldError[] {
  const expected: Record<string, string> = {
    ...Object.fromEntries(UID_LABELS.map((label) => [label, metadata.uid])),
    ...Object.fromEntries(NAME_LABELS.map((label) => [label, metadata.name])),
  }
  const wrong = Object.entries(expected).filter(([label, value]) => podLabels[label] !== value)
  return [
    ...wrong.map(([label, value]) =>
      invalidError(`spec.template.metadata.labels[${label}]`, podLabels, `must be '${value}'`),
    ),
    ...(selectorMatches(selector, expected)
      ? []
      : [invalidError('spec.selector', selector, '`selector` not auto-generated')]),
  ]
}

const FIXED = ['selector', 'completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy']

function validateJobUpdate(job: StoredObject, old: StoredObject): FieldError[] {
  return [
    ...validateCompletions(job, old),
    ...unchanged(
      job,
      old,
      FIXED.slice(0, 1).map((name) => `spec.${name}`),
    ),
    ...validateTemplateUpdate(job, old),
    ...unchanged(
      job,
      old,
      FIXED.slice(1).map((name) => `spec.${name}`),
    ),
  ]
}

/** Of an indexed Job completions may change together with parallelism. */
function validateCompletions(job: StoredObject, old: StoredObject): FieldError[] {
  const completions = at(job, 'spec.completions')
  if (textAt(job, 'spec.completionMode') !== 'Indexed') return unchanged(job, old, ['spec.completions'])
  if (completions === undefined || completions === at(old, 'spec.completions')) return []
  if (completions === numberAt(job, 'spec.parallelism')) return []
  return [invalidError('spec.completions', completions, 'can only be modified in tandem with spec.parallelism')]
}

/** A suspended Job that never started may be directed to other nodes, as queueing systems do. */
const DIRECTIVES = ['affinity', 'nodeSelector', 'tolerations', 'schedulingGates']

function validateTemplateUpdate(job: StoredObject, old: StoredObject): FieldError[] {
  const [next, previous] = [fieldsAt(job, 'spec.template'), fieldsAt(old, 'spec.template')]
  if (equalJson(next, previous)) return []
  const isFree = at(old, 'spec.suspend') === true && at(old, 'status.startTime') === undefined
  const fixed = (template: Fields): unknown =>
    Object.entries(fieldsAt(template, 'spec'))
      .filter(([name]) => !DIRECTIVES.includes(name))
      .sort()
  if (isFree && equalJson(fixed(next), fixed(previous))) return []
  return [invalidError('spec.template', next, IMMUTABLE)]
}

export const cronJobStrategy: Strategy = {
  defaults(cronJob) {
    const spec = ensureFields(cronJob, 'spec')
    setDefault(spec, 'concurrencyPolicy', 'Allow')
    setDefault(spec, 'suspend', false)
    setDefault(spec, 'successfulJobsHistoryLimit', 3)
    setDefault(spec, 'failedJobsHistoryLimit', 1)
    defaultPodTemplate(ensureFields(ensureFields(spec, 'jobTemplate'), 'spec'))
  },
  validate: (cronJob) => [
    ...validateSchedule(textAt(cronJob, 'spec.schedule')),
    ...validateTimeZone(at(cronJob, 'spec.timeZone')),
    ...oneOf(cronJob, 'spec.concurrencyPolicy', ['Allow', 'Forbid', 'Replace']),
    ...notNegative(cronJob, [
      'spec.startingDeadlineSeconds',
      'spec.successfulJobsHistoryLimit',
      'spec.failedJobsHistoryLimit',
    ]),
    ...validateJobSpec(at(cronJob, 'spec.jobTemplate.spec'), 'spec.jobTemplate.spec'),
  ],
}

function validateSchedule(schedule: string): FieldError[] {
  if (schedule === '') return []
  if (schedule.includes('TZ')) {
    return [invalidError('spec.schedule', schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')]
  }
  if (isCronSchedule(schedule)) return []
  const parts = schedule.trim().split(/\s+/)
  if (parts.length !== 5 && !schedule.startsWith('@')) {
    const detail = `expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`
    return [invalidError('spec.schedule', schedule, detail)]
  }
  return [
    invalidError(
      'spec.schedule',
      schedule,
      'expected five fields (minute, hour, day of month, month, day of week) or a word such as @daily',
    ),
  ]
}

function validateTimeZone(zone: unknown): FieldError[] {
  if (typeof zone !== 'string') return []
  try {
    Intl.DateTimeFormat('en', { timeZone: zone })
    return []
  } catch {
    return [invalidError('spec.timeZone', zone, `unknown time zone ${zone}`)]
  }
}

/** Columns of the kinds that make pods, and of what scales and protects those. */
import { at, listAt, numberAt, textAt } from '../../builtin/fields.ts'
import type { PrinterColumn, StoredObject } from '../../registry/resource-definition.ts'
import {
  AGE,
  column,
  containers,
  count,
  formatLabels,
  hasCondition,
  integer,
  NAME,
  NONE,
  ratio,
  selector,
  since,
  text,
  UNSET,
  wide,
} from '../column.ts'
import { humanDuration } from '../human-duration.ts'
import { formatMetrics } from './metrics.ts'

const TEMPLATE = 'spec.template.spec.containers'

const replicaCounts = [
  NAME,
  integer('Desired', 'spec.replicas'),
  integer('Current', 'status.replicas'),
  integer('Ready', 'status.readyReplicas'),
  AGE,
  ...containers(TEMPLATE),
]

const intOrString = (name: string, path: string): PrinterColumn =>
  column(name, (object) => String(at(object, path) ?? 'N/A'))

const hpaColumns: readonly PrinterColumn[] = [
  NAME,
  column('Reference', (hpa) => `${textAt(hpa, 'spec.scaleTargetRef.kind')}/${textAt(hpa, 'spec.scaleTargetRef.name')}`),
  column('Targets', formatMetrics),
  column('MinPods', (hpa) => String(at(hpa, 'spec.minReplicas') ?? UNSET)),
  count('MaxPods', 'spec.maxReplicas'),
  count('Replicas', 'status.currentReplicas'),
  AGE,
]

export const workloadColumns: Readonly<Record<string, readonly PrinterColumn[]>> = {
  'apps/Deployment': [
    NAME,
    ratio('Ready', 'status.readyReplicas', 'spec.replicas'),
    count('Up-to-date', 'status.updatedReplicas'),
    count('Available', 'status.availableReplicas'),
    AGE,
    ...containers(TEMPLATE),
    ...wide(selector('spec.selector')),
  ],
  'apps/ReplicaSet': [...replicaCounts, ...wide(selector('spec.selector'))],
  '/ReplicationController': [
    ...replicaCounts,
    ...wide(column('Selector', (object) => formatLabels(at(object, 'spec.selector')))),
  ],
  'apps/StatefulSet': [NAME, ratio('Ready', 'status.readyReplicas', 'spec.replicas'), AGE, ...containers(TEMPLATE)],
  'apps/DaemonSet': [
    NAME,
    integer('Desired', 'status.desiredNumberScheduled'),
    integer('Current', 'status.currentNumberScheduled'),
    integer('Ready', 'status.numberReady'),
    integer('Up-to-date', 'status.updatedNumberScheduled'),
    integer('Available', 'status.numberAvailable'),
    column('Node Selector', (object) => formatLabels(at(object, 'spec.template.spec.nodeSelector'))),
    AGE,
    ...containers(TEMPLATE),
    ...wide(selector('spec.selector')),
  ],
  'apps/ControllerRevision': [NAME, column('Controller', controllerOf), count('Revision', 'revision'), AGE],
  'batch/Job': [
    NAME,
    column('Status', jobStatus),
    column('Completions', jobCompletions),
    column('Duration', jobDuration),
    AGE,
    ...containers(TEMPLATE),
    ...wide(selector('spec.selector')),
  ],
  'batch/CronJob': [
    NAME,
    text('Schedule', 'spec.schedule'),
    text('Timezone', 'spec.timeZone', NONE),
    column('Suspend', (object) => titleCase(at(object, 'spec.suspend')), 'boolean'),
    column('Active', (object) => listAt(object, 'status.active').length, 'integer'),
    since('Last Schedule', 'status.lastScheduleTime', NONE),
    AGE,
    ...containers('spec.jobTemplate.spec.template.spec.containers'),
    ...wide(selector('spec.jobTemplate.spec.selector')),
  ],
  'policy/PodDisruptionBudget': [
    NAME,
    intOrString('Min Available', 'spec.minAvailable'),
    intOrString('Max Unavailable', 'spec.maxUnavailable'),
    integer('Allowed Disruptions', 'status.disruptionsAllowed'),
    AGE,
  ],
  'autoscaling/HorizontalPodAutoscaler': hpaColumns,
  '/PodTemplate': [
    NAME,
    ...containers('template.spec.containers').map(({ priority: _narrow, ...shown }) => shown),
    column('Pod Labels', (object) => formatLabels(at(object, 'template.metadata.labels'))),
  ],
}

function controllerOf({ metadata }: StoredObject): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true)
  if (owner === undefined) return NONE
  const group = owner.apiVersion.includes('/') ? `.${owner.apiVersion.split('/')[0]}` : ''
  return `${owner.kind}${group}/${owner.name}`.replace(/^[^/]*/, (kind) => kind.toLowerCase())
}

/** First hit wins. */
const JOB_CONDITIONS = ['Complete', 'Failed', '(deleted)', 'Suspended', 'FailureTarget', 'SuccessCriteriaMet']

function jobStatus(job: StoredObject): string {
  const deleted = job.metadata.deletionTimestamp !== undefined
  const found = JOB_CONDITIONS.find((type) => (type === '(deleted)' ? deleted : hasCondition(job, type)))
  return found === '(deleted)' ? 'Terminating' : (found ?? 'Running')
}

function jobCompletions(job: StoredObject): string {
  const succeeded = numberAt(job, 'status.succeeded')
  const completions = at(job, 'spec.completions')
  if (typeof completions === 'number') return `${succeeded}/${completions}`
  const parallelism = numberAt(job, 'spec.parallelism')
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

function jobDuration(job: StoredObject, now: number): string {
  const started = Date.parse(textAt(job, 'status.startTime'))
  if (Number.isNaN(started)) return ''
  const completed = Date.parse(textAt(job, 'status.completionTime'))
  return humanDuration((Number.isNaN(completed) ? now : completed) - started)
}

function titleCase(value: unknown): string {
  if (value === undefined || value === null) return UNSET
  return value === true ? 'True' : 'False'
}

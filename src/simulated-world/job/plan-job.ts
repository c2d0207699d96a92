/**
 * What a Job needs next [k8s job controller]. First hit wins:
 *
 *   finished      -> nothing more, but the end of `ttlSecondsAfterFinished`
 *   too many failures, or past its deadline -> its pods go, condition Failed
 *   enough successes -> condition Complete
 *   suspended     -> its pods go
 *   else          -> as many pods as `parallelism` and the missing completions allow; after a failure with a growing wait
 *
 * Counts come from the pods that exist and never fall below what the status says, so a finished pod may be deleted.
 */
import { formatTimestamp, parseTimestamp } from '../../api/timestamp.ts'
import type { Action, Note, Plan } from '../engine/plan.ts'
import { type Condition, JOBS, type Job, PODS, type Pod } from '../kinds.ts'
import { withCondition } from '../objects/conditions.ts'
import { conditionOf, isActive, isReady, isTerminating, ownerReferenceTo, podFromTemplate } from '../objects/pods.ts'

export interface ObservedJob {
  readonly job: Job
  /** The pods that it controls. */
  readonly pods: readonly Pod[]
}

interface Situation extends ObservedJob {
  readonly active: readonly Pod[]
  readonly succeeded: number
  readonly failed: number
  readonly now: number
}

const FIRST_WAIT_MS = 10_000
const LONGEST_WAIT_MS = 360_000

export function planJob({ job, pods }: ObservedJob, now: number): Plan {
  if (isTerminating(job)) return { actions: [], notes: [] }
  const finished = endedCondition(job)
  if (finished !== undefined) return afterEnd(job, finished, now)
  const count = (phase: string) => pods.filter(({ status }) => status?.phase === phase).length
  const situation: Situation = {
    job,
    pods,
    now,
    active: pods.filter(isActive),
    succeeded: Math.max(job.status?.succeeded ?? 0, count('Succeeded')),
    failed: Math.max(job.status?.failed ?? 0, count('Failed')),
  }
  const failure = failureOf(situation)
  if (failure !== undefined) return failJob(situation, failure)
  if (isComplete(situation)) return completeJob(situation)
  if (job.spec.suspend) return suspendJob(situation)
  return runJob(situation)
}

function endedCondition({ status }: Job): Condition | undefined {
  return status?.conditions?.find(({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True')
}

function afterEnd(job: Job, { lastTransitionTime = '' }: Condition, now: number): Plan {
  const { ttlSecondsAfterFinished: ttl } = job.spec
  const endedAt = parseTimestamp(lastTransitionTime)
  if (ttl === undefined || endedAt === undefined) return { actions: [], notes: [] }
  const left = endedAt + ttl * 1000 - now
  if (left > 0) return { actions: [], notes: [], requeueAfterMs: left }
  return { actions: [{ kind: 'Delete', type: JOBS, object: job }], notes: [] }
}

function failureOf({ job, failed, now }: Situation): { reason: string; message: string } | undefined {
  if (failed > (job.spec.backoffLimit ?? 6)) {
    return { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' }
  }
  const left = deadlineInMs(job, now)
  if (left !== undefined && left <= 0) {
    return { reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' }
  }
  return undefined
}

function deadlineInMs({ spec, status }: Job, now: number): number | undefined {
  const startedAt = parseTimestamp(status?.startTime ?? '')
  if (spec.activeDeadlineSeconds === undefined || startedAt === undefined) return undefined
  return startedAt + spec.activeDeadlineSeconds * 1000 - now
}

/** Without `completions`: one success, and then no pod is left at work. */
function isComplete({ job, active, succeeded }: Situation): boolean {
  const { completions } = job.spec
  return completions === undefined ? succeeded > 0 && active.length === 0 : succeeded >= completions
}

function failJob(situation: Situation, { reason, message }: { reason: string; message: string }): Plan {
  const conditions = ended(situation, 'FailureTarget', 'Failed', { reason, message })
  return {
    actions: situation.active.map(deletePod),
    notes: [{ type: 'Warning', reason, message }],
    status: { ...countsOf(situation), active: 0, ready: 0, conditions },
  }
}

function completeJob(situation: Situation): Plan {
  const why = { reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' }
  const conditions = ended(situation, 'SuccessCriteriaMet', 'Complete', why)
  return {
    actions: situation.active.map(deletePod),
    notes: [{ type: 'Normal', reason: 'Completed', message: 'Job completed' }],
    status: {
      ...countsOf(situation),
      active: 0,
      ready: 0,
      completionTime: formatTimestamp(situation.now),
      conditions,
    },
  }
}

/** The API server wants the announcing condition before, or together with, the final one. */
function ended(
  { job, now }: Situation,
  announced: string,
  final: string,
  why: { reason: string; message: string },
): readonly Condition[] {
  const first = withCondition(job.status?.conditions, { type: announced, status: 'True', ...why }, now)
  return withCondition(first, { type: final, status: 'True', ...why }, now)
}

function suspendJob(situation: Situation): Plan {
  const { job, now, active } = situation
  const suspended = { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' }
  const { startTime: _, ...counts } = countsOf(situation)
  return {
    actions: active.map(deletePod),
    notes: [],
    status: { ...counts, active: 0, ready: 0, conditions: withCondition(job.status?.conditions, suspended, now) },
  }
}

function runJob(situation: Situation): Plan {
  const { job, active, now } = situation
  const wanted = wantedActive(situation)
  const surplus = active.slice(wanted)
  const waitMs = wanted > active.length ? retryInMs(situation) : 0
  const missing = waitMs > 0 ? 0 : Math.max(0, wanted - active.length)
  const resumed = conditionOf(job.status?.conditions, 'Suspended')?.status === 'True'
  const conditions = resumed
    ? withCondition(
        job.status?.conditions,
        { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' },
        now,
      )
    : (job.status?.conditions ?? [])
  const waits = [waitMs > 0 ? waitMs : undefined, deadlineInMs(job, now)].filter((wait) => wait !== undefined)
  return {
    actions: [...surplus.map(deletePod), ...Array.from({ length: missing }, () => createPod(job))],
    notes: createdNotes(missing),
    status: { ...countsOf(situation), conditions },
    requeueAfterMs: waits.length === 0 ? undefined : Math.min(...waits),
  }
}

function wantedActive({ job, active, succeeded }: Situation): number {
  const { parallelism = 1, completions } = job.spec
  // A queue of work: when one worker has found its end, no new ones are started.
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism
  return Math.min(parallelism, completions - succeeded)
}

/** 10 s after the first failure, doubling up to 6 min. */
function retryInMs({ pods, failed, now }: Situation): number {
  if (failed === 0) return 0
  const ends = pods.filter(({ status }) => status?.phase === 'Failed').map(endOf)
  const last = Math.max(0, ...ends)
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(20, failed - 1))
  return Math.max(0, last + wait - now)
}

function endOf({ status, metadata }: Pod): number {
  const finished = (status?.containerStatuses ?? []).map(({ state }) => state?.terminated?.finishedAt)
  const times = [...finished, metadata.creationTimestamp].map((time) => parseTimestamp(time ?? '') ?? 0)
  return Math.max(...times)
}

function countsOf({ job, active, succeeded, failed, now }: Situation): Record<string, unknown> {
  return {
    ...job.status,
    active: active.length,
    ready: active.filter(isReady).length,
    succeeded,
    failed,
    startTime: job.status?.startTime ?? formatTimestamp(now),
    uncountedTerminatedPods: job.status?.uncountedTerminatedPods ?? {},
  }
}

function createPod(job: Job): Action {
  const { name = '', namespace } = job.metadata
  const owner = ownerReferenceTo(JOBS, job)
  return {
    kind: 'Create',
    type: PODS,
    object: podFromTemplate({ template: job.spec.template, owner, namespace, generateName: `${name}-` }),
  }
}

function deletePod(object: Pod): Action {
  return { kind: 'Delete', type: PODS, object }
}

function createdNotes(count: number): Note[] {
  if (count === 0) return []
  return [{ type: 'Normal', reason: 'SuccessfulCreate', message: `Created ${count} ${count === 1 ? 'pod' : 'pods'}` }]
}

/** What a drain remembers of its requests, and when it asks again. One counter per pod, whatever the answer was [C]. */
import { assertNever } from '../plan.ts'
import { budgetsOf } from './budgets.ts'
import type {
  Answer,
  DisruptionBudget,
  DrainMemory,
  DrainPod,
  DrainPolicy,
  EvictionAnswer,
  PodMemory,
} from './model.ts'

/** Somebody wrote in between: what is there now is known after one look. */
const CONFLICT_WAIT_MS = 1_000
/** Most that failures of the server make the wait grow to. A `Retry-After` may be longer. */
const LONGEST_WAIT_MS = 30_000
/** Share of the wait that is drawn by lot, so that many drains do not ask in step. */
const JITTER = 0.2

export interface RecordContext {
  readonly now: number
  readonly policy: DrainPolicy
  /** In [0, 1). */
  readonly jitter: number
}

/** The memory after one more answer. */
export function recordAnswer(
  memory: DrainMemory,
  uid: string,
  answer: EvictionAnswer,
  context: RecordContext,
): DrainMemory {
  const attempts = (memory.get(uid)?.attempts ?? 0) + 1
  const notBefore = context.now + waitMs(answer, attempts, context)
  return new Map(memory).set(uid, { attempts, last: answer, notBefore })
}

/** Forgets pods that are gone, so that the memory of a long drain stays as small as its node. */
export function keepOnly(memory: DrainMemory, pods: readonly DrainPod[]): DrainMemory {
  const present = new Set(pods.map(({ metadata }) => metadata.uid))
  return new Map([...memory].filter(([uid]) => present.has(uid)))
}

/** Never 0: whatever the server answers, it is not asked again at once. */
function waitMs(answer: EvictionAnswer, attempts: number, { policy, jitter }: RecordContext): number {
  const base = baseWaitMs(answer.answer, attempts, policy)
  const jittered = base * (1 + JITTER * jitter)
  return Math.max(jittered, answer.retryAfterMs ?? 0)
}

function baseWaitMs(answer: Answer, attempts: number, policy: DrainPolicy): number {
  const interval = Math.max(policy.retryIntervalMs, CONFLICT_WAIT_MS)
  switch (answer) {
    case 'Conflict':
    case 'OtherPod':
    case 'Gone':
      return CONFLICT_WAIT_MS
    case 'Accepted':
    case 'Budget':
    case 'NamespaceTerminating':
    case 'Denied':
    case 'Forbidden':
      return interval
    case 'Throttled':
    case 'NoAnswer':
    case 'ServerError':
      return Math.min(interval * 2 ** Math.min(attempts - 1, 10), Math.max(LONGEST_WAIT_MS, interval))
    default:
      return assertNever(answer)
  }
}

/** Asking again cannot help: a permission is missing, or the API serves no pod with more than one budget. */
export function isPermanent(
  memory: PodMemory | undefined,
  pod: DrainPod,
  budgets: readonly DisruptionBudget[],
): boolean {
  if (memory?.last.answer === 'Forbidden') return true
  return memory?.last.answer === 'ServerError' && budgetsOf(pod, budgets).length > 1
}

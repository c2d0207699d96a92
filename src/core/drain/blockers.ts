/** Who keeps a node from being empty, grouped by cause, for people: status, Events, `lastError`. */
import { budgetName, budgetsOf } from './budgets.ts'
import type { PodVerdict } from './filters.ts'
import { isPermanent } from './memory.ts'
import type { Answer, BlockCause, Blocker, DrainObserved, DrainPod } from './model.ts'
import { detaching } from './order.ts'
import { podName } from './pod.ts'

export interface Judged {
  readonly pod: DrainPod
  readonly verdict: PodVerdict
}

const CAUSE_OF_ANSWER: Readonly<Record<Answer, BlockCause>> = {
  Accepted: 'Terminating',
  Gone: 'Terminating',
  OtherPod: 'Terminating',
  NamespaceTerminating: 'Terminating',
  Conflict: 'Conflict',
  Budget: 'BudgetExhausted',
  Throttled: 'Throttled',
  Forbidden: 'Forbidden',
  Denied: 'WebhookDenied',
  NoAnswer: 'NoAnswer',
  ServerError: 'ServerError',
}

export function blockersOf(observed: DrainObserved, judged: readonly Judged[]): readonly Blocker[] {
  const groups = new Map<BlockCause, DrainPod[]>()
  for (const one of judged) {
    const cause = causeOf(observed, one)
    if (cause !== undefined) groups.set(cause, [...(groups.get(cause) ?? []), one.pod])
  }
  const blockers = [...groups].map(([cause, pods]) => blocker(observed, cause, pods))
  const claims = detaching(observed)
  if (claims.length > 0) blockers.push({ cause: 'VolumeAttached', pods: claims, budgets: [], attempts: 0 })
  return blockers.toSorted((a, b) => (a.cause < b.cause ? -1 : 1))
}

function causeOf(observed: DrainObserved, { pod, verdict }: Judged): BlockCause | undefined {
  if (verdict.kind === 'skip') return undefined
  if (verdict.kind !== 'evict') return verdict.cause
  const known = observed.memory.get(pod.metadata.uid ?? '')
  if (known === undefined) return 'NotTried'
  const cause = CAUSE_OF_ANSWER[known.last.answer]
  return cause === 'ServerError' && isPermanent(known, pod, observed.budgets) ? 'SeveralBudgets' : cause
}

const OF_BUDGETS: ReadonlySet<BlockCause> = new Set(['BudgetExhausted', 'SeveralBudgets'])

function blocker(observed: DrainObserved, cause: BlockCause, pods: readonly DrainPod[]): Blocker {
  const memories = pods.flatMap(({ metadata }) => observed.memory.get(metadata.uid ?? '') ?? [])
  const covering = OF_BUDGETS.has(cause) ? pods.flatMap((pod) => budgetsOf(pod, observed.budgets)) : []
  const lastAnswer = memories.toSorted((a, b) => b.notBefore - a.notBefore)[0]?.last.message
  return {
    cause,
    pods: pods.map(podName).toSorted(),
    budgets: [...new Set(covering.map(budgetName))].toSorted(),
    attempts: Math.max(0, ...memories.map(({ attempts }) => attempts)),
    ...(lastAnswer === undefined ? {} : { lastAnswer }),
  }
}

const MOST_NAMES = 3

/** `BudgetExhausted: default/web-1 (PodDisruptionBudget default/web; 12 attempts; last answer: ...)` */
export function describeBlockers(blockers: readonly Blocker[]): string {
  return blockers.map(describe).join('; ')
}

function describe({ cause, pods, budgets, lastAnswer, attempts }: Blocker): string {
  const details = [
    ...(budgets.length === 0 ? [] : [`PodDisruptionBudget ${budgets.join(', ')}`]),
    ...(attempts === 0 ? [] : [attempts === 1 ? '1 attempt' : `${attempts} attempts`]),
    ...(lastAnswer === undefined ? [] : [`last answer: ${lastAnswer}`]),
  ]
  return `${cause}: ${someOf(pods)}${details.length === 0 ? '' : ` (${details.join('; ')})`}`
}

/** A sentence stays readable with a hundred pods. */
export function someOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMES
  return more > 0 ? `${names.slice(0, MOST_NAMES).join(', ')} and ${more} more` : names.join(', ')
}

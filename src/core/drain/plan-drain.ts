/**
 * One look at a node that is drained, in this order:
 *
 *   1. nothing left, volumes detached         -> Drained
 *   2. a pod that must not go                 -> Failed or Skipped before anything is evicted
 *   3. the deadline has passed                -> Failed or Skipped; with Force the rest is deleted, and awaited until the
 *                                                operation's own deadline
 *   4. whoever may be asked is asked
 *   5. only pods left that will never go      -> Failed or Skipped without waiting for the deadline
 *   6. InProgress
 *
 * With Force, what blocks in 2 and 5 waits for the deadline like everything else.
 */
import { requeueAt } from '../requeue.ts'
import { blockersOf, describeBlockers, type Judged } from './blockers.ts'
import { verdictOf } from './filters.ts'
import { isPermanent } from './memory.ts'
import type { DrainAction, DrainObserved, DrainOutcome, DrainPlan, DrainPod } from './model.ts'
import { detaching, dueNow } from './order.ts'
import { isCritical, isTerminating, refOfPod } from './pod.ts'

/** What is watched may be missed: a drain looks again at least so often. */
const LONGEST_LOOK_MS = 30_000

interface Situation {
  readonly observed: DrainObserved
  readonly now: number
  readonly judged: readonly Judged[]
  /** All that must be gone and is not. */
  readonly left: readonly DrainPod[]
  readonly deadline: number
}

/** The drain's own, and never later than the operation's [C]. Without a timeout (0) only the operation's. */
export function drainDeadline({
  policy,
  startedAt,
  operationDeadline,
}: Pick<DrainObserved, 'policy' | 'startedAt' | 'operationDeadline'>): number {
  return policy.timeoutMs <= 0 ? operationDeadline : Math.min(startedAt + policy.timeoutMs, operationDeadline)
}

export function planDrain(observed: DrainObserved, now: number): DrainPlan {
  const judged = observed.pods.map((pod) => ({ pod, verdict: verdictOf(pod, { ...observed, now }) }))
  const left = judged.filter(({ verdict }) => verdict.kind !== 'skip').map(({ pod }) => pod)
  const situation = { observed, now, judged, left, deadline: drainDeadline(observed) }
  if (left.length === 0 && detaching(observed).length === 0) return ending(situation, 'Drained')
  if (now >= situation.deadline) return expired(situation)
  const gaveUp = observed.policy.onTimeout === 'Skip' ? 'Skipped' : 'Failed'
  const patient = observed.policy.onTimeout === 'Force'
  if (!patient && judged.some(({ verdict }) => verdict.kind === 'block')) return ending(situation, gaveUp)
  const actions = evictions(situation)
  if (!patient && actions.length === 0 && isHopeless(situation)) return ending(situation, gaveUp)
  return inProgress(situation, actions, situation.deadline)
}

function evictions({ observed, judged, now }: Situation): readonly DrainAction[] {
  const of = (kind: string) => judged.filter(({ verdict }) => verdict.kind === kind).map(({ pod }) => pod)
  const due = dueNow(observed, { evict: of('evict'), wait: of('wait') }, now)
  return due.map((pod) => request(observed, pod))
}

/** On a machine that is off a budget can only be in the way: what it protects is down already. */
function request({ node, policy }: DrainObserved, pod: DrainPod): DrainAction {
  if (node.machineOff) return { kind: 'Delete', pod: refOfPod(pod), gracePeriodSeconds: 0 }
  const { gracePeriodSeconds } = policy
  return { kind: 'Evict', pod: refOfPod(pod), ...(gracePeriodSeconds < 0 ? {} : { gracePeriodSeconds }) }
}

/** Every pod that is left was refused for good, or is held until those are gone. */
function isHopeless({ observed, left }: Situation): boolean {
  const { memory, budgets } = observed
  const stuck = left.filter((pod) => isPermanent(memory.get(pod.metadata.uid ?? ''), pod, budgets))
  const holdsCritical = stuck.some((pod) => !isCritical(pod))
  return stuck.length > 0 && left.every((pod) => stuck.includes(pod) || (holdsCritical && isCritical(pod)))
}

function expired(situation: Situation): DrainPlan {
  const { observed, now, left } = situation
  if (observed.policy.onTimeout === 'Skip') return ending(situation, 'Skipped')
  if (observed.policy.onTimeout === 'Fail' || now >= observed.operationDeadline) return ending(situation, 'Failed')
  const deletions = left
    .filter((pod) => !isTerminating(pod) && mayAskAgain(situation, pod))
    .map((pod): DrainAction => ({ kind: 'Delete', pod: refOfPod(pod), gracePeriodSeconds: shortGrace(observed, pod) }))
  return inProgress(situation, deletions, observed.operationDeadline)
}

/** Deleting is not asked for in a hot loop either. */
function mayAskAgain({ observed, now }: Situation, { metadata }: DrainPod): boolean {
  const known = observed.memory.get(metadata.uid ?? '')
  return known === undefined || known.notBefore <= now
}

/** Never 0, which would not even wait for the container to end: two writers of one volume could be the outcome. */
function shortGrace({ policy }: DrainObserved, { spec }: DrainPod): number {
  const wanted = policy.gracePeriodSeconds < 0 ? (spec?.terminationGracePeriodSeconds ?? 30) : policy.gracePeriodSeconds
  return Math.max(1, wanted)
}

function inProgress(situation: Situation, actions: readonly DrainAction[], until: number): DrainPlan {
  const { observed, now, deadline, left } = situation
  const retries = left.map(({ metadata }) => observed.memory.get(metadata.uid ?? '')?.notBefore)
  const requeueAfterMs = requeueAt(now, [...retries, deadline, until, now + LONGEST_LOOK_MS]) ?? LONGEST_LOOK_MS
  return { ...told(situation, 'InProgress'), actions, requeueAfterMs }
}

function ending(situation: Situation, outcome: Exclude<DrainOutcome, 'InProgress'>): DrainPlan {
  return { ...told(situation, outcome), actions: [] }
}

function told(situation: Situation, outcome: DrainOutcome): Omit<DrainPlan, 'actions'> {
  const { observed, judged, left, deadline, now } = situation
  const blockers = outcome === 'Drained' ? [] : blockersOf(observed, judged)
  const seconds = Math.max(0, Math.round((now - observed.startedAt) / 1000))
  const message =
    outcome === 'Drained'
      ? `node ${observed.node.name}: drained in ${seconds} s`
      : `node ${observed.node.name}: ${left.length} of ${observed.pods.length} pods still to go after ${seconds} s: ${describeBlockers(blockers)}`
  return { outcome, blockers, message, deadline }
}

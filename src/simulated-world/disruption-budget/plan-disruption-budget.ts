/**
 * How many pods of a PodDisruptionBudget may be evicted now [k8s disruption controller]:
 *
 *   expectedPods     a number in `minAvailable`: the pods that match; else the wanted size of their controllers
 *   desiredHealthy   percentages round up, in favour of the pods with `minAvailable`, of the eviction with `maxUnavailable`
 *   currentHealthy   Ready, not ending, and not among those whose eviction was granted and is not seen yet
 *   disruptionsAllowed = currentHealthy - desiredHealthy, never below 0, and 0 when nothing is expected
 *
 * A granted eviction that deletes nothing within two minutes no longer counts.
 */
import { parseTimestamp } from '../../api/timestamp.ts'
import type { Plan } from '../engine/plan.ts'
import type { Pod, PodDisruptionBudget } from '../kinds.ts'
import { withCondition } from '../objects/conditions.ts'
import { resolveIntOrPercent } from '../objects/numbers.ts'
import { isFinished, isReady, isTerminating } from '../objects/pods.ts'

export interface ObservedBudget {
  readonly budget: PodDisruptionBudget
  /** Those that its selector matches. */
  readonly pods: readonly Pod[]
  /** Wanted replicas of all controllers of these pods, each counted once. */
  readonly controllersWant: number
}

const DISRUPTION_TIMEOUT_MS = 120_000

export function planDisruptionBudget({ budget, pods: all, controllersWant }: ObservedBudget, now: number): Plan {
  const pods = all.filter((pod) => !isFinished(pod))
  const { expected, desired } = wanted(budget, pods.length, controllersWant)
  const { disruptedPods, nextInMs } = openDisruptions(budget, all, now)
  const healthy = pods.filter((pod) => isHealthy(pod) && disruptedPods[pod.metadata.name ?? ''] === undefined).length
  const allowed = expected <= 0 ? 0 : Math.max(0, healthy - desired)
  const { generation = 0 } = budget.metadata
  const condition = {
    type: 'DisruptionAllowed',
    status: allowed > 0 ? 'True' : 'False',
    reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
    message: '',
    observedGeneration: generation,
  }
  return {
    actions: [],
    notes: [],
    status: {
      ...budget.status,
      observedGeneration: generation,
      expectedPods: expected,
      desiredHealthy: desired,
      currentHealthy: healthy,
      disruptionsAllowed: allowed,
      disruptedPods: Object.keys(disruptedPods).length === 0 ? undefined : disruptedPods,
      conditions: withCondition(budget.status?.conditions, condition, now),
    },
    requeueAfterMs: nextInMs,
  }
}

function wanted({ spec }: PodDisruptionBudget, matching: number, controllersWant: number) {
  const { minAvailable, maxUnavailable } = spec
  if (maxUnavailable !== undefined) {
    const unavailable = resolveIntOrPercent(maxUnavailable, controllersWant, 'up')
    return { expected: controllersWant, desired: Math.max(0, controllersWant - unavailable) }
  }
  if (typeof minAvailable === 'string' && minAvailable.endsWith('%')) {
    return { expected: controllersWant, desired: resolveIntOrPercent(minAvailable, controllersWant, 'up') }
  }
  return { expected: matching, desired: resolveIntOrPercent(minAvailable ?? 0, matching, 'up') }
}

function isHealthy(pod: Pod): boolean {
  return isReady(pod) && !isTerminating(pod)
}

/** Both moments are told in whole seconds: within the same one either may have been first, and a look tells soon. */
const SAME_SECOND_MS = 2_000

/**
 * How long a granted eviction counts while its deletion is not seen, milliseconds. A StatefulSet makes its pod again under the same
 * name: when the end of the old one was never looked at, the new one would hold up every other eviction for two minutes.
 */
function countsForMs({ metadata }: Pod, disruptedAt: number): number {
  const createdAt = parseTimestamp(metadata.creationTimestamp ?? '') ?? 0
  if (createdAt > disruptedAt) return 0
  return createdAt === disruptedAt ? SAME_SECOND_MS : DISRUPTION_TIMEOUT_MS
}

/** Granted evictions whose deletion is not seen yet. */
function openDisruptions({ status }: PodDisruptionBudget, pods: readonly Pod[], now: number) {
  const disruptedPods: Record<string, string> = {}
  let nextInMs: number | undefined
  for (const [name, time] of Object.entries(status?.disruptedPods ?? {})) {
    const pod = pods.find(({ metadata }) => metadata.name === name)
    if (pod === undefined || isTerminating(pod)) continue
    const disruptedAt = parseTimestamp(time) ?? 0
    const left = disruptedAt + countsForMs(pod, disruptedAt) - now
    if (left <= 0) continue
    disruptedPods[name] = time
    nextInMs = Math.min(nextInMs ?? left, left)
  }
  return { disruptedPods, nextInMs }
}

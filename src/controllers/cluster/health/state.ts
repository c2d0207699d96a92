/** What is remembered of one health check of one cluster. */
import type { ManagedCluster, NodeHealthCheck } from '../../../api/v1alpha1/managed-cluster.ts'
import type { Wrong } from './check.ts'

/** Passes that are counted lie so far apart. */
export const APART_MS = 5_000

export interface CheckState {
  /** Cluster and check as they were when it was made. */
  readonly of: string
  /** Since when passes count. */
  epoch: string
  /** In a row. */
  passes: number
  /** What the last result says. */
  message: string
  /** When the last result came; absent: there is none. Like all moments here, of the monotonic clock. */
  at?: number
  /** When the last pass was counted. */
  countedAt?: number
  /** When the last try was begun. */
  begunAt?: number
  /** The try that is under way. */
  running?: AbortController
}

/** That of before, unless something has come between that makes its results worth nothing. */
export function currentState(
  before: CheckState | undefined,
  check: NodeHealthCheck,
  cluster: ManagedCluster,
): CheckState {
  const of = JSON.stringify([cluster.metadata.uid, check])
  const epoch = epochOf(cluster)
  // An object that was read earlier than the last one takes nothing back.
  if (before?.of === of && epoch <= before.epoch) return before
  before?.running?.abort()
  return { of, epoch, passes: 0, message: '' }
}

/** Grows when a run begins, and when one of its batches is done. */
function epochOf({ status }: ManagedCluster): string {
  const { startedAt, lastBatchAt = '' } = status?.operation ?? {}
  return startedAt === undefined ? '' : `${startedAt} ${lastBatchAt}`
}

export function recordResult(state: CheckState, wrong: Wrong, now: number): void {
  state.at = now
  state.message = wrong ?? 'well'
  if (wrong !== undefined) {
    state.passes = 0
    return
  }
  if (state.passes > 0 && now - (state.countedAt ?? now) < APART_MS) return
  state.passes += 1
  state.countedAt = now
}

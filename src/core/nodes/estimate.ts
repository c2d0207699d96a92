/**
 * How long a batch takes: what the batches of earlier rollouts took, or else what the provider expects of a restart, or else, as
 * the most that it may take, `nodeTimeout`. An estimate is for people; nothing is decided by it.
 */
import { formatDuration, parseDuration } from '../../api/duration.ts'
import { parseTimestamp } from '../../api/timestamp.ts'
import type { ManagedCluster, NodeType } from '../../api/v1alpha1/managed-cluster.ts'
import type { NodeOperation } from '../../api/v1alpha1/node-operation.ts'
import type { Capabilities } from './model.ts'
import { nodeTimeoutMs } from './run-facts.ts'

export interface Pace {
  /** Milliseconds. */
  readonly batchMs: number
  /** Least time between two batches. Milliseconds. */
  readonly bakeMs: number
  /** A drain on top; machines of an external etcd have none. Milliseconds. */
  readonly drainMs: number
  readonly basis: string
}

/** So many earlier rollouts count, the latest. */
const REMEMBERED = 5
/** What a drain is taken for where nothing is known of it, and its `timeout` is not shorter. */
const USUAL_DRAIN_MS = 30_000

export function paceOf({
  cluster,
  operations,
  capabilities,
}: {
  readonly cluster: ManagedCluster
  readonly operations: readonly NodeOperation[]
  readonly capabilities: Capabilities
}): Pace {
  const { pace, drain } = cluster.spec
  const bakeMs = parseDuration(pace.bakeTime ?? '0s') ?? 0
  const earlier = earlierBatches(operations)
  const median = earlier.toSorted((a, b) => a - b)[Math.floor(earlier.length / 2)]
  if (median !== undefined) {
    const basis = `${formatDuration(median)} a batch, the median of ${earlier.length} earlier rollout(s)`
    // What it waited between batches is in it.
    return { batchMs: median, bakeMs: 0, drainMs: 0, basis }
  }
  if (capabilities.restartMs !== undefined) {
    const drainMs = Math.min(USUAL_DRAIN_MS, parseDuration(drain.timeout) ?? USUAL_DRAIN_MS)
    const restart = formatDuration(capabilities.restartMs)
    const basis = `no rollout before: a restart of ${restart}, as the provider expects, and a drain of ${formatDuration(drainMs)}`
    return { batchMs: capabilities.restartMs, bakeMs, drainMs, basis }
  }
  const batchMs = nodeTimeoutMs(cluster)
  return {
    batchMs,
    bakeMs,
    drainMs: 0,
    basis: `no rollout before: at most nodeTimeout (${cluster.spec.nodeTimeout}) a batch`,
  }
}

/** Milliseconds of a batch in each of the latest rollouts that came to a good end, latest first. */
function earlierBatches(operations: readonly NodeOperation[]): number[] {
  const ended = operations.flatMap(({ spec, status }) => {
    const { startedAt = '', finishedAt = '', phase, counts } = status ?? {}
    const from = parseTimestamp(startedAt)
    const to = parseTimestamp(finishedAt)
    const batches = counts?.batches ?? 0
    const isGood = spec.type === 'Rollout' && phase === 'Succeeded' && batches > 0
    return isGood && from !== undefined && to !== undefined ? [{ to, batchMs: (to - from) / batches }] : []
  })
  return ended
    .toSorted((a, b) => b.to - a.to)
    .slice(0, REMEMBERED)
    .map(({ batchMs }) => Math.round(batchMs))
}

export const estimateBatch = ({ batchMs, bakeMs, drainMs }: Pace, type: NodeType): number =>
  batchMs + bakeMs + (type === 'etcd' ? 0 : drainMs)

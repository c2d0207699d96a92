/** Waits until the pools are warm, as the pool status says it. */
import type { ClusterPool } from '../api/v1alpha1/cluster-pool.ts'
import { ConditionType, findCondition } from '../api/v1alpha1/conditions.ts'
import { Reason } from '../api/v1alpha1/reasons.ts'
import type { Informer } from '../kube/informer.ts'

export interface PoolSummary {
  readonly name: string
  readonly ready: number
  readonly leased: number
  /** Members that should be warm. */
  readonly target: number
  readonly details: string
  /** It can never have a member here: nobody should wait for it. */
  readonly unsupported: boolean
}

export function summarize(pool: ClusterPool): PoolSummary {
  const { spec, status } = pool
  const unsupported = unsupportedMessage(pool)
  return {
    name: pool.metadata.name ?? '',
    ready: status?.ready ?? 0,
    leased: status?.leased ?? 0,
    target: spec.scaling === undefined ? (spec.size ?? 3) : (spec.scaling.minReady ?? 1),
    details: `${detailsOf(pool)}${unsupported === undefined ? '' : `; stalled: ${unsupported}`}`,
    unsupported: unsupported !== undefined,
  }
}

function detailsOf({ spec, status }: ClusterPool): string {
  const backend = spec.backend?.type ?? 'k3s'
  const isolation = spec.backend?.embedded?.isolation
  return `${backend}${isolation === undefined ? '' : ` (${isolation})`}, Kubernetes ${spec.cluster.version}, phase ${status?.phase ?? 'Unknown'}`
}

function unsupportedMessage({ status }: ClusterPool): string | undefined {
  const stalled = findCondition(status?.conditions, ConditionType.Stalled)
  return stalled?.status === 'True' && stalled.reason === Reason.Unsupported ? stalled.message : undefined
}

const isSettled = ({ ready, leased, target, unsupported }: PoolSummary): boolean =>
  unsupported || ready + leased >= target

/** Warm: what is Ready or Leased reaches the target, of every pool that can have members here. Paused only by `signal`; `onChange` is told every new count. */
export function waitWarm(
  pools: Informer<ClusterPool>,
  signal: AbortSignal,
  /** Pools that must exist; a cache may not show a new one yet. */
  { atLeast }: { readonly atLeast: number },
  onChange: (pools: readonly PoolSummary[]) => void,
): Promise<void> {
  return new Promise((resolve) => {
    let unsubscribe = (): void => undefined
    const finish = () => {
      unsubscribe()
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const check = () => {
      const summaries = pools.list().map(summarize)
      onChange(summaries)
      if (summaries.length >= atLeast && summaries.every(isSettled)) finish()
    }
    signal.addEventListener('abort', finish, { once: true })
    unsubscribe = pools.on(check)
    check()
  })
}

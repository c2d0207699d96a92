/** Waiting for a lease, driven by the cache: nothing is polled and a waiter costs one map entry. */
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import type { Clock } from '../../kube/clock.ts'
import type { LeaseStore } from './lease-store.ts'

export interface WaitDeps {
  readonly store: LeaseStore
  readonly clock: Clock
}

/** Resolves as soon as `done` holds, the lease is gone, `ms` have passed, or `signal` aborts. Never rejects. */
export function waitForLease(
  { store, clock }: WaitDeps,
  name: string,
  until: { readonly done: (lease: ClusterLease) => boolean; readonly ms: number; readonly signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      unsubscribe()
      cancelTimer()
      until.signal.removeEventListener('abort', finish)
      resolve()
    }
    const look = (): void => {
      const lease = store.peek(name)
      if (lease === undefined || until.done(lease)) finish()
    }
    const unsubscribe = store.onChange(name, look)
    const cancelTimer = clock.setTimer(until.ms, finish)
    until.signal.addEventListener('abort', finish, { once: true })
    if (until.signal.aborted) finish()
    else look()
  })
}

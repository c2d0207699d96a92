/** PodDisruptionBudgets, as far as a drain has to know them. */
import { selectorMatches } from '../../api/label-selector.ts'
import type { DisruptionBudget, DrainPod } from './model.ts'

/** Those that cover the pod. The eviction API serves a pod of at most one [doc]. */
export function budgetsOf(pod: DrainPod, budgets: readonly DisruptionBudget[]): readonly DisruptionBudget[] {
  const { namespace, labels } = pod.metadata
  return budgets.filter(
    ({ metadata, spec }) => metadata.namespace === namespace && selectorMatches(spec?.selector, labels),
  )
}

export function budgetName({ metadata }: DisruptionBudget): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`
}

/**
 * `open`: an eviction is allowed now. `closed`: not now, but when more pods are healthy. `never`: however healthy its pods
 * are, it wants all of them, so no eviction of them can ever be allowed. `unknown`: its controller has not looked yet.
 */
export function budgetState({ metadata, status }: DisruptionBudget): 'open' | 'closed' | 'never' | 'unknown' {
  const { disruptionsAllowed, expectedPods = 0, desiredHealthy = 0, observedGeneration = 0 } = status ?? {}
  if (disruptionsAllowed === undefined || observedGeneration < (metadata.generation ?? 0)) return 'unknown'
  if (disruptionsAllowed > 0) return 'open'
  return expectedPods <= desiredHealthy ? 'never' : 'closed'
}

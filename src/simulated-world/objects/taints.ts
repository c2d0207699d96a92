/** Taints and what tolerates them [k8s Toleration]. */
import type { Taint, Toleration } from '../kinds.ts'

export const NO_SCHEDULE = 'NoSchedule'
export const NO_EXECUTE = 'NoExecute'
export const UNSCHEDULABLE_TAINT = 'node.kubernetes.io/unschedulable'
export const NOT_READY_TAINT = 'node.kubernetes.io/not-ready'
export const UNREACHABLE_TAINT = 'node.kubernetes.io/unreachable'

export function tolerates(
  { key = '', operator = 'Equal', value = '', effect = '' }: Toleration,
  taint: Taint,
): boolean {
  if (effect !== '' && effect !== taint.effect) return false
  if (key !== '' && key !== taint.key) return false
  if (operator === 'Exists') return true
  return key !== '' && value === (taint.value ?? '')
}

export function isTolerated(taint: Taint, tolerations: readonly Toleration[] = []): boolean {
  return tolerations.some((toleration) => tolerates(toleration, taint))
}

/** The first taint that keeps a pod with these tolerations off the node. */
export function untolerated(taints: readonly Taint[] = [], tolerations: readonly Toleration[] = []): Taint | undefined {
  return taints.find(
    (taint) => (taint.effect === NO_SCHEDULE || taint.effect === NO_EXECUTE) && !isTolerated(taint, tolerations),
  )
}

/** What the DaemonSet controller adds to its pods, so that a node in trouble or in a drain keeps its daemons. */
export const DAEMON_TOLERATIONS: readonly Toleration[] = [
  { key: NOT_READY_TAINT, operator: 'Exists', effect: NO_EXECUTE },
  { key: UNREACHABLE_TAINT, operator: 'Exists', effect: NO_EXECUTE },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: NO_SCHEDULE },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: NO_SCHEDULE },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: NO_SCHEDULE },
  { key: UNSCHEDULABLE_TAINT, operator: 'Exists', effect: NO_SCHEDULE },
]

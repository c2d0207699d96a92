/**
 * Which pod goes first when there are too many; the first rule that tells two pods apart decides [k8s ActivePodsWithRanks]:
 * without a node, pending, not ready, lower deletion cost, more siblings on its node, shorter ready, younger.
 */
import type { Pod } from '../kinds.ts'
import { isReady, readySince } from '../objects/pods.ts'

type Rank = (pod: Pod) => number

const COST = 'controller.kubernetes.io/pod-deletion-cost'

export function byDisposability(active: readonly Pod[]): (a: Pod, b: Pod) => number {
  const onNode = new Map<string, number>()
  for (const { spec } of active) onNode.set(spec.nodeName ?? '', (onNode.get(spec.nodeName ?? '') ?? 0) + 1)
  const ranks: Rank[] = [
    ({ spec }) => (spec.nodeName === undefined ? 0 : 1),
    ({ status }) => (status?.phase === 'Running' ? 1 : 0),
    (pod) => (isReady(pod) ? 1 : 0),
    ({ metadata }) => Number(metadata.annotations?.[COST] ?? 0) || 0,
    ({ spec }) => -(onNode.get(spec.nodeName ?? '') ?? 0),
    (pod) => -(readySince(pod) ?? 0),
    ({ metadata }) => -Date.parse(metadata.creationTimestamp ?? ''),
  ]
  return (a, b) => {
    for (const rank of ranks) {
      const order = rank(a) - rank(b)
      if (order !== 0 && !Number.isNaN(order)) return order
    }
    return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1
  }
}

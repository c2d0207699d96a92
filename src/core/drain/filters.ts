/**
 * What becomes of each pod of a node that is drained. First hit wins, in this order:
 *
 *   1. mirror pods belong to the kubelet                                  -> skip
 *   2. pods of a DaemonSet that exists; it would only make them again     -> skip
 *   3. terminating pods: their end is awaited, by UID                     -> wait, unless the kubelet is silent
 *   4. label `skip`                                                       -> skip
 *   5. finished pods; no budget counts them                               -> evict
 *   6. label `wait-completed`                                             -> wait until it has finished
 *   7. emptyDir data that must not be lost                                -> block
 *   8. no controller would make it again                                  -> block
 *   9. the rest                                                           -> evict
 *
 * Rules 1, 2, 5, 7, 8 are those of `kubectl drain` [doc].
 */
import { GROUP } from '../../api/v1alpha1/resources.ts'
import type { DrainObserved, DrainPod } from './model.ts'
import { controllerOf, hasEmptyDir, isFinished, isMirror, isOverdue, isTerminating } from './pod.ts'

export type PodVerdict =
  | { readonly kind: 'skip'; readonly why: 'Mirror' | 'DaemonSet' | 'Label' | 'Unreachable' | 'MachineOff' }
  | { readonly kind: 'wait'; readonly cause: 'Terminating' | 'LongJob' }
  | { readonly kind: 'evict' }
  | { readonly kind: 'block'; readonly cause: 'DaemonSetUnknown' | 'EmptyDir' | 'Unmanaged' }

/** `skip`: the pod stays. `wait-completed`: it is not asked to go, its end is awaited. The second is Cluster API's [doc]. */
export const DRAIN_LABELS = [`${GROUP}/drain`, 'cluster.x-k8s.io/drain'] as const

type FilterContext = Pick<DrainObserved, 'node' | 'daemonSets' | 'policy'> & { readonly now: number }
type Filter = (pod: DrainPod, context: FilterContext) => PodVerdict | undefined

const FILTERS: readonly Filter[] = [
  mirror,
  daemon,
  terminating,
  labelledSkip,
  finished,
  labelledWait,
  emptyDirData,
  unmanaged,
]

export function verdictOf(pod: DrainPod, context: FilterContext): PodVerdict {
  for (const filter of FILTERS) {
    const verdict = filter(pod, context)
    if (verdict !== undefined) return whenOff(verdict, context)
  }
  return { kind: 'evict' }
}

/** On a machine that is off nothing runs: there is no data to lose and nothing to wait for. */
function whenOff(verdict: PodVerdict, { node }: FilterContext): PodVerdict {
  if (!node.machineOff) return verdict
  if (verdict.kind === 'block') return { kind: 'skip', why: 'MachineOff' }
  return verdict.kind === 'wait' ? { kind: 'evict' } : verdict
}

function mirror(pod: DrainPod): PodVerdict | undefined {
  return isMirror(pod) ? { kind: 'skip', why: 'Mirror' } : undefined
}

function daemon(pod: DrainPod, { daemonSets, policy }: FilterContext): PodVerdict | undefined {
  const owner = controllerOf(pod)
  if (owner?.kind !== 'DaemonSet' || isFinished(pod)) return undefined
  // Taken for missing, a running daemon would be evicted again and again.
  if (daemonSets === undefined) return { kind: 'block', cause: 'DaemonSetUnknown' }
  if (daemonSets.has(`${pod.metadata.namespace ?? ''}/${owner.name}`)) return { kind: 'skip', why: 'DaemonSet' }
  return policy.force || isTerminating(pod) ? undefined : { kind: 'block', cause: 'Unmanaged' }
}

function terminating(pod: DrainPod, { node, now }: FilterContext): PodVerdict | undefined {
  if (!isTerminating(pod)) return undefined
  // Its kubelet will not tell us any more: the pod object stays until the machine is back or gone.
  if (!node.reachable && !node.machineOff && isOverdue(pod, now)) return { kind: 'skip', why: 'Unreachable' }
  return { kind: 'wait', cause: 'Terminating' }
}

function labelled(pod: DrainPod, value: string): boolean {
  return DRAIN_LABELS.some((label) => pod.metadata.labels?.[label] === value)
}

function labelledSkip(pod: DrainPod): PodVerdict | undefined {
  return labelled(pod, 'skip') ? { kind: 'skip', why: 'Label' } : undefined
}

function finished(pod: DrainPod): PodVerdict | undefined {
  return isFinished(pod) ? { kind: 'evict' } : undefined
}

function labelledWait(pod: DrainPod): PodVerdict | undefined {
  return labelled(pod, 'wait-completed') ? { kind: 'wait', cause: 'LongJob' } : undefined
}

function emptyDirData(pod: DrainPod, { policy }: FilterContext): PodVerdict | undefined {
  return hasEmptyDir(pod) && !policy.deleteEmptyDirData ? { kind: 'block', cause: 'EmptyDir' } : undefined
}

function unmanaged(pod: DrainPod, { policy }: FilterContext): PodVerdict | undefined {
  return controllerOf(pod) === undefined && !policy.force ? { kind: 'block', cause: 'Unmanaged' } : undefined
}

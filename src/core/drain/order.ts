/**
 * Which pods are asked to go now.
 *
 *   pods without volumes     all at once
 *   pods with volumes        one after the other: the next only when the volumes of the one before are detached
 *   critical pods            only when nothing else is left to go
 *
 * A pod that may not be asked yet holds up nobody but the critical ones.
 */
import { isPermanent } from './memory.ts'
import type { DrainObserved, DrainPod } from './model.ts'
import { claimsOf, isCritical, podName } from './pod.ts'

export interface Pending {
  /** To be evicted. */
  readonly evict: readonly DrainPod[]
  /** Ending, or left to finish. */
  readonly wait: readonly DrainPod[]
}

export function dueNow(observed: DrainObserved, pending: Pending, now: number): readonly DrainPod[] {
  const { evict, wait } = pending
  const due = evict.filter((pod) => mayAsk(observed, pod, now)).toSorted((a, b) => (podName(a) < podName(b) ? -1 : 1))
  // Nothing runs there any more: order protects nobody.
  if (observed.node.machineOff) return due
  const othersLeft = [...evict, ...wait].some((pod) => !isCritical(pod))
  const free = due.filter((pod) => !(othersLeft && isCritical(pod)))
  const plain = free.filter((pod) => claimsOf(pod).length === 0)
  const withVolumes = free.filter((pod) => claimsOf(pod).length > 0)
  return [...plain, ...(volumeUnderWay(observed, pending) ? [] : withVolumes.slice(0, 1))]
}

function mayAsk({ memory, budgets }: DrainObserved, pod: DrainPod, now: number): boolean {
  const known = memory.get(pod.metadata.uid ?? '')
  return (known === undefined || known.notBefore <= now) && !isPermanent(known, pod, budgets)
}

/** A pod with volumes is ending, or its volumes are still being detached. */
function volumeUnderWay(observed: DrainObserved, { evict, wait }: Pending): boolean {
  const accepted = evict.filter(({ metadata }) => observed.memory.get(metadata.uid ?? '')?.last.answer === 'Accepted')
  return [...wait, ...accepted].some((pod) => claimsOf(pod).length > 0) || detaching(observed).length > 0
}

/** Claims that are attached to the node and that no pod on it uses any more. */
export function detaching({ attachedClaims, pods, node }: DrainObserved): readonly string[] {
  if (node.machineOff) return []
  const used = new Set(pods.flatMap(claimsOf))
  return [...attachedClaims].filter((claim) => !used.has(claim)).toSorted()
}

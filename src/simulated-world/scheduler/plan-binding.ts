/**
 * Where a pod that waits goes [k8s scheduler]. Filters say which nodes it may run on; of those the one wins that no
 * PreferNoSchedule taint marks, with the fewest pods of the same controller, the most room, and the lowest name.
 * No node: the pod says why, counted over all nodes.
 */
import type { Action, Note, Plan } from '../engine/plan.ts'
import { PODS, type Pod } from '../kinds.ts'
import { withCondition } from '../objects/conditions.ts'
import { quantityOf } from '../objects/numbers.ts'
import { conditionOf, controllerRef, isTerminating } from '../objects/pods.ts'
import { isTolerated } from '../objects/taints.ts'
import { freeOn, guardsOf, type NodeLoad, whyNot } from './filters.ts'

export interface ObservedPending {
  readonly pod: Pod
  readonly nodes: readonly NodeLoad[]
}

export const DEFAULT_SCHEDULER = 'default-scheduler'

/** Waits for this scheduler. */
export function isPending({ spec, metadata, status }: Pod): boolean {
  const mine = (spec.schedulerName ?? DEFAULT_SCHEDULER) === DEFAULT_SCHEDULER
  const open = spec.nodeName === undefined || spec.nodeName === ''
  const ended = status?.phase === 'Succeeded' || status?.phase === 'Failed'
  return mine && open && !ended && metadata.deletionTimestamp === undefined && (spec.schedulingGates ?? []).length === 0
}

export function planBinding({ pod, nodes }: ObservedPending, now: number): Plan {
  if (!isPending(pod)) return { actions: [], notes: [] }
  const guards = guardsOf(nodes)
  const verdicts = nodes.map((load) => ({ load, reasons: whyNot({ pod, load, all: nodes, guards }) }))
  const fitting = verdicts.filter(({ reasons }) => reasons.length === 0).map(({ load }) => load)
  const [best] = fitting.toSorted(byPreference(pod))
  if (best === undefined) return unschedulable(pod, unschedulableMessage(verdicts.map(({ reasons }) => reasons)), now)
  const node = best.node.metadata.name ?? ''
  const { namespace, name } = pod.metadata
  const message = `Successfully assigned ${namespace}/${name} to ${node}`
  return { actions: [{ kind: 'Bind', pod, node }], notes: [{ type: 'Normal', reason: 'Scheduled', message }] }
}

function unschedulable(pod: Pod, message: string, now: number): Plan {
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }
  const old = conditionOf(pod.status?.conditions, 'PodScheduled')
  // Said once: the same answer again is no news.
  if (old?.status === 'False' && old.message === message) return { actions: [], notes: [] }
  const conditions = withCondition(pod.status?.conditions, condition, now)
  const action: Action = { kind: 'PatchStatus', type: PODS, object: pod, status: { ...pod.status, conditions } }
  const note: Note = { type: 'Warning', reason: 'FailedScheduling', message }
  return { actions: [action], notes: [note] }
}

/** `0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu. preemption: ...` */
export function unschedulableMessage(reasons: ReadonlyArray<readonly string[]>): string {
  const total = reasons.length
  if (total === 0) return 'no nodes available to schedule pods'
  const counts = new Map<string, number>()
  for (const reason of reasons.flat()) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const texts = [...counts].map(([reason, count]) => `${count} ${reason}`).toSorted()
  const none = `0/${total} nodes are available`
  return `${none}: ${texts.join(', ')}. preemption: ${none}: ${total} Preemption is not helpful for scheduling.`
}

function byPreference(pod: Pod): (a: NodeLoad, b: NodeLoad) => number {
  const owner = controllerRef(pod)?.uid
  const ranks: ReadonlyArray<(load: NodeLoad) => number> = [
    ({ node }) =>
      (node.spec?.taints ?? []).filter(
        (taint) => taint.effect === 'PreferNoSchedule' && !isTolerated(taint, pod.spec.tolerations),
      ).length,
    ({ pods }) =>
      pods.filter((other) => owner !== undefined && controllerRef(other)?.uid === owner && !isTerminating(other))
        .length,
    usedShare,
    ({ pods }) => pods.length,
  ]
  return (a, b) => {
    for (const rank of ranks) {
      const order = rank(a) - rank(b)
      if (order !== 0) return order
    }
    return (a.node.metadata.name ?? '') < (b.node.metadata.name ?? '') ? -1 : 1
  }
}

/** The larger of the used shares of CPU and memory, in tenths: smaller differences do not matter. */
function usedShare(load: NodeLoad): number {
  const shares = ['cpu', 'memory'].map((resource) => {
    const all = quantityOf(load.node.status?.allocatable?.[resource])
    return all === 0 ? 0 : 1 - freeOn(load, resource) / all
  })
  return Math.round(Math.max(...shares) * 10)
}

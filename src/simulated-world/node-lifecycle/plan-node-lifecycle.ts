/**
 * What a cluster does about a node that it hears nothing of [k8s node lifecycle controller, taint eviction]:
 *
 *   1. no renewal of its Lease within the grace period -> all its conditions become Unknown
 *   2. taints follow: unschedulable, not-ready (Ready=False), unreachable (Ready=Unknown)
 *   3. pods on a node that is not Ready are not Ready either
 *   4. pods that do not tolerate a NoExecute taint go, at once or after their tolerationSeconds. On a dead node they stay
 *      Terminating until its kubelet is back or the Node is deleted
 */
import { isDeepStrictEqual } from 'node:util'
import { formatTimestamp, parseTimestamp } from '../../api/timestamp.ts'
import { type Action, earliest, type Note, type Plan } from '../engine/plan.ts'
import { type Condition, NODES, type Node, PODS, type Pod, type Taint } from '../kinds.ts'
import { withCondition } from '../objects/conditions.ts'
import { conditionOf, isFinished, isReady, isTerminating } from '../objects/pods.ts'
import {
  NO_EXECUTE,
  NO_SCHEDULE,
  NOT_READY_TAINT,
  tolerates,
  UNREACHABLE_TAINT,
  UNSCHEDULABLE_TAINT,
} from '../objects/taints.ts'

export interface ObservedNode {
  readonly node: Node
  /** Pods bound to it. */
  readonly pods: readonly Pod[]
  /** When its Lease was last seen to change, epoch milliseconds. */
  readonly heardAt: number
  readonly graceMs: number
}

export function planNodeLifecycle({ node, pods, heardAt, graceMs }: ObservedNode, now: number): Plan {
  const silentInMs = heardAt + graceMs - now
  const lost = silentInMs <= 0 && conditionOf(node.status?.conditions, 'Ready')?.status !== 'Unknown'
  const conditions = lost ? unknownConditions(node, now) : (node.status?.conditions ?? [])
  const ready = conditionOf(conditions, 'Ready')?.status
  const taints = taintsFor(node, ready, now)
  const evictions = planTaintEvictions(taints, pods, now)
  const going = new Set(evictions.going)
  const unready = ready === 'True' ? [] : pods.filter((pod) => isReady(pod) && !going.has(pod))
  return {
    actions: [
      ...(lost ? [markUnknown(node, conditions)] : []),
      ...retaint(node, taints),
      ...unready.map((pod) => markUnready(pod, now)),
      ...evictions.going.map((object): Action => ({ kind: 'Delete', type: PODS, object })),
    ],
    notes: [
      ...(lost ? [notReadyNote(node)] : []),
      ...evictions.going.map((pod): Note => {
        const message = `Marking for deletion Pod ${pod.metadata.namespace}/${pod.metadata.name}`
        return { type: 'Normal', reason: 'TaintManagerEviction', message, about: pod }
      }),
    ],
    requeueAfterMs: earliest(silentInMs > 0 ? silentInMs : undefined, evictions.nextInMs),
  }
}

function notReadyNote({ metadata }: Node): Note {
  const message = `Node ${metadata.name} status is now: NodeNotReady`
  return { type: 'Normal', reason: 'NodeNotReady', message }
}

const HEARD_OF = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready']

function unknownConditions({ status }: Node, now: number): readonly Condition[] {
  return HEARD_OF.reduce<readonly Condition[]>(
    (conditions, type) =>
      withCondition(
        conditions,
        {
          ...conditionOf(conditions, type),
          type,
          status: 'Unknown',
          reason: 'NodeStatusUnknown',
          message: 'Kubelet stopped posting node status.',
        },
        now,
      ),
    status?.conditions ?? [],
  )
}

function markUnknown(node: Node, conditions: readonly Condition[]): Action {
  return { kind: 'PatchStatus', type: NODES, object: node, status: { ...node.status, conditions } }
}

function markUnready(pod: Pod, now: number): Action {
  const ready = { type: 'Ready', status: 'False', reason: 'NodeNotReady', message: '' }
  const conditions = withCondition(pod.status?.conditions, ready, now)
  return { kind: 'PatchStatus', type: PODS, object: pod, status: { ...pod.status, conditions } }
}

/** A node without taints has no list of them, not an empty one. */
function retaint(node: Node, taints: readonly Taint[]): Action[] {
  if (isDeepStrictEqual(taints, node.spec?.taints ?? [])) return []
  const spec = { ...node.spec, taints: taints.length === 0 ? undefined : taints }
  return [{ kind: 'Patch', type: NODES, object: node, spec }]
}

const OURS: ReadonlySet<string> = new Set([NOT_READY_TAINT, UNREACHABLE_TAINT, UNSCHEDULABLE_TAINT])

/** Taints of others stay. Those of ours that stay keep the time at which they were added. */
function taintsFor({ spec }: Node, ready: string | undefined, now: number): Taint[] {
  const wanted: Taint[] = [
    ...(spec?.unschedulable ? [{ key: UNSCHEDULABLE_TAINT, effect: NO_SCHEDULE }] : []),
    ...troubleTaints(ready),
  ]
  const present = spec?.taints ?? []
  const isOurs = ({ key }: Taint): boolean => OURS.has(key)
  const isWanted = (taint: Taint): boolean => wanted.some((one) => same(one, taint))
  const kept = present.filter((taint) => !isOurs(taint) || isWanted(taint))
  const added = wanted.filter((taint) => !present.some((one) => same(one, taint)))
  return [...kept, ...added.map((taint) => ({ ...taint, timeAdded: formatTimestamp(now) }))]
}

function troubleTaints(ready: string | undefined): Taint[] {
  if (ready === 'True') return []
  const key = ready === 'Unknown' ? UNREACHABLE_TAINT : NOT_READY_TAINT
  return [
    { key, effect: NO_SCHEDULE },
    { key, effect: NO_EXECUTE },
  ]
}

function same(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect
}

function planTaintEvictions(taints: readonly Taint[], pods: readonly Pod[], now: number) {
  const driving = taints.filter(({ effect }) => effect === NO_EXECUTE)
  const staying = pods.filter((pod) => !isTerminating(pod) && !isFinished(pod))
  const waits = staying.map((pod) => ({ pod, wait: evictedInMs(pod, driving, now) }))
  const later = waits.map(({ wait }) => wait).filter((wait) => wait !== undefined && wait > 0)
  return {
    going: waits.filter(({ wait }) => wait !== undefined && wait <= 0).map(({ pod }) => pod),
    nextInMs: earliest(...later),
  }
}

/** Undefined: it may stay. */
function evictedInMs({ spec }: Pod, taints: readonly Taint[], now: number): number | undefined {
  const waits = taints.flatMap((taint) => {
    const matching = (spec.tolerations ?? []).filter((toleration) => tolerates(toleration, taint))
    if (matching.length === 0) return [0]
    const seconds = matching.flatMap(({ tolerationSeconds }) => tolerationSeconds ?? [])
    if (seconds.length === 0) return []
    return [(parseTimestamp(taint.timeAdded ?? '') ?? now) + Math.min(...seconds) * 1000 - now]
  })
  return earliest(...waits)
}

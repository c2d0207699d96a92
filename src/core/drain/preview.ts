/**
 * What a drain of these nodes would meet, told before the first of them is touched. Findings that stop a drain say so; the
 * others cost something that a person may want to know.
 */
import { someOf } from './blockers.ts'
import { budgetName, budgetState, budgetsOf } from './budgets.ts'
import { verdictOf } from './filters.ts'
import type { DisruptionBudget, DrainPolicy } from './model.ts'
import { hasEmptyDir, isCritical, podName } from './pod.ts'
import { homeless, type RoomNode, type RoomPod, type Rooms, roomsOf } from './room.ts'

export const FINDINGS = {
  /** The budget can never allow an eviction of this pod. */
  ZeroBudget: 'ZeroBudget',
  /** The budget allows none now. */
  ClosedBudget: 'ClosedBudget',
  /** The eviction API serves no pod under two budgets. */
  SeveralBudgets: 'SeveralBudgets',
  Unmanaged: 'Unmanaged',
  EmptyDir: 'EmptyDir',
  DaemonSetUnknown: 'DaemonSetUnknown',
  /** Its end is awaited. */
  LongJob: 'LongJob',
  /** No other node has room for it now. */
  NoRoom: 'NoRoom',
  /** An admission webhook refuses its eviction, or refuses to be asked on trial. */
  Denied: 'Denied',
  /** The operator may not evict it. */
  Forbidden: 'Forbidden',
  /** The API server failed at it. */
  ServerError: 'ServerError',
} as const
export type FindingKind = keyof typeof FINDINGS

export interface Finding {
  readonly kind: FindingKind
  readonly node: string
  /** `namespace/name`, sorted. */
  readonly pods: readonly string[]
  readonly budgets: readonly string[]
  /** A drain with this policy would fail on it. */
  readonly blocks: boolean
  readonly message: string
}

export interface PreviewInput {
  /** Nodes to be drained. */
  readonly nodes: readonly string[]
  readonly allNodes: readonly RoomNode[]
  /** Of the whole cluster. */
  readonly pods: readonly RoomPod[]
  readonly budgets: readonly DisruptionBudget[]
  readonly daemonSets: ReadonlySet<string> | undefined
  readonly policy: DrainPolicy
}

export interface NodePreview {
  readonly node: string
  /** Pods that would be evicted. */
  readonly evicts: readonly RoomPod[]
  /** Pods that stay: mirror pods, daemons, labelled ones. */
  readonly stays: number
  readonly findings: readonly Finding[]
}

export function previewDrain(input: PreviewInput, now: number): readonly NodePreview[] {
  const byNode = Map.groupBy(input.pods, ({ spec }) => spec?.nodeName ?? '')
  const budgetsByNamespace = Map.groupBy(input.budgets, ({ metadata }) => metadata.namespace ?? '')
  const cluster = { ...input, rooms: roomsOf(input.allNodes, byNode), budgetsByNamespace, now }
  return input.nodes.map((node) => previewNode(cluster, node, byNode.get(node) ?? []))
}

/** What all nodes share. */
interface Surroundings extends PreviewInput {
  readonly rooms: Rooms
  readonly budgetsByNamespace: ReadonlyMap<string, readonly DisruptionBudget[]>
  readonly now: number
}

function previewNode(input: Surroundings, node: string, pods: readonly RoomPod[]): NodePreview {
  const context = { ...input, node: { name: node, reachable: true, machineOff: false } }
  const judged = pods.map((pod) => ({ pod, verdict: verdictOf(pod, context) }))
  const evicted = judged.filter(({ verdict }) => verdict.kind === 'evict').map(({ pod }) => pod)
  const found: Sorted = new Map()
  for (const { pod, verdict } of judged) {
    if (verdict.kind === 'block') note(found, verdict.cause, pod)
    if (verdict.kind === 'wait' && verdict.cause === 'LongJob') note(found, 'LongJob', pod)
  }
  for (const pod of evicted) noteBudget(found, pod, budgetsNear(pod, input))
  for (const pod of evicted.filter(hasEmptyDir)) note(found, 'EmptyDir', pod)
  const findings = [...found].map(([kind, group]) => finding(input, { kind, node, group }))
  const movable = evicted.filter((pod) => !isCritical(pod))
  // The other nodes of a run come back before this one goes, or after.
  const lost = homeless(movable, node, input.rooms)
  const room = lost.length === 0 ? [] : [noRoom(node, lost)]
  return { node, evicts: evicted, stays: judged.length - evicted.length, findings: [...findings, ...room] }
}

const budgetsNear = ({ metadata }: RoomPod, { budgetsByNamespace }: Surroundings): readonly DisruptionBudget[] =>
  budgetsByNamespace.get(metadata.namespace ?? '') ?? []

type Sorted = Map<FindingKind, RoomPod[]>

function note(found: Sorted, kind: FindingKind, pod: RoomPod): void {
  found.set(kind, [...(found.get(kind) ?? []), pod])
}

function noteBudget(found: Sorted, pod: RoomPod, budgets: readonly DisruptionBudget[]): void {
  const covering = budgetsOf(pod, budgets)
  const states = covering.map(budgetState)
  if (covering.length > 1) note(found, 'SeveralBudgets', pod)
  else if (states.includes('never')) note(found, 'ZeroBudget', pod)
  else if (states.includes('closed')) note(found, 'ClosedBudget', pod)
}

const WHY: Readonly<Record<FindingKind, string>> = {
  ZeroBudget: 'never allows an eviction: raise the replicas or relax it',
  ClosedBudget: 'allows no eviction now: its pods are not all healthy',
  SeveralBudgets: 'more than one PodDisruptionBudget covers it, which the eviction API refuses: leave one',
  Unmanaged: 'no controller would make it again: allow it with drain.force',
  EmptyDir: 'its emptyDir data goes with it',
  DaemonSetUnknown: 'its DaemonSet could not be read',
  LongJob: 'its end is awaited',
  NoRoom: 'no other node has room for it now',
  Denied: 'its eviction is refused on trial',
  Forbidden: 'the operator may not evict it',
  ServerError: 'the API server failed at its eviction',
}

const ALWAYS_BLOCKS: ReadonlySet<FindingKind> = new Set([
  'ZeroBudget',
  'SeveralBudgets',
  'Unmanaged',
  'DaemonSetUnknown',
  'Forbidden',
])

function finding(
  input: Surroundings,
  { kind, node, group }: { kind: FindingKind; node: string; group: readonly RoomPod[] },
): Finding {
  const pods = [...new Set(group.map(podName))].toSorted()
  const names = [...new Set(group.flatMap((pod) => budgetsOf(pod, budgetsNear(pod, input))).map(budgetName))].toSorted()
  const { policy } = input
  const blocks =
    policy.onTimeout !== 'Force' && (ALWAYS_BLOCKS.has(kind) || (kind === 'EmptyDir' && !policy.deleteEmptyDirData))
  const ofBudget = kind === 'ZeroBudget' || kind === 'ClosedBudget' || kind === 'SeveralBudgets'
  const subject = ofBudget ? `${someOf(pods)} (PodDisruptionBudget ${names.join(', ')})` : someOf(pods)
  return { kind, node, pods, budgets: ofBudget ? names : [], blocks, message: `${subject}: ${WHY[kind]}` }
}

function noRoom(node: string, pods: readonly string[]): Finding {
  return { kind: 'NoRoom', node, pods, budgets: [], blocks: false, message: `${someOf(pods)}: ${WHY.NoRoom}` }
}

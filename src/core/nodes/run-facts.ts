/** What every rule of a run asks for, computed once in a pass. */

import { parseDuration } from '../../api/duration.ts'
import { parseTimestamp } from '../../api/timestamp.ts'
import type {
  Batch,
  BatchNode,
  ManagedClusterSpec,
  NodeGroup,
  NodeSelector,
  OperationHolder,
} from '../../api/v1alpha1/managed-cluster.ts'
import type { Member, NodesObserved, Settings } from './model.ts'
import { outOfDate } from './out-of-date.ts'

export interface RunFacts {
  readonly observed: NodesObserved
  readonly now: number
  readonly spec: ManagedClusterSpec
  readonly holder: OperationHolder
  readonly groups: ReadonlyMap<string, NodeGroup>
  readonly byName: ReadonlyMap<string, Member>
  readonly byGroup: ReadonlyMap<string, readonly Member[]>
  /** Members of each type. */
  readonly counts: Readonly<Record<NodeGroup['type'], number>>
  /** Whether etcd runs on machines of its own. */
  readonly externalEtcd: boolean
  readonly wanted: ReadonlyMap<string, Settings>
  readonly batch: Batch | undefined
  readonly entries: ReadonlyMap<string, BatchNode>
  /** Names of nodes that a drain has left out in this run. */
  readonly skipped: ReadonlySet<string>
}

export function runFacts(observed: NodesObserved, holder: OperationHolder, now: number): RunFacts {
  const { spec } = observed.cluster
  const byGroup = new Map<string, Member[]>()
  const counts = { control: 0, worker: 0, etcd: 0 }
  for (const member of observed.members) {
    counts[member.type] += 1
    const group = byGroup.get(member.group)
    if (group === undefined) byGroup.set(member.group, [member])
    else group.push(member)
  }
  return {
    observed,
    now,
    spec,
    holder,
    groups: new Map(spec.nodeGroups.map((group) => [group.name, group])),
    byName: new Map(observed.members.map((member) => [member.name, member])),
    byGroup,
    counts,
    externalEtcd: counts.etcd > 0,
    wanted: new Map((holder.wanted ?? []).map(({ name, settings }) => [name, settings])),
    batch: holder.batch,
    entries: new Map((holder.batch?.nodes ?? []).map((entry) => [entry.name, entry])),
    skipped: new Set((holder.skipped ?? []).map(({ name }) => name)),
  }
}

/** The settings are fixed when the work begins: a group that appears later waits for the next run. */
export const wantedOf = (facts: RunFacts, member: Member): Settings => facts.wanted.get(member.group) ?? {}

export const differs = (facts: RunFacts, member: Member): boolean =>
  outOfDate(member.machine, wantedOf(facts, member)).length > 0

export const hasMachine = ({ machine }: Member): boolean => machine !== undefined

export const isRunning = ({ machine }: Member): boolean => machine?.state === 'Running'

export const isStopped = ({ machine }: Member): boolean => machine?.state === 'Stopped'

/** Machines of an external etcd have no Node. */
export const hasNode = ({ type }: Member): boolean => type !== 'etcd'

/** It serves: its machine runs, and its Node is Ready. A cordoned node still serves the pods it has. */
export const isServing = (member: Member): boolean =>
  isRunning(member) && (!hasNode(member) || (member.node?.ready ?? false))

/** Whether the operation is about it. */
export function isSelected({ operation }: NodesObserved, member: Member): boolean {
  const { selector } = operation.spec
  return selector === undefined || fits(selector, member)
}

export function fits({ names, zones, matchLabels }: NodeSelector, member: Member): boolean {
  if (names !== undefined && !names.includes(member.name) && !names.includes(member.machine?.name ?? '')) return false
  if (zones !== undefined && !zones.includes(member.zone ?? '')) return false
  return Object.entries(matchLabels ?? {}).every(([label, value]) => member.node?.labels?.[label] === value)
}

/** The work of this run: what differs, and what is stopped. A mark alone is dealt with before anything is picked. */
export function isWork(facts: RunFacts, member: Member): boolean {
  if (!isSelected(facts.observed, member) || !facts.wanted.has(member.group)) return false
  return isStopped(member) || differs(facts, member)
}

const NODE_TIMEOUT_MS = 1_800_000

export const nodeTimeoutMs = ({ spec }: Pick<RunFacts, 'spec'>): number =>
  parseDuration(spec.nodeTimeout) ?? NODE_TIMEOUT_MS

export const momentOf = (text: string | undefined, otherwise: number): number =>
  text === undefined ? otherwise : (parseTimestamp(text) ?? otherwise)

export const batchDeadline = (facts: RunFacts): number =>
  momentOf(facts.batch?.startedAt, facts.now) + nodeTimeoutMs(facts)

/**
 * Which nodes go next. Evaluation order:
 * tiers as `order` says · first group with work · what is left out is noted · nodes that are down already, then those that are
 * not Ready, then marked ones, then the rest; the operator's own node last · as many as the budget leaves.
 */
import { MAX_BATCH, type NodeGroup } from '../../api/v1alpha1/managed-cluster.ts'
import { budgetOf, unavailableIn } from './budget.ts'
import { type LeftOut, leavesOut } from './left-out.ts'
import type { Member } from './model.ts'
import { differs, hasNode, isServing, isStopped, isWork, type RunFacts } from './run-facts.ts'

export interface Work {
  /** Candidates of each group, in the order in which they go; groups in the order of their tiers. */
  readonly queue: readonly { readonly group: NodeGroup; readonly candidates: readonly Member[] }[]
  readonly leftOut: readonly LeftOut[]
}

const TYPES = ['etcd', 'control', 'worker'] as const

/** The groups in the order in which they are worked on. */
export function orderedGroups({ spec }: RunFacts): NodeGroup[] {
  const left = new Set(spec.nodeGroups)
  const ordered: NodeGroup[] = []
  for (const entry of [...spec.order, ...TYPES]) {
    const byName = spec.nodeGroups.filter((group) => group.name === entry)
    const tier = byName.length > 0 ? byName : spec.nodeGroups.filter((group) => group.type === entry)
    for (const group of tier) {
      if (left.delete(group)) ordered.push(group)
    }
  }
  return ordered
}

export function workOf(facts: RunFacts): Work {
  const leftOut: LeftOut[] = []
  const queue: { group: NodeGroup; candidates: Member[] }[] = []
  for (const group of orderedGroups(facts)) {
    const work = (facts.byGroup.get(group.name) ?? []).filter((member) => isWork(facts, member))
    const candidates = work.filter((member) => {
      const why = leavesOut(facts, member)
      if (why !== undefined) leftOut.push({ name: member.name, ...why })
      return why === undefined
    })
    if (candidates.length > 0) queue.push({ group, candidates: inOrder(candidates) })
  }
  return { queue, leftOut }
}

function inOrder(candidates: readonly Member[]): Member[] {
  const ranked = candidates.map((member) => ({ member, rank: rankOf(member) }))
  ranked.sort((left, right) => left.rank - right.rank || compare(left.member.name, right.member.name))
  return ranked.map(({ member }) => member)
}

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)

function rankOf(member: Member): number {
  if (isStopped(member)) return 0
  if (!isServing(member)) return 1
  if (member.node?.mark !== undefined) return 2
  return member.node?.holdsOperator === true ? 4 : 3
}

export interface Pick {
  readonly group: NodeGroup
  readonly members: readonly Member[]
  /** Why it is not larger, with the numbers. */
  readonly message: string
}

/** The next batch, before preflight; undefined when nothing is left, `members` empty when the budget is spent. */
export function pickBatch(facts: RunFacts, work: Work): Pick | undefined {
  const [next] = work.queue
  if (next === undefined) return undefined
  const { group, candidates } = next
  const budget = budgetOf(facts, group.name)
  const unavailable = unavailableIn(facts, group.name)
  const size = Math.min(budget, MAX_BATCH, canarySize(facts, group, candidates))
  const names = new Set(unavailable.map(({ name }) => name))
  const members: Member[] = []
  let down = unavailable.length
  for (const candidate of oneZoneEach(facts, group, candidates)) {
    if (members.length >= size) break
    // What is down already costs nothing: it is brought back.
    if (!names.has(candidate.name)) {
      if (down + 1 > budget) break
      down += 1
    }
    members.push(candidate)
  }
  const message = `${members.length} of ${candidates.length} left in group ${group.name}; at most ${budget} unavailable, ${unavailable.length} are`
  return { group, members, message }
}

/** A group none of whose nodes serves with the wanted settings yet has to show first that they work. */
const isUntried = (facts: RunFacts, group: NodeGroup): boolean =>
  !(facts.byGroup.get(group.name) ?? []).some((member) => isServing(member) && !differs(facts, member))

function canarySize(facts: RunFacts, group: NodeGroup, candidates: readonly Member[]): number {
  const { canary } = facts.spec.pace
  if (canary === 'Off' || !isUntried(facts, group)) return candidates.length
  return canary === 'One' ? 1 : new Set(candidates.map(({ zone }) => zone)).size
}

function oneZoneEach(facts: RunFacts, group: NodeGroup, candidates: readonly Member[]): readonly Member[] {
  if (facts.spec.pace.canary !== 'OnePerZone' || !isUntried(facts, group)) return candidates
  const seen = new Set<string | undefined>()
  return candidates.filter(({ zone }) => !seen.has(zone) && seen.add(zone))
}

/** What must be remembered of a node from before it is touched. */
export const bootIdOf = (member: Member): { bootId?: string } =>
  hasNode(member) && member.node !== undefined ? { bootId: member.node.bootId } : {}

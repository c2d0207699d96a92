/**
 * The batches of a rollout before it begins: the planner's own selection (`workOf`, `pickBatch`, `preflight`), asked again and
 * again, with what it picked taken for done. What would make it wait is told, and then taken for mended, so that the rest of the
 * run can be told too; up to there the order is the one that the run is going to have.
 *
 * A node that is done is no work any more, and the others keep their places: so the queue is worked out once and only shrinks,
 * and 5,000 nodes one at a time take a moment.
 */
import { createImagined, type Imagined } from './imagined-cluster.ts'
import type { Member } from './model.ts'
import { type Pick, pickBatch, type Work } from './pick-batch.ts'
import { spent } from './plan-next.ts'
import { type Problem, preflight } from './preflight.ts'
import { isServing, type RunFacts } from './run-facts.ts'

export interface ForeseenBatch {
  readonly group: string
  /** As they are now, in the order in which they are claimed. */
  readonly members: readonly Member[]
  /** What would have to be mended before it is claimed; empty: nothing, as far as can be told. */
  readonly waitsFor: readonly Problem[]
}

export function foresee(facts: RunFacts, { queue, leftOut }: Work): ForeseenBatch[] {
  const course: Course = {
    cluster: createImagined(facts),
    left: queue.map(({ group, candidates }) => ({ group, names: new Set(candidates.map(({ name }) => name)) })),
    leftOut,
    isClean: false,
  }
  const batches: ForeseenBatch[] = []
  for (let batch = nextBatch(course); batch !== undefined; batch = nextBatch(course)) batches.push(batch)
  return batches.map((batch) => ({
    ...batch,
    members: batch.members.map((member) => facts.byName.get(member.name) ?? member),
  }))
}

interface Course {
  readonly cluster: Imagined
  /** What is still to be done, in its order. */
  readonly left: readonly { readonly group: Pick['group']; readonly names: Set<string> }[]
  readonly leftOut: Work['leftOut']
  /** All others serve: what holds for one worker holds for the next. */
  isClean: boolean
}

function nextBatch(course: Course): ForeseenBatch | undefined {
  const first = pick(course)
  if (first === undefined) return undefined
  const waitsFor = [...spent(first), ...preflightOf(course, first)]
  if (waitsFor.length > 0) course.cluster.mend(new Set(first.members.map(({ name }) => name)))
  const { group, members } = first.members.length > 0 ? first : (pick(course) ?? first)
  if (members.length === 0) return undefined
  course.cluster.renew(members)
  for (const { names } of course.left) for (const { name } of members) names.delete(name)
  return { group: group.name, members, waitsFor }
}

function pick({ cluster, left, leftOut }: Course): Pick | undefined {
  const open = left.find(({ names }) => names.size > 0)
  if (open === undefined) return undefined
  const { facts } = cluster
  const candidates = [...open.names].flatMap((name) => facts.byName.get(name) ?? [])
  return pickBatch(facts, { queue: [{ group: open.group, candidates }], leftOut })
}

function preflightOf(course: Course, { group, members }: Pick): readonly Problem[] {
  if (course.isClean && group.type === 'worker') return []
  const { facts } = course.cluster
  const problems = preflight(facts, members)
  course.isClean = problems.length === 0 && group.type === 'worker' && facts.observed.members.every(isServing)
  return problems
}

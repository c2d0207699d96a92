/**
 * Breadth-first search over every state of a model, so the first trace to a violation is a shortest one. A state is kept only
 * while it waits to be expanded; of the others the hash, the parent and the number of the step remain, from which a trace is
 * played again.
 */
import { checkConvergence } from './convergence.ts'
import type { AnyModel, Exploration, Violation } from './model.ts'
import { Numbers, StateTable } from './state-table.ts'
import { traceTo } from './trace.ts'

export interface Bounds {
  /** Stops when so many distinct states were seen. Default: no limit. */
  readonly maxStates?: number
  /** Stops after so many violations of different rules. Default 1. */
  readonly maxViolations?: number
  readonly onProgress?: (states: number, waiting: number) => void
}

export interface Search<State> {
  readonly model: AnyModel<State>
  readonly table: StateTable
  readonly parents: Numbers
  readonly stepOf: Numbers
  /** Pairs (from, to) of undisturbed steps that change something. */
  readonly fairEdges: Numbers
  /** Of each state: 0 matches the wish, 1 excused, 2 does not. */
  readonly matches: Numbers
  /** Ends by wish, with the state that showed it first. */
  readonly endings: Map<string, { readonly end: string; readonly state: number }>
  readonly found: Found[]
  readonly seenRules: Set<string>
  transitions: number
  resting: number
}

/** A violation before its trace is played: it shows in the state with this index, or in one more step from there. */
interface Found extends Omit<Violation, 'trace'> {
  readonly index: number
  readonly step: number | undefined
}

const MATCH = { yes: 0, excused: 1 } as const
const PROGRESS_EVERY = 20_000

export async function explore<State>(model: AnyModel<State>, bounds: Bounds = {}): Promise<Exploration> {
  const startedAt = performance.now()
  const search: Search<State> = {
    model,
    table: new StateTable(),
    parents: new Numbers(),
    stepOf: new Numbers(),
    fairEdges: new Numbers(),
    matches: new Numbers(),
    endings: new Map(),
    found: [],
    seenRules: new Set(),
    transitions: 0,
    resting: 0,
  }
  const { depth, complete } = await searchAll(search, bounds)
  const sound = complete && search.found.length === 0
  if (sound) await checkConvergence(search)
  return {
    model: model.name,
    states: search.table.size,
    transitions: search.transitions,
    depth,
    complete,
    violations: await violationsOf(search),
    esr: sound && search.found.length === 0,
    restingStates: search.resting,
    milliseconds: Math.round(performance.now() - startedAt),
  }
}

async function violationsOf<State>(search: Search<State>): Promise<Violation[]> {
  const violations: Violation[] = []
  for (const { rule, message, index, step } of search.found)
    violations.push({ rule, message, trace: await traceTo(search, index, step) })
  return violations
}

async function searchAll<State>(search: Search<State>, bounds: Bounds): Promise<{ depth: number; complete: boolean }> {
  const { maxStates = Number.POSITIVE_INFINITY, maxViolations = 1, onProgress } = bounds
  const { model, table } = search
  let layer: State[] = [model.initial()]
  let firstOfLayer = 0
  admit(search, layer[0] as State, { parent: -1, step: -1 })
  let depth = 0
  while (layer.length > 0) {
    const next: State[] = []
    const firstOfNext = table.size
    for (const [offset, state] of layer.entries()) {
      await expand(search, state, firstOfLayer + offset, next)
      if (search.found.length >= maxViolations || table.size >= maxStates) return { depth, complete: false }
      if (offset % PROGRESS_EVERY === 0) onProgress?.(table.size, layer.length - offset + next.length)
      // Expanded: only its number is needed from here on.
      delete layer[offset]
    }
    layer = next
    firstOfLayer = firstOfNext
    depth += 1
  }
  return { depth, complete: true }
}

async function expand<State>(search: Search<State>, state: State, index: number, next: State[]): Promise<void> {
  const { model, fairEdges } = search
  let number = 0
  let restless = false
  for (const step of await model.steps(state)) {
    search.transitions += 1
    const reached = admit(search, step.next, { parent: index, step: number }, next)
    if (step.fair && reached !== index) {
      restless = true
      fairEdges.push(index)
      fairEdges.push(reached)
    }
    number += 1
  }
  if (restless) return
  search.resting += 1
  for (const message of model.atRest(state)) report(search, message, index)
  checkEnding(search, state, index)
}

interface Origin {
  readonly parent: number
  readonly step: number
}

function admit<State>(search: Search<State>, state: State, origin: Origin, waiting?: State[]): number {
  const { model, table, parents, stepOf, matches } = search
  const { index, isNew } = table.add(model.encode(state))
  // What went wrong in the step itself shows only in the state that this very step made.
  const wrong = model.violations(state)
  if (isNew) {
    parents.push(origin.parent)
    stepOf.push(origin.step)
    const match = model.match(state)
    matches.push(typeof match === 'string' ? MATCH[match] : 2)
    waiting?.push(state)
  }
  for (const message of wrong) report(search, message, origin.parent, origin.step)
  return index
}

/** A crash, a lost answer or a race leads to the same end as an undisturbed run (I13). */
function checkEnding<State>(search: Search<State>, state: State, index: number): void {
  if (search.matches.at(index) !== 0) return
  const { wish, end } = search.model.ending(state)
  const before = search.endings.get(wish)
  if (before === undefined) search.endings.set(wish, { end, state: index })
  else if (before.end !== end)
    report(search, `I13: the same wish ends as ${end}, and elsewhere as ${before.end}`, index)
}

export function report<State>(search: Search<State>, message: string, index: number, step?: number): void {
  const rule = message.slice(0, message.indexOf(':'))
  if (search.seenRules.has(rule)) return
  search.seenRules.add(rule)
  search.found.push({ rule, message, index, step })
}

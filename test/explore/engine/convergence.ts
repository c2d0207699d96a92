/**
 * "If the wish stops changing, reality reaches it and stays" (ESR), on the explored graph without faults: every component that
 * cannot be left matches the wish throughout, and no cycle lies outside. A cycle outside is a livelock even when it can be left,
 * as nothing forces the world to leave it.
 */
import { componentsOf } from './components.ts'
import { report, type Search } from './explore.ts'
import { type Graph, graphOf } from './graph.ts'
import { stateAt } from './trace.ts'

const MISSING = 2

export function checkConvergence<State>(search: Search<State>): void {
  const graph = graphOf(search.table.size, search.fairEdges)
  const components = componentsOf(graph)
  const sizes = new Int32Array(components.count)
  const left = new Uint8Array(components.count)
  for (let state = 0; state < graph.states; state += 1) {
    const own = components.of[state] ?? 0
    sizes[own] = (sizes[own] ?? 0) + 1
    if (successors(graph, state).some((target) => components.of[target] !== own)) left[own] = 1
  }
  for (let state = 0; state < graph.states; state += 1) {
    if (search.matches.at(state) !== MISSING) continue
    const own = components.of[state] ?? 0
    if (left[own] === 0) report(search, `ESR: the world stays where ${missing(search, state)}`, state)
    else if ((sizes[own] ?? 0) > 1)
      report(search, `ESR: a cycle of ${sizes[own]} states where ${missing(search, state)}`, state)
  }
}

const successors = ({ first, targets }: Graph, state: number): number[] => [
  ...targets.subarray(first[state], first[state + 1]),
]

function missing<State>(search: Search<State>, index: number): string {
  const match = search.model.match(stateAt(search, index))
  return typeof match === 'string' ? match : match.missing
}

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

export async function checkConvergence<State>(search: Search<State>): Promise<void> {
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
    const size = sizes[own] ?? 0
    if (left[own] !== 0 && size === 1) continue
    const what = left[own] === 0 ? 'the world stays' : `a cycle of ${size} states`
    report(search, `ESR: ${what} where ${await missing(search, state)}`, state)
    return
  }
}

const successors = ({ first, targets }: Graph, state: number): number[] => [
  ...targets.subarray(first[state], first[state + 1]),
]

async function missing<State>(search: Search<State>, index: number): Promise<string> {
  const match = search.model.match(await stateAt(search, index))
  return typeof match === 'string' ? match : match.missing
}

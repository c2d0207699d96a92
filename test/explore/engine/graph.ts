/** The undisturbed steps between explored states: those that remain when faults stop and nobody changes the wish any more. */
import type { Numbers } from './state-table.ts'

export interface Graph {
  readonly states: number
  /** Edges of state s: `targets[first[s]] .. targets[first[s + 1] - 1]`. */
  readonly first: Int32Array
  readonly targets: Int32Array
}

/** From a list of pairs (from, to), in any order. */
export function graphOf(states: number, pairs: Numbers): Graph {
  const first = new Int32Array(states + 1)
  for (let at = 0; at < pairs.length; at += 2) first[pairs.at(at) + 1] = (first[pairs.at(at) + 1] ?? 0) + 1
  for (let state = 0; state < states; state += 1) first[state + 1] = (first[state + 1] ?? 0) + (first[state] ?? 0)
  const cursor = first.slice()
  const targets = new Int32Array(pairs.length / 2)
  for (let at = 0; at < pairs.length; at += 2) {
    const from = pairs.at(at)
    targets[cursor[from] ?? 0] = pairs.at(at + 1)
    cursor[from] = (cursor[from] ?? 0) + 1
  }
  return { states, first, targets }
}

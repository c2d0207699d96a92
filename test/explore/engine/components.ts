/** Strongly connected components of the explored graph (Tarjan, without recursion). */
import type { Graph } from './graph.ts'

export interface Components {
  /** Number of the component of each state. Components are numbered in reverse topological order: sinks first. */
  readonly of: Int32Array
  readonly count: number
}

export function componentsOf({ states, first, targets }: Graph): Components {
  const of = new Int32Array(states).fill(-1)
  const low = new Int32Array(states)
  const order = new Int32Array(states).fill(-1)
  const cursor = new Int32Array(states)
  const open: number[] = []
  const path: number[] = []
  let clock = 0
  let count = 0

  const enter = (state: number): void => {
    order[state] = clock
    low[state] = clock
    clock += 1
    cursor[state] = first[state] ?? 0
    open.push(state)
    path.push(state)
  }
  const close = (state: number): void => {
    if (low[state] !== order[state]) return
    for (let member = -1; member !== state; ) {
      member = open.pop() ?? state
      of[member] = count
    }
    count += 1
  }
  const advance = (state: number): void => {
    const next = cursor[state] ?? 0
    if (next >= (first[state + 1] ?? 0)) {
      path.pop()
      close(state)
      const parent = path.at(-1)
      if (parent !== undefined) low[parent] = Math.min(low[parent] ?? 0, low[state] ?? 0)
      return
    }
    cursor[state] = next + 1
    const target = targets[next] ?? 0
    if (order[target] === -1) enter(target)
    else if (of[target] === -1) low[state] = Math.min(low[state] ?? 0, order[target] ?? 0)
  }

  for (let root = 0; root < states; root += 1) {
    if (order[root] !== -1) continue
    enter(root)
    for (let state = path.at(-1); state !== undefined; state = path.at(-1)) advance(state)
  }
  return { of, count }
}

/** Plays the way to a state again, from the numbers of its steps, and says it in words. */
import type { Search } from './explore.ts'
import type { Step } from './model.ts'

/** `last`: number of one more step, taken from the state with this index. */
export function traceTo<State>(search: Search<State>, index: number, last?: number): string[] {
  const numbers: number[] = last === undefined || last < 0 ? [] : [last]
  for (let at = index; at > 0; at = search.parents.at(at)) numbers.unshift(search.stepOf.at(at))
  const { model } = search
  let state = model.initial()
  return numbers.map((number) => {
    const step = nth(model.steps(state), number)
    state = step.next
    return step.label
  })
}

/** The state at the end of the way. */
export function stateAt<State>(search: Search<State>, index: number): State {
  const numbers: number[] = []
  for (let at = index; at > 0; at = search.parents.at(at)) numbers.unshift(search.stepOf.at(at))
  return numbers.reduce((state, number) => nth(search.model.steps(state), number).next, search.model.initial())
}

function nth<State>(steps: Iterable<Step<State>>, number: number): Step<State> {
  let at = 0
  for (const step of steps) {
    if (at === number) return step
    at += 1
  }
  throw new RangeError(`the state has no step ${number}: the model is not deterministic`)
}

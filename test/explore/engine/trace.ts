/** Plays the way to a state again, from the numbers of its steps, and says it in words. */
import type { Search } from './explore.ts'
import type { Step } from './model.ts'

/** `last`: number of one more step, taken from the state with this index. */
export async function traceTo<State>(search: Search<State>, index: number, last?: number): Promise<string[]> {
  const labels: string[] = []
  const more = last === undefined || last < 0 ? [] : [last]
  await play(search, [...numbersTo(search, index), ...more], (label) => labels.push(label))
  return labels
}

/** The state at the end of the way. */
export const stateAt = <State>(search: Search<State>, index: number): Promise<State> =>
  play(search, numbersTo(search, index), () => undefined)

function numbersTo<State>(search: Search<State>, index: number): number[] {
  const numbers: number[] = []
  for (let at = index; at > 0; at = search.parents.at(at)) numbers.push(search.stepOf.at(at))
  return numbers.reverse()
}

async function play<State>(
  { model }: Search<State>,
  numbers: readonly number[],
  onStep: (label: string) => void,
): Promise<State> {
  let state = model.initial()
  for (const number of numbers) {
    const step = nth(await model.steps(state), number)
    onStep(step.label)
    state = step.next
  }
  return state
}

function nth<State>(steps: Iterable<Step<State>>, number: number): Step<State> {
  let at = 0
  for (const step of steps) {
    if (at === number) return step
    at += 1
  }
  throw new RangeError(`the state has no step ${number}: the model is not deterministic`)
}

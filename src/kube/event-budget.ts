/** How many events one object may have: a burst, then a trickle. One object in a loop must not fill the store. */
import type { Clock } from './clock.ts'

const REFILL_MS = 300_000
/** Objects that are remembered; the one not heard of for longest is forgotten first. */
const REMEMBERED = 4096

interface Budget {
  readonly left: number
  readonly at: number
}

/** Answers a function that takes one from the budget of an object, or says that it is used up. */
export function createEventBudget(clock: Clock, burst: number): (subject: string) => boolean {
  const budgets = new Map<string, Budget>()
  return (subject) => {
    const now = clock.monotonic()
    const held = budgets.get(subject) ?? { left: burst, at: now }
    const left = Math.min(burst, held.left + (now - held.at) / REFILL_MS)
    const isAllowed = left >= 1
    budgets.delete(subject)
    budgets.set(subject, { left: isAllowed ? left - 1 : left, at: now })
    const oldest = budgets.keys().next()
    if (budgets.size > REMEMBERED && !oldest.done) budgets.delete(oldest.value)
    return isAllowed
  }
}

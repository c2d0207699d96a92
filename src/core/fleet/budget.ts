/**
 * How many members may be taken away now, shared by every kind of rolling change.
 * Budgets are counted against what is observed in each pass, never against what an earlier pass meant to do.
 */

export interface Budget {
  /** Members that serve now. */
  readonly available: number
  /** Serving members that must be left afterwards. */
  readonly floor: number
  /** Most members under way at once. */
  readonly limit: number
  /** Members under way already. */
  readonly inFlight: number
}

export type BudgetVerdict = { readonly allowed: number; readonly heldBy: 'limit' | 'floor' | 'none' }

/** `wanted` members should go: how many may, and what holds back the rest. */
export function spend(budget: Budget, wanted: number): BudgetVerdict {
  const byLimit = Math.max(0, budget.limit - budget.inFlight)
  const byFloor = Math.max(0, budget.available - budget.floor)
  const allowed = Math.min(wanted, byLimit, byFloor)
  if (allowed === wanted) return { allowed, heldBy: 'none' }
  return { allowed, heldBy: byFloor < byLimit ? 'floor' : 'limit' }
}

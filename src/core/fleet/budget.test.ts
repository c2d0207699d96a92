import { describe, expect, test } from 'vitest'
import { type Budget, spend } from './budget.ts'

const budget = (over: Partial<Budget>): Budget => ({ available: 4, floor: 3, limit: 1, inFlight: 0, ...over })

describe('spend', () => {
  test.each<[string, Partial<Budget>, number, ReturnType<typeof spend>]>([
    ['gives what is wanted when there is room', {}, 1, { allowed: 1, heldBy: 'none' }],
    ['nothing wanted is never held', { available: 0 }, 0, { allowed: 0, heldBy: 'none' }],
    ['never takes the available below the floor', { available: 3 }, 1, { allowed: 0, heldBy: 'floor' }],
    ['is not negative when already below the floor', { available: 1 }, 2, { allowed: 0, heldBy: 'floor' }],
    ['members under way use up the limit', { inFlight: 1 }, 1, { allowed: 0, heldBy: 'limit' }],
    ['more under way than the limit allows gives none', { inFlight: 3 }, 1, { allowed: 0, heldBy: 'limit' }],
    ['a limit of 0 gives none', { limit: 0 }, 4, { allowed: 0, heldBy: 'limit' }],
    ['takes a part when a part is allowed', { available: 8, floor: 6, limit: 3 }, 5, { allowed: 2, heldBy: 'floor' }],
  ])('%s', (_name, over, wanted, verdict) => {
    expect(spend(budget(over), wanted)).toEqual(verdict)
  })
})

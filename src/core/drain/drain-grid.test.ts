import { describe, expect, test } from 'vitest'
import { allCells, type Cell, expectedEnd, POD_KINDS, play, UID } from '../../../test/support/drain-grid.ts'

const titleOf = ({ kind, budget, first, clock, namesake }: Cell) =>
  `${kind}, budgets: ${budget}, first answer ${first}, ${clock}, ${namesake}`

describe('the drain grid', () => {
  const cells = allCells()

  test('has all its cells', () => {
    expect(cells).toHaveLength(2_304)
  })

  test.each(POD_KINDS)('%s: each cell ends as the rules say, with the exact cause', (kind) => {
    for (const cell of cells.filter((one) => one.kind === kind)) {
      const { end, requests } = play(cell)
      const expected = expectedEnd(cell)
      expect({ outcome: end.outcome, cause: end.blockers[0]?.cause }, titleOf(cell)).toEqual({
        outcome: expected.outcome,
        cause: expected.cause,
      })
      if (expected.untouched === true) expect(requests, titleOf(cell)).toEqual([])
    }
  })

  test('nobody but the right UID is ever asked to go', () => {
    for (const cell of cells) {
      const { requests, wronged } = play(cell)
      expect(wronged, titleOf(cell)).toBe(false)
      for (const { action } of requests) expect(action.pod.uid).toBe(UID)
    }
  })

  test('no cell asks in a hot loop: a second lies between two requests, and a Retry-After is kept', () => {
    for (const cell of cells) {
      const { requests } = play(cell)
      for (const [index, { at }] of requests.entries()) {
        const before = requests[index - 1]
        if (before === undefined) continue
        const least = Math.max(1_000, before.answer.retryAfterMs ?? 0)
        expect(at - before.at, titleOf(cell)).toBeGreaterThanOrEqual(least)
      }
    }
  })

  test('no eviction is sent at or after the deadline, and a failure is not told later than it', () => {
    for (const cell of cells) {
      const { end, endedAt, requests } = play(cell)
      for (const { at, action } of requests) {
        if (action.kind === 'Evict') expect(at, titleOf(cell)).toBeLessThan(end.deadline)
      }
      if (end.outcome === 'Failed') expect(endedAt, titleOf(cell)).toBeLessThanOrEqual(end.deadline)
    }
  })
})

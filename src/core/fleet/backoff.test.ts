import { describe, expect, test } from 'vitest'
import { backoffDelayMs } from './backoff.ts'

describe('backoffDelayMs', () => {
  test.each([
    [0, 0],
    [1, 5_000],
    [2, 10_000],
    [3, 20_000],
    [4, 40_000],
    [5, 80_000],
    [6, 120_000],
    [7, 120_000],
    [5_000, 120_000],
  ])('after %i failures in a row it waits %i ms', (failures, delay) => {
    expect(backoffDelayMs(failures)).toBe(delay)
  })

  test('a huge multiplier saturates at the maximum', () => {
    expect(backoffDelayMs(400, { baseMs: 1_000, multiplier: 1e9, maxMs: 7_000 })).toBe(7_000)
  })
})

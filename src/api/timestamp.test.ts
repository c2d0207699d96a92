import { describe, expect, it } from 'vitest'
import { formatTimestamp, parseTimestamp } from './timestamp.ts'

const NOON = Date.UTC(2026, 0, 31, 12, 0, 0)

describe('timestamps', () => {
  it('writes UTC with seconds and cuts fractions off', () => {
    expect(formatTimestamp(NOON + 999)).toBe('2026-01-31T12:00:00Z')
  })

  it.each([
    ['2026-01-31T12:00:00Z', NOON],
    ['2026-01-31t12:00:00z', NOON],
    ['2026-01-31T14:00:00+02:00', NOON],
    ['2026-01-31T12:00:00.250Z', NOON + 250],
    ['2026-01-31T12:00:00.250123Z', NOON + 250],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
  ])('reads %s', (text, ms) => {
    expect(parseTimestamp(text)).toBe(ms)
  })

  it.each([
    '',
    'soon',
    '2026-01-31',
    '2026-01-31 12:00:00Z',
    '2026-01-31T12:00:00',
    '2026-02-30T00:00:00Z',
    '2026-01-31T25:00:00Z',
  ])('refuses %j', (text) => {
    expect(parseTimestamp(text)).toBeUndefined()
  })
})

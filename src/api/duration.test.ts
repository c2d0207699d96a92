import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDuration, parseDuration } from './duration.ts'
import { DURATION } from './field.ts'

const S = 1000
const DAY = 24 * 3600 * S

describe('parseDuration', () => {
  it.each([
    ['30s', 30 * S],
    ['90m', 5400 * S],
    ['1h30m', 5400 * S],
    ['30m1h', 5400 * S],
    ['1m1m', 120 * S],
    ['  5m\n', 300 * S],
    ['007s', 7 * S],
    ['8760h', 365 * DAY],
  ])('takes %j', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  it.each([
    '',
    ' ',
    '0s',
    '0h0m',
    '1',
    '1h30',
    '1d',
    '1.5h',
    '-1h',
    '1h 30m',
    'h',
    '1H',
    '8760h1s',
    '99999999999999999999h',
  ])('refuses %j', (text) => {
    expect(parseDuration(text)).toBeUndefined()
  })

  it('reads back what formatDuration wrote', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 365 * 24 * 3600 }), (seconds) => {
        expect(parseDuration(formatDuration(seconds * S))).toBe(seconds * S)
      }),
    )
  })

  it('accepts what the schema accepts, up to 365 days', () => {
    const part = fc.tuple(fc.nat(9), fc.constantFrom('m', 's', 'd', '')).map(([n, unit]) => `${n}${unit}`)
    const texts = fc.array(part, { maxLength: 4 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(texts, (text) => {
        expect(parseDuration(text) !== undefined).toBe(new RegExp(DURATION).test(text))
      }),
    )
  })
})

describe('formatDuration', () => {
  it.each([
    [3_600_000, '1h'],
    [90_000, '1m30s'],
    [0, '0s'],
    [3_661_999, '1h1m1s'],
    [-5, '0s'],
    [90_000_000, '25h'],
  ])('writes %d ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })
})

import { expect, test } from 'vitest'
import { age, humanDuration } from './human-duration.ts'

const S = 1000
const M = 60 * S
const H = 60 * M
const D = 24 * H

test.each([
  [-5 * S, '<invalid>'],
  [-1 * S, '0s'],
  [0, '0s'],
  [119 * S, '119s'],
  [2 * M, '2m'],
  [2 * M + 5 * S, '2m5s'],
  [9 * M + 59 * S, '9m59s'],
  [10 * M + 59 * S, '10m'],
  [179 * M, '179m'],
  [3 * H, '3h'],
  [3 * H + 7 * M, '3h7m'],
  [8 * H + 7 * M, '8h'],
  [47 * H, '47h'],
  [48 * H, '2d'],
  [49 * H, '2d1h'],
  [8 * D, '8d'],
  [729 * D, '729d'],
  [730 * D, '2y'],
  [731 * D, '2y1d'],
  [8 * 365 * D + D, '8y'],
])('%d ms is shown as %s', (milliseconds, text) => {
  expect(humanDuration(milliseconds)).toBe(text)
})

test('an absent time is unknown and another text is invalid', () => {
  expect(age(undefined, 0)).toBe('<unknown>')
  expect(age('soon', 0)).toBe('<invalid>')
  expect(age('1970-01-01T00:00:00Z', 5000)).toBe('5s')
})

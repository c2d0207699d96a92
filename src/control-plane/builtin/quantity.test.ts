import { expect, test } from 'vitest'
import { canonicalQuantity } from './quantity.ts'

test.each([
  ['0', '0'],
  ['0m', '0'],
  ['1', '1'],
  [1, '1'],
  [0.5, '500m'],
  ['0.5', '500m'],
  ['1000m', '1'],
  ['1500m', '1500m'],
  ['1000', '1k'],
  ['1024', '1024'],
  ['100000', '100k'],
  ['.1', '100m'],
  ['1.', '1'],
  ['+2', '2'],
  ['-1500m', '-1500m'],
  ['-0', '0'],
  ['1024Mi', '1Gi'],
  ['0.5Gi', '512Mi'],
  ['1.5Ki', '1536'],
  ['512Ki', '512Ki'],
  ['0.25Ki', '256'],
  ['1e3', '1e3'],
  ['1E3', '1e3'],
  ['1500e0', '1500'],
  ['10e3', '10e3'],
  ['0.0000000001', '1n'],
  ['1E', '1E'],
])('%s is %s', (value, canonical) => {
  expect(canonicalQuantity(value)).toBe(canonical)
})

test.each(['', 'x', '1 Gi', '1GiB', '--1', '1ki', 'Infinity', 'e3', '1e999999999', '9'.repeat(100)])(
  '%s is no quantity',
  (text) => {
    expect(canonicalQuantity(text)).toBeUndefined()
  },
)

test('the canonical form is its own canonical form', () => {
  for (const text of ['500m', '1Gi', '1536', '1k', '100n', '1e3']) expect(canonicalQuantity(text)).toBe(text)
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from './canonical-json.ts'

describe('canonicalJson', () => {
  test.each<[string, unknown, unknown]>([
    ['the order of keys does not matter', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
    ['a member that is undefined is the same as a missing one', { a: undefined, b: 1 }, { b: 1 }],
    ['minus zero is zero', [-0], [0]],
    ['1e2 is 100', [1e2], [100]],
    ['nothing at all is null', undefined, null],
  ])('%s', (_name, left, right) => {
    expect(canonicalJson(left)).toBe(canonicalJson(right))
  })

  test.each<[string, unknown, unknown]>([
    ['the order of a list matters', ['a', 'b'], ['b', 'a']],
    ['null is not a missing member', { a: null }, {}],
    ['a text is not a number', { a: '1' }, { a: 1 }],
    ['a number that JSON cannot carry is not null', [Number.NaN], [null]],
  ])('%s', (_name, left, right) => {
    expect(canonicalJson(left)).not.toBe(canonicalJson(right))
  })

  test('is stable under parsing and is what JSON.parse can read (seed 1)', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value)
        expect(canonicalJson(JSON.parse(text))).toBe(text)
      }),
      { seed: 1, numRuns: 200 },
    )
  })
})

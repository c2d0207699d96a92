import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from './fleet/canonical-json.ts'
import { sameStatus } from './status-equality.ts'

describe('sameStatus', () => {
  test.each<[string, unknown, unknown, boolean]>([
    ['order of keys does not count', { a: 1, b: [2] }, { b: [2], a: 1 }, true],
    ['an undefined member is a missing one', { a: 1, b: undefined }, { a: 1 }, true],
    ['on either side', { a: 1 }, { a: 1, b: undefined }, true],
    ['a member more', { a: 1 }, { a: 1, b: 2 }, false],
    ['a member less', { a: 1, b: 2 }, { a: 1 }, false],
    ['a longer list', { a: [1] }, { a: [1, 2] }, false],
    ['order of a list counts', [1, 2], [2, 1], false],
    ['null is not missing', { a: null }, {}, false],
    ['no status and an empty one differ', undefined, {}, false],
  ])('%s', (_name, left, right, same) => {
    expect(sameStatus(left, right)).toBe(same)
  })

  test('agrees with the canonical text (seed 3)', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
        expect(sameStatus(left, JSON.parse(JSON.stringify(left)))).toBe(true)
        expect(sameStatus(left, right)).toBe(canonicalJson(left) === canonicalJson(right))
      }),
      { seed: 3 },
    )
  })
})

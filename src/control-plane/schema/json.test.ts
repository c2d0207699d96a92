import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, cloneJson, equalJson, isDeeperThan, own, setOwn } from './json.ts'

const nested = (depth: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

describe('JSON values', () => {
  it('are read by own fields only', () => {
    expect(own({ a: 1 }, 'a')).toBe(1)
    expect(own({}, 'toString')).toBeUndefined()
    expect(own(undefined, 'a')).toBeUndefined()
  })

  it('take __proto__ as data', () => {
    const object: Record<string, unknown> = {}
    setOwn(object, '__proto__', { x: 1 })
    expect(JSON.stringify(cloneJson(object))).toBe('{"__proto__":{"x":1}}')
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype)
  })

  it('are copied, compared and named by content', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
        const same = canonicalJson(left) === canonicalJson(right)
        expect(equalJson(left, right)).toBe(same)
        expect(equalJson(left, cloneJson(left))).toBe(true)
      }),
      { numRuns: 200, seed: 7 },
    )
  })

  it.each<[unknown, unknown, boolean]>([
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [[1, 2], [2, 1], false],
    [{ a: undefined }, {}, false],
    [null, {}, false],
    [{}, [], false],
    ['1', 1, false],
  ])('%j equals %j: %s', (left, right, expected) => {
    expect(equalJson(left, right)).toBe(expected)
  })

  it.each([
    [1, 0, false],
    [nested(1), 0, true],
    [nested(3), 3, false],
    [nested(4), 3, true],
    [nested(200_000), 400, true],
  ])('of any depth are measured without overflowing the stack', (value, limit, expected) => {
    expect(isDeeperThan(value, limit)).toBe(expected)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyMergePatch } from './merge-patch.ts'
import { PatchError } from './patch-error.ts'

describe('applyMergePatch', () => {
  // The table of RFC 7396, appendix A.
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j with %j gives %j', (doc, patch, expected) => {
    const before = structuredClone([doc, patch])
    expect(applyMergePatch(doc, patch)).toEqual(expected)
    expect([doc, patch]).toEqual(before)
  })

  it.each([
    ['drops null fields inside a new list', {}, { a: [{ b: null, c: 1 }, null] }, { a: [{ c: 1 }, null] }],
    ['keeps the place of a changed field', { a: 1, b: 2 }, { a: 3 }, { a: 3, b: 2 }],
    [
      'merges maps such as labels',
      { labels: { x: '1', y: '2' } },
      { labels: { x: null, z: '3' } },
      { labels: { y: '2', z: '3' } },
    ],
  ])('%s', (_rule, doc, patch, expected) => {
    expect(JSON.stringify(applyMergePatch(doc, patch))).toBe(JSON.stringify(expected))
  })

  it('keeps __proto__ as data', () => {
    const patch = JSON.parse('{"a":{"__proto__":{"polluted":true}}}')
    const merged = applyMergePatch({ a: {} }, patch)
    expect(JSON.stringify(merged)).toBe('{"a":{"__proto__":{"polluted":true}}}')
    expect({}).not.toHaveProperty('polluted')
  })

  it('refuses a patch nested without end', () => {
    let patch: unknown = 1
    for (let depth = 0; depth < 100_000; depth++) patch = { a: patch }
    expect(() => applyMergePatch({}, patch)).toThrow(PatchError)
  })

  it('is idempotent, and nothing changes with an empty patch', () => {
    const document = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
    fc.assert(
      fc.property(document, document, (doc, patch) => {
        const once = applyMergePatch(doc, patch)
        expect(applyMergePatch(once, patch)).toEqual(once)
        expect(applyMergePatch(doc, {})).toEqual(doc)
      }),
      { numRuns: 100, seed: 7 },
    )
  })
})

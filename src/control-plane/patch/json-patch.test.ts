import fc from 'fast-check'
import { createPatch } from 'rfc6902'
import { describe, expect, it } from 'vitest'
import { applyJsonPatch } from './json-patch.ts'
import { PatchError } from './patch-error.ts'

const DOC = { metadata: { name: 'a', labels: { 'x/y': '1', 'm~n': '2' } }, list: [1, 2, 3] }

const failure = (ops: unknown): PatchError => {
  try {
    applyJsonPatch(DOC, ops)
  } catch (error) {
    if (error instanceof PatchError) return error
  }
  throw new Error('expected a PatchError')
}

describe('applyJsonPatch', () => {
  it.each([
    ['adds a field', { op: 'add', path: '/b', value: 1 }, { ...DOC, b: 1 }],
    ['inserts into a list', { op: 'add', path: '/list/1', value: 9 }, { ...DOC, list: [1, 9, 2, 3] }],
    ['appends with -', { op: 'add', path: '/list/-', value: 9 }, { ...DOC, list: [1, 2, 3, 9] }],
    ['counts negative indices from the end', { op: 'remove', path: '/list/-1' }, { ...DOC, list: [1, 2] }],
    [
      'unescapes ~1',
      { op: 'remove', path: '/metadata/labels/x~1y' },
      { ...DOC, metadata: { name: 'a', labels: { 'm~n': '2' } } },
    ],
    ['unescapes ~0', { op: 'test', path: '/metadata/labels/m~0n', value: '2' }, DOC],
    ['replaces', { op: 'replace', path: '/list/0', value: 5 }, { ...DOC, list: [5, 2, 3] }],
    ['adds when the field to replace is absent', { op: 'replace', path: '/b', value: 5 }, { ...DOC, b: 5 }],
    ['replaces the whole document', { op: 'replace', path: '', value: { z: 1 } }, { z: 1 }],
    ['moves', { op: 'move', from: '/list/0', path: '/list/-' }, { ...DOC, list: [2, 3, 1] }],
    ['copies', { op: 'copy', from: '/list', path: '/b' }, { ...DOC, b: [1, 2, 3] }],
    ['takes a missing value as null', { op: 'add', path: '/b' }, { ...DOC, b: null }],
    ['tests an absent field against null', { op: 'test', path: '/b', value: null }, DOC],
    [
      'tests whatever the order of keys',
      { op: 'test', path: '/metadata', value: { labels: { 'm~n': '2', 'x/y': '1' }, name: 'a' } },
      DOC,
    ],
  ])('%s', (_rule, op, expected) => {
    const before = structuredClone(DOC)
    expect(applyJsonPatch(DOC, [op])).toEqual(expected)
    expect(DOC).toEqual(before)
  })

  it.each([
    ['not a list', { op: 'add' }, 'BadRequest', 400, 'a JSON patch must be an array of operations'],
    ['an operation that is no object', [1], 'BadRequest', 400, 'each operation of a JSON patch must be an object'],
    ['an unknown operation', [{ op: 'jump', path: '/a' }], 'Invalid', 422, 'Unexpected kind: jump'],
    [
      'an operation without a path',
      [{ op: 'add', value: 1 }],
      'Invalid',
      422,
      'add operation failed to decode path: missing value',
    ],
    [
      'a missing parent',
      [{ op: 'add', path: '/no/x', value: 1 }],
      'Invalid',
      422,
      'add operation does not apply: doc is missing path: "/no/x": missing value',
    ],
    [
      'removal of an absent field',
      [{ op: 'remove', path: '/no' }],
      'Invalid',
      422,
      "error in remove for path: '/no': Unable to remove nonexistent key: no: missing value",
    ],
    [
      'an index beyond the list',
      [{ op: 'add', path: '/list/4', value: 1 }],
      'Invalid',
      422,
      "error in add for path: '/list/4': Unable to access invalid index: 4: invalid index referenced",
    ],
    [
      'a word as an index',
      [{ op: 'replace', path: '/list/x', value: 1 }],
      'Invalid',
      422,
      'replace operation does not apply: doc is missing key: /list/x: missing value',
    ],
    [
      'a failing test',
      [{ op: 'test', path: '/metadata/name', value: 'b' }],
      'TestFailed',
      422,
      'testing value /metadata/name failed: test failed',
    ],
    [
      'an inherited property',
      [{ op: 'remove', path: '/metadata/toString' }],
      'Invalid',
      422,
      "error in remove for path: '/metadata/toString': Unable to remove nonexistent key: toString: missing value",
    ],
    [
      'too many operations',
      Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/x' })),
      'BadRequest',
      413,
      'The allowed maximum operations in a JSON patch is 10000, got 10001',
    ],
  ])('refuses %s', (_rule, ops, ...[code, status, message]) => {
    expect(failure(ops)).toMatchObject({ code, status, message })
  })

  it('keeps __proto__ as data and never touches a prototype', () => {
    const patched = applyJsonPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: true } }]) as object
    expect(Object.keys(patched)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(patched)).toBe(Object.prototype)
    expect(() => applyJsonPatch({}, [{ op: 'add', path: '/constructor/prototype/polluted', value: 1 }])).toThrow(
      PatchError,
    )
    expect({}).not.toHaveProperty('polluted')
  })

  it('stops copies of copies before they fill the memory', () => {
    const ops = Array.from({ length: 60 }, (_, index) => ({ op: 'copy', from: '', path: `/k${index}` }))
    const doubling = ops.map((op, index) => ({ ...op, from: '/a', path: `/a/k${index}` }))
    expect(() => applyJsonPatch({ a: { x: 'y'.repeat(1000) } }, doubling)).toThrow(/accumulated size increase of copy/)
  })

  it('applies the difference of any two documents', () => {
    const value = fc.jsonValue({ maxDepth: 3 })
    const document = fc.dictionary(fc.string(), value)
    fc.assert(
      fc.property(document, document, (from, to) => {
        expect(applyJsonPatch(from, createPatch(from, to))).toEqual(to)
      }),
      { numRuns: 60, seed: 7 },
    )
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeFieldValue, fieldSelectorMatches, fieldValue, parseFieldSelector } from './field-selector.ts'
import { SelectorError } from './selector-error.ts'

describe('parseFieldSelector', () => {
  it.each([
    ['', []],
    [',', []],
    ['=', []],
    ['metadata.name=a', [{ path: 'metadata.name', equals: true, value: 'a' }]],
    ['metadata.name==a', [{ path: 'metadata.name', equals: true, value: 'a' }]],
    ['spec.nodeName!=', [{ path: 'spec.nodeName', equals: false, value: '' }]],
    [
      'b=2,a!=1',
      [
        { path: 'a', equals: false, value: '1' },
        { path: 'b', equals: true, value: '2' },
      ],
    ],
    ['a=x\\,y\\=z\\\\', [{ path: 'a', equals: true, value: 'x,y=z\\' }]],
  ])('reads %j', (text, expected) => {
    expect(parseFieldSelector(text)).toEqual(expected)
  })

  it.each([
    ['a', "invalid selector: 'a'; can't understand 'a'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['a=x\\', 'invalid field selector: invalid escape sequence: \\'],
  ])('refuses %j, saying why', (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(new SelectorError(message))
  })

  it('reads back any escaped value', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        expect(parseFieldSelector(`a=${escapeFieldValue(value)}`)).toEqual([{ path: 'a', equals: true, value }])
      }),
      { numRuns: 100, seed: 7 },
    )
  })
})

describe('fieldValue', () => {
  const object = { metadata: { name: 'a' }, spec: { on: true, n: 3, list: [1], deep: { x: null } } }
  it.each([
    ['metadata.name', 'a'],
    ['spec.on', 'true'],
    ['spec.n', '3'],
    ['spec.list', ''],
    ['spec.deep.x', ''],
    ['spec.absent.x', ''],
    ['spec.toString', ''],
    ['__proto__', ''],
  ])('of %s is %j', (path, expected) => {
    expect(fieldValue(object, path)).toBe(expected)
  })

  it('decides whether an object meets all requirements', () => {
    expect(fieldSelectorMatches(parseFieldSelector('metadata.name=a,spec.n!=4'), object)).toBe(true)
    expect(fieldSelectorMatches(parseFieldSelector('metadata.name=a,spec.n!=3'), object)).toBe(false)
  })
})

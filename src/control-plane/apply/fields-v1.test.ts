import { describe, expect, it } from 'vitest'
import {
  differenceOf,
  type FieldSet,
  fieldSetOf,
  hasPath,
  intersectionOf,
  pathsOf,
  unionOf,
  withoutBranches,
} from './field-set.ts'
import { parseFieldsV1, toFieldsV1 } from './fields-v1.ts'
import { keyElement, pathText, valueElement } from './path-element.ts'

const json = (set: FieldSet) => JSON.stringify(toFieldsV1(set))
const parse = (fields: object) => parseFieldsV1(fields, 'sent')

describe('FieldsV1', () => {
  it.each([
    ['an empty set', '{}'],
    ['fields in the order of their names', '{"f:a":{},"f:b":{".":{},"f:c":{}}}'],
    ['fields before keys before values before indexes', '{"f:x":{},"k:{\\"n\\":\\"a\\"}":{},"v:1":{},"i:0":{}}'],
    ['keys by value, numbers before texts', '{"k:{\\"n\\":2}":{},"k:{\\"n\\":10}":{},"k:{\\"n\\":\\"1\\"}":{}}'],
    ['values by type, then by size', '{"v:2":{},"v:10":{},"v:\\"a\\"":{},"v:false":{},"v:true":{}}'],
  ])('reads and writes %s', (_what, text) => {
    const shuffled = Object.fromEntries(Object.entries(JSON.parse(text) as object).reverse())
    expect(json(parse(shuffled))).toBe(text)
  })

  it.each([
    ['keys in another order', { 'k:{"z":1, "a":"x"}': {} }, '{"k:{\\"a\\":\\"x\\",\\"z\\":1}":{}}'],
    ['elements of an unknown type', { 'q:new': {}, 'f:a': {} }, '{"f:a":{}}'],
  ])('brings what a client sent into canonical form: %s', (_what, sent, text) => {
    expect(json(parse(sent))).toBe(text)
  })

  it.each([
    ['no object', []],
    ['no element', { x: {} }],
    ['broken keys', { 'k:{': {} }],
    ['a text for a set', { 'f:a': 'x' }],
  ])('refuses %s', (_what, sent) => {
    expect(() => parseFieldsV1(sent, 'sent')).toThrow(SyntaxError)
  })

  it('names paths as the real server does', () => {
    const path = [
      'f:spec',
      'f:ports',
      keyElement([
        ['protocol', 'TCP'],
        ['port', 80],
      ]),
      'f:name',
    ]
    expect(pathText(path)).toBe('.spec.ports[port=80,protocol="TCP"].name')
    expect(pathText(['f:finalizers', valueElement('x'), 'i:3'])).toBe('.finalizers[="x"][3]')
    expect(valueElement('a<b')).toBe('v:"a\\u003cb"')
  })
})

describe('sets of fields', () => {
  const [a, ab, ac] = [['f:a'], ['f:a', 'f:b'], ['f:a', 'f:c']]
  const left = fieldSetOf([a, ab, ['f:d']])
  const right = fieldSetOf([ab, ac])

  it.each<[string, FieldSet, string[][]]>([
    ['a union has what is in either', unionOf(left, right), [a, ['f:d'], ab, ac]],
    ['an intersection has what is in both', intersectionOf(left, right), [ab]],
    ['a difference leaves what is below a field that goes', differenceOf(left, fieldSetOf([a])), [['f:d'], ab]],
    ['a difference keeps the field whose parts go', differenceOf(left, right), [a, ['f:d']]],
    ['branches go with all that is below', withoutBranches(left, fieldSetOf([a])), [['f:d']]],
    ['sets that have nothing in common stay', differenceOf(left, fieldSetOf([['f:z']])), [a, ['f:d'], ab]],
  ])('%s', (_rule, set, paths) => {
    expect(pathsOf(set)).toEqual(paths)
  })

  it('an operation changes none of its sets', () => {
    const before = json(left)
    unionOf(left, right)
    differenceOf(left, right)
    expect(json(left)).toBe(before)
  })

  it('a path leads to a member or not', () => {
    expect(hasPath(right, ab)).toBe(true)
    expect(hasPath(right, a)).toBe(false)
    expect(hasPath(right, [])).toBe(false)
  })
})

/** Comparing, merging and removing by the list and map types of a schema. */
import { describe, expect, it } from 'vitest'
import { noReferences } from '../schema/resolve-schema.ts'
import type { Schema } from '../schema/schema.ts'
import { misfitsOf } from './check-applied.ts'
import { compareObjects } from './compare-objects.ts'
import { fieldSetOf } from './field-set.ts'
import { toFieldsV1 } from './fields-v1.ts'
import { mergeObjects } from './merge-objects.ts'
import { fieldsOf } from './object-fields.ts'
import { removeFields } from './remove-fields.ts'
import { valueTypeOf } from './value-type.ts'

const text: Schema = { type: 'string' }
const SCHEMA: Schema = {
  type: 'object',
  properties: {
    n: { type: 'integer' },
    set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    atomic: { type: 'array', items: text },
    whole: { type: 'object', additionalProperties: text, 'x-kubernetes-map-type': 'atomic' },
    each: { type: 'object', additionalProperties: text },
    map: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['id', 'kind'],
      items: { type: 'object', properties: { id: text, kind: { type: 'string', default: 'K' }, v: text } },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
}
const TYPE = valueTypeOf(SCHEMA, { resolve: noReferences, preserve: false })
const K1 = 'k:{"id":"1","kind":"K"}'
const K2 = 'k:{"id":"2","kind":"K"}'

describe('the fields of an applied value', () => {
  it.each([
    [{ n: 1 }, { 'f:n': {} }],
    [{ n: null }, { 'f:n': {} }],
    [{ set: ['b', 'a'] }, { 'f:set': { 'v:"a"': {}, 'v:"b"': {} } }],
    [{ set: [] }, {}],
    [{ atomic: [] }, { 'f:atomic': {} }],
    [{ whole: { a: 'x' } }, { 'f:whole': {} }],
    [{ each: { a: 'x' } }, { 'f:each': { 'f:a': {} } }],
    [{ each: {} }, { 'f:each': {} }],
    [{ map: [{ id: '1', v: 'x' }] }, { 'f:map': { [K1]: { '.': {}, 'f:id': {}, 'f:v': {} } } }],
    [{ free: { a: { b: [1] } } }, { 'f:free': { 'f:a': { '.': {}, 'f:b': {} } } }],
  ])('%j owns %j', (value, owned) => {
    expect(toFieldsV1(fieldsOf(TYPE, value))).toEqual(owned)
  })
})

describe('a comparison', () => {
  it.each([
    [{ n: 1 }, { n: 1 }, {}, {}, {}],
    [{ n: 1 }, { n: 2 }, {}, { 'f:n': {} }, {}],
    [{}, { each: { a: 'x' } }, { 'f:each': { '.': {}, 'f:a': {} } }, {}, {}],
    [{ set: ['a', 'b'] }, { set: ['b', 'c'] }, { 'f:set': { 'v:"c"': {} } }, {}, { 'f:set': { 'v:"a"': {} } }],
    [{ atomic: ['a'] }, { atomic: ['a', 'b'] }, {}, { 'f:atomic': {} }, {}],
    [
      { map: [{ id: '1', v: 'x' }] },
      { map: [{ id: '1', kind: 'K', v: 'y' }] },
      { 'f:map': { [K1]: { 'f:kind': {} } } },
      { 'f:map': { [K1]: { 'f:v': {} } } },
      {},
    ],
    [{ each: null }, { each: {} }, {}, { 'f:each': {} }, {}],
    [
      { map: [{ id: '1' }, { id: '1' }] },
      { map: [{ id: '1' }] },
      { 'f:map': { [K1]: { '.': {}, 'f:id': {} } } },
      {},
      { 'f:map': { [K1]: {} } },
    ],
  ])('of %j with %j', (before, after, ...expected) => {
    const found = compareObjects(TYPE, before, after)
    expect([found.added, found.modified, found.removed].map(toFieldsV1)).toEqual(expected)
  })
})

describe('a merge', () => {
  it.each([
    ['scalars are replaced, others stay', { n: 1, atomic: ['a'] }, { n: 2 }, { n: 2, atomic: ['a'] }],
    [
      'atomic parts are replaced',
      { atomic: ['a'], whole: { a: 'x' } },
      { atomic: ['b'], whole: { b: 'y' } },
      { atomic: ['b'], whole: { b: 'y' } },
    ],
    ['maps are merged', { each: { a: 'x' } }, { each: { b: 'y' } }, { each: { a: 'x', b: 'y' } }],
    ['an applied order wins', { set: ['a', 'b', 'c'] }, { set: ['c', 'a'] }, { set: ['b', 'c', 'a'] }],
    [
      'live items keep their place before the next shared one',
      { set: ['x', 'a', 'y', 'b'] },
      { set: ['a', 'b', 'c'] },
      { set: ['x', 'a', 'y', 'b', 'c'] },
    ],
    ['new items come in order', { set: ['a', 'c'] }, { set: ['a', 'b', 'c'] }, { set: ['a', 'b', 'c'] }],
    [
      'items merge by key',
      { map: [{ id: '1', v: 'x' }, { id: '2' }] },
      { map: [{ id: '2', v: 'z' }] },
      {
        map: [
          { id: '1', v: 'x' },
          { id: '2', v: 'z' },
        ],
      },
    ],
    ['null stays apart from empty', { each: {} }, { each: null }, { each: null }],
  ])('%s', (_rule, live, applied, merged) => {
    expect(mergeObjects(TYPE, live, applied)).toEqual(merged)
  })
})

describe('removal', () => {
  const value = { n: 1, each: { a: 'x', b: 'y' }, map: [{ id: '1' }, { id: '2', v: 'x' }] }
  it.each([
    [[['f:n']], { each: { a: 'x', b: 'y' }, map: [{ id: '1' }, { id: '2', v: 'x' }] }],
    [
      [
        ['f:each', 'f:a'],
        ['f:each', 'f:b'],
      ],
      { n: 1, each: null, map: value.map },
    ],
    [
      [
        ['f:map', K1],
        ['f:map', K2, 'f:v'],
      ],
      { n: 1, each: value.each, map: [{ id: '2' }] },
    ],
  ])('of %j', (paths, left) => {
    expect(removeFields(TYPE, value, fieldSetOf(paths))).toEqual(left)
  })
})

describe('a value that does not fit', () => {
  it.each([
    [{ n: 'x' }, '.n: expected numeric (int or float), got string'],
    [{ x: 1 }, '.x: field not declared in schema'],
    [{ set: ['a', 'a'] }, '.set: duplicate entries for key [="a"]'],
    [{ set: [{}] }, ".set: element 0: associative list without keys has an element that's a map type"],
    [{ map: [null] }, '.map: element 0: associative list with keys may not have a null element'],
    [
      { map: [{ id: '1', v: true }] },
      '.map[id="1",kind="K"].v: expected string, got &value.valueUnstructured{Value:true}',
    ],
    [{ n: null, free: { any: [1] } }, undefined],
  ])('%j: %s', (value, message) => {
    expect(misfitsOf(TYPE, value)).toBe(message)
  })
})

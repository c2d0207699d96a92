import { describe, expect, it } from 'vitest'
import { noReferences } from './resolve-schema.ts'
import type { Schema } from './schema.ts'
import { validateUpdate } from './validate-update.ts'

const small: Schema = { type: 'string', maxLength: 1 }
const SCHEMA: Schema = {
  type: 'object',
  properties: {
    kind: { type: 'string', enum: ['K'] },
    a: small,
    b: small,
    map: { type: 'object', additionalProperties: small },
    plain: { type: 'array', items: small },
    keyed: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', properties: { k: { type: 'string' }, v: small } },
    },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    group: { type: 'object', properties: { x: small, y: small }, required: ['x'] },
    either: { type: 'object', properties: { x: small, y: small }, anyOf: [{ required: ['x'] }, { required: ['y'] }] },
  },
}

const fields = (value: unknown, old: unknown): string[] =>
  validateUpdate(SCHEMA, value, old, noReferences).map(({ field }) => field)

describe('validateUpdate', () => {
  it.each<[string, object, object, string[]]>([
    ['lets an unchanged invalid field pass', { a: 'long', b: 'x' }, { a: 'long' }, []],
    ['refuses a changed invalid field', { a: 'longer' }, { a: 'long' }, ['a']],
    ['refuses a new invalid field', { a: 'long', b: 'long' }, { a: 'long' }, ['b']],
    ['lets an unchanged map entry pass', { map: { x: 'long', y: 'z' } }, { map: { x: 'long' } }, []],
    ['refuses a new map entry', { map: { x: 'long', y: 'long' } }, { map: { x: 'long' } }, ['map.y']],
    ['lets an unchanged list pass', { plain: ['long'], b: 'x' }, { plain: ['long'] }, []],
    ['does not tell the items of a plain list apart', { plain: ['long', 'x'] }, { plain: ['long'] }, ['plain[0]']],
    [
      'knows items of a list map by their key',
      { keyed: [{ k: 'n' }, { k: 'o', v: 'long' }] },
      { keyed: [{ k: 'o', v: 'long' }] },
      [],
    ],
    [
      'refuses a changed item of a list map',
      { keyed: [{ k: 'o', v: 'longer' }] },
      { keyed: [{ k: 'o', v: 'long' }] },
      ['keyed[0].v'],
    ],
    ['lets duplicates pass that were there before', { set: ['a', 'a', 'b'] }, { set: ['a', 'a'] }, []],
    ['refuses new duplicates', { set: ['a', 'a'] }, { set: ['a'] }, ['set[1]']],
    [
      'refuses what is wrong with a changed object as a whole',
      { group: { y: 'z' } },
      { group: { y: 'x' } },
      ['group.x'],
    ],
    ['lets an object pass that is wrong but unchanged', { group: { y: 'z' }, b: 'x' }, { group: { y: 'z' } }, []],
    [
      'lets unchanged fields below a changed object pass',
      { group: { x: 'long', y: 'z' } },
      { group: { x: 'long' } },
      [],
    ],
    ['judges junctors of a changed object anew', { either: {} }, { either: { x: 'a' } }, ['<nil>', 'either.x']],
    ['never lets the kind pass', { kind: 'X', a: 'b' }, { kind: 'X' }, ['kind']],
  ])('%s', (_rule, value, old, expected) => {
    expect(fields(value, old)).toEqual(expected)
  })

  it('refuses nothing when nothing changed', () => {
    const value = { a: 'long', plain: ['long'], keyed: [{ k: 1 }], group: 'x' }
    expect(fields(value, structuredClone(value))).toEqual([])
  })
})

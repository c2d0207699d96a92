import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyDefaults } from './default.ts'
import { noReferences } from './resolve-schema.ts'
import type { Schema } from './schema.ts'

const SCHEMA: Schema = {
  type: 'object',
  properties: {
    replicas: { type: 'integer', default: 1 },
    mode: { type: 'string', nullable: true, default: 'auto' },
    note: { type: 'string' },
    remark: { type: 'string', nullable: true },
    update: { type: 'object', default: {}, properties: { batch: { type: 'integer', default: 5 } } },
    list: { type: 'array', items: { type: 'object', properties: { on: { type: 'boolean', default: true } } } },
    counts: { type: 'array', items: { type: 'integer', default: 7 } },
    map: {
      type: 'object',
      additionalProperties: { type: 'object', properties: { n: { type: 'integer', default: 3 } } },
    },
    sizes: { type: 'object', additionalProperties: { type: 'integer', default: 2 } },
  },
}
const FILLED = { replicas: 1, mode: 'auto', update: { batch: 5 } }

const defaulted = (value: Record<string, unknown>): unknown => {
  applyDefaults(SCHEMA, value, noReferences)
  return value
}

describe('applyDefaults', () => {
  it.each([
    ['fills absent fields, and the fields of a defaulted object', {}, FILLED],
    [
      'keeps what is given',
      { replicas: 0, mode: '', update: { batch: 1 } },
      { replicas: 0, mode: '', update: { batch: 1 } },
    ],
    ['replaces null of a field that is not nullable', { replicas: null }, FILLED],
    ['keeps null of a nullable field', { mode: null }, { ...FILLED, mode: null }],
    ['drops null without a default', { note: null }, FILLED],
    ['keeps null of a nullable field without a default', { remark: null }, { ...FILLED, remark: null }],
    ['completes list items', { list: [{}, { on: false }] }, { ...FILLED, list: [{ on: true }, { on: false }] }],
    ['replaces null items that have a default', { counts: [null, 1] }, { ...FILLED, counts: [7, 1] }],
    ['completes map values', { map: { a: {}, b: { n: 1 } } }, { ...FILLED, map: { a: { n: 3 }, b: { n: 1 } } }],
    ['replaces null map values that have a default', { sizes: { a: null } }, { ...FILLED, sizes: { a: 2 } }],
    ['leaves values of a wrong type alone', { list: 'x', map: [1] }, { ...FILLED, list: 'x', map: [1] }],
  ])('%s', (_rule, value, expected) => {
    expect(defaulted(value)).toEqual(expected)
  })

  it('copies defaults, so that objects never share them', () => {
    const [first, second] = [{}, {}] as Array<{ update?: { batch: number } }>
    defaulted(first!)
    first!.update!.batch = 99
    expect(defaulted(second!)).toEqual(FILLED)
  })

  it('follows references of built-in schemas', () => {
    const root: Schema = {
      type: 'object',
      properties: { spec: { default: {}, allOf: [{ $ref: 'Spec' }] }, other: { $ref: 'Spec' } },
    }
    const spec: Schema = { type: 'object', properties: { n: { type: 'integer', default: 1 }, child: { $ref: 'Spec' } } }
    const value = { other: { child: {} } }
    applyDefaults(root, value, () => spec)
    expect(value).toEqual({ spec: { n: 1 }, other: { n: 1, child: { n: 1 } } })
  })

  it('treats __proto__ and inherited names as data', () => {
    const value = JSON.parse('{"__proto__":null,"constructor":null,"replicas":2}')
    const schema: Schema = { type: 'object', additionalProperties: { type: 'integer', default: 4 } }
    applyDefaults(schema, value, noReferences)
    expect(JSON.stringify(value)).toBe('{"__proto__":4,"constructor":4,"replicas":2}')
  })

  it('changes nothing when applied again', () => {
    const value = fc.dictionary(fc.constantFrom(...Object.keys(SCHEMA.properties!)), fc.jsonValue({ maxDepth: 3 }))
    fc.assert(
      fc.property(value, (input) => {
        const once = defaulted(structuredClone(input) as Record<string, unknown>)
        expect(defaulted(structuredClone(once) as Record<string, unknown>)).toEqual(once)
      }),
      { numRuns: 200, seed: 7 },
    )
  })
})

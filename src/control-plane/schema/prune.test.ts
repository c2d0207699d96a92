import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pruneUnknown } from './prune.ts'
import { noReferences } from './resolve-schema.ts'
import type { Schema } from './schema.ts'
import { validateValue } from './validate.ts'

const object = (properties: Record<string, Schema>, more: Schema = {}): Schema => ({
  type: 'object',
  properties,
  ...more,
})
const text: Schema = { type: 'string' }

const SCHEMA = object({
  spec: object({
    name: text,
    items: { type: 'array', items: object({ a: text }) },
    labels: { type: 'object', additionalProperties: text },
    byName: { type: 'object', additionalProperties: object({ a: text }) },
    anything: { type: 'object', additionalProperties: true },
    free: object({ known: object({ a: text }) }, { 'x-kubernetes-preserve-unknown-fields': true }),
    port: { 'x-kubernetes-int-or-string': true },
    embedded: object({ spec: object({ a: text }) }, { 'x-kubernetes-embedded-resource': true }),
    bare: { type: 'object' },
  }),
})

describe('pruneUnknown', () => {
  it.each<[string, object, object, string[]]>([
    [
      'keeps what the schema names',
      { name: 'a', port: 80, labels: { x: 'y' } },
      { name: 'a', port: 80, labels: { x: 'y' } },
      [],
    ],
    ['drops unknown fields', { name: 'a', foo: 1 }, { name: 'a' }, ['spec.foo']],
    [
      'drops inside list items',
      { items: [{ a: '1', bar: 2 }, { c: 3 }] },
      { items: [{ a: '1' }, {}] },
      ['spec.items[0].bar', 'spec.items[1].c'],
    ],
    [
      'drops inside map values',
      { byName: { x: { a: '1', b: 2 } } },
      { byName: { x: { a: '1' } } },
      ['spec.byName.x.b'],
    ],
    [
      'keeps keys below additionalProperties true, not their fields',
      { anything: { x: 1, y: { z: 2 } } },
      { anything: { x: 1, y: {} } },
      ['spec.anything.y.z'],
    ],
    [
      'preserves unknown fields where told, and prunes known ones',
      { free: { x: { y: 1 }, known: { b: 1 } } },
      { free: { x: { y: 1 }, known: {} } },
      ['spec.free.known.b'],
    ],
    [
      'keeps apiVersion, kind and metadata of an embedded resource',
      { embedded: { apiVersion: 'v1', kind: 'X', metadata: { any: 1 }, spec: { b: 1 }, foo: 1 } },
      { embedded: { apiVersion: 'v1', kind: 'X', metadata: { any: 1 }, spec: {} } },
      ['spec.embedded.foo', 'spec.embedded.spec.b'],
    ],
    ['empties an object without properties', { bare: { x: 1 } }, { bare: {} }, ['spec.bare.x']],
    [
      'does not take inherited names for known fields',
      { constructor: 1, toString: 2 },
      {},
      ['spec.constructor', 'spec.toString'],
    ],
  ])('%s', (_rule, spec, expected, removed) => {
    const value = { apiVersion: 'g/v1', kind: 'K', metadata: { name: 'a', unknown: 1 }, spec }
    expect(pruneUnknown(SCHEMA, value, noReferences)).toEqual(removed)
    expect(value).toEqual({ apiVersion: 'g/v1', kind: 'K', metadata: { name: 'a', unknown: 1 }, spec: expected })
  })

  it('takes a referenced type without structure as opaque, as built-in RawExtension and FieldsV1 are', () => {
    const schema = object({ data: { $ref: 'Raw' } })
    const value = { data: { x: { y: 1 } }, other: 1 }
    expect(pruneUnknown(schema, value, () => ({ type: 'object' }))).toEqual(['other'])
    expect(value).toEqual({ data: { x: { y: 1 } } })
  })

  it('removes a __proto__ key like any unknown field', () => {
    const value = JSON.parse('{"spec":{"__proto__":{"a":1}}}')
    expect(pruneUnknown(SCHEMA, value, noReferences)).toEqual(['spec.__proto__'])
    expect(JSON.stringify(value)).toBe('{"spec":{}}')
  })

  it('leaves nothing that a closed schema would call forbidden', () => {
    const closed = object({
      spec: object(
        { a: text, b: object({ c: text }, { additionalProperties: false }) },
        { additionalProperties: false },
      ),
    })
    const open = object({ spec: object({ a: text, b: object({ c: text }) }) })
    const key = fc.constantFrom('a', 'b', 'c', 'd', '__proto__')
    const spec = fc.dictionary(key, fc.oneof(fc.string(), fc.dictionary(key, fc.jsonValue())))
    fc.assert(
      fc.property(spec, (generated) => {
        const value = JSON.parse(JSON.stringify({ spec: generated }))
        pruneUnknown(open, value, noReferences)
        const messages = validateValue(closed, value, noReferences).map((error) => error.message)
        expect(messages.filter((message) => message.includes('forbidden property'))).toEqual([])
        expect(pruneUnknown(open, value, noReferences)).toEqual([])
      }),
      { numRuns: 100, seed: 7 },
    )
  })
})

import { Type } from '@sinclair/typebox'
import { describe, expect, it } from 'vitest'
import { count, defaulted, keyedList, list, name, object, text, withRules } from '../../src/api/field.ts'
import { toStructural } from '../../src/api/structural.ts'
import { crdFiles } from './crd-files.ts'
import { firstDifference } from './first-difference.ts'
import { kindsReference } from './kinds-reference.ts'
import { lintSchema, lintSchemas } from './lint-schema.ts'

const lint = (schema: Parameters<typeof toStructural>[0]) => lintSchema(toStructural(schema), 'Kind')

describe('lintSchemas', () => {
  it('finds nothing in the kinds', () => {
    expect(lintSchemas()).toEqual([])
  })

  it.each([
    ['a field without description', object('d', { a: text('') }), 'Kind.a: has no description'],
    [
      'a map as TypeBox writes it',
      Type.Record(Type.String(), Type.String()),
      'patternProperties, which is not allowed',
    ],
    ['a union as TypeBox writes it', Type.Union([Type.String(), Type.Integer()]), 'has no type'],
    ['an integer without bounds', Type.Integer({ format: 'int32' }), 'integer without minimum'],
    ['an integer without format', Type.Integer({ minimum: 0 }), 'integer without format'],
    ['a list without a type', Type.Array(Type.String()), 'list without x-kubernetes-list-type'],
    ['a list keyed by what may be missing', keyedList('d', object('i', { a: name('n') }), ['b']), 'is keyed by b'],
    ['a default out of range', defaulted(count('d'), -1), 'default -1 is not valid'],
    ['a default of another type', defaulted(list('d', text('i')), 'x'), 'is not valid'],
    [
      'a default that its own rules would see half filled',
      defaulted(withRules(object('d', { a: defaulted(text('t'), 'x') }), [{ rule: 'has(self.a)', message: 'm' }]), {}),
      'has to be complete',
    ],
    ['a type in an alternative', object('d', {}, { anyOf: [{ type: 'object' }] }), 'alternative holds type'],
  ])('finds %s', (_what, schema, finding) => {
    expect(lint(schema).join('\n')).toContain(finding)
  })
})

describe('generated files', () => {
  it('are the same every time', async () => {
    for (const generator of [crdFiles, kindsReference]) {
      expect([...(await generator.run())]).toEqual([...(await generator.run())])
    }
  })

  it('describe every field of the kinds', async () => {
    const page = (await kindsReference.run()).get('docs/reference/kinds.md') ?? ''
    expect(page).toContain('| `upgradePolicy.maxSurge` | integer | `1` |')
    expect(page).toContain('| **`cluster.version`** | string |')
    expect(page.split('\n').filter((line) => line.startsWith('| ') && line.endsWith('|  |'))).toEqual([])
  })
})

describe('firstDifference', () => {
  it.each([
    ['a\nb', 'a\nc', 'differs from line 2:\n  - b\n  + c'],
    ['a', 'a\nb', 'differs from line 2:\n  - (end of file)\n  + b'],
    ['a\nb', 'a', 'differs from line 2:\n  - b\n  + (end of file)'],
  ])('of %j and %j', (before, after, expected) => {
    expect(firstDifference(before, after)).toBe(expected)
  })
})

import { describe, expect, it } from 'vitest'
import { checkStructural } from './structural.ts'

/** Findings about a schema whose `spec` is the given one, as `path: message` below `spec`. The texts were compared with a real API server. */
const inSpec = (spec: unknown): string[] => {
  const prefix = 's.properties[spec]'
  return checkStructural({ type: 'object', properties: { spec } }, 's').map(
    ({ field, message }) => `${field.replace(prefix, '')}: ${message}`,
  )
}
const atRoot = (schema: unknown): string[] =>
  checkStructural(schema, 's').map(({ field, message }) => `${field}: ${message}`)

describe('checkStructural accepts', () => {
  it.each<[string, unknown]>([
    [
      'scalars, lists and maps',
      {
        type: 'object',
        properties: {
          a: { type: 'string' },
          l: { type: 'array', items: { type: 'integer' } },
          m: { type: 'object', additionalProperties: { type: 'string' } },
        },
      },
    ],
    [
      'int-or-string with its usual anyOf',
      { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }], pattern: '^a' },
    ],
    [
      'int-or-string with its anyOf inside allOf',
      {
        'x-kubernetes-int-or-string': true,
        allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { pattern: 'a' }],
      },
    ],
    ['a field of any type that is preserved', { 'x-kubernetes-preserve-unknown-fields': true }],
    [
      'an embedded resource',
      { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    ],
    [
      'value validation inside junctors',
      {
        type: 'object',
        properties: { a: { type: 'string' } },
        oneOf: [{ required: ['a'] }, { properties: { a: { minLength: 3 } } }],
      },
    ],
    ['valid defaults', { type: 'object', default: {}, properties: { n: { type: 'integer', default: 3, minimum: 1 } } }],
    [
      'list maps whose keys are required or defaulted',
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k', 'd'],
        items: {
          type: 'object',
          required: ['k'],
          properties: { k: { type: 'string' }, d: { type: 'string', default: 'x' } },
        },
      },
    ],
    ['sets of scalars', { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } }],
  ])('%s', (_rule, spec) => {
    expect(inSpec(spec)).toEqual([])
  })

  it('a root that restricts metadata.name', () => {
    const metadata = { type: 'object', properties: { name: { type: 'string', maxLength: 10 } } }
    expect(atRoot({ type: 'object', properties: { metadata } })).toEqual([])
  })
})

describe('checkStructural refuses', () => {
  it.each<[string, unknown, string[]]>([
    ['a missing type', { description: 'x' }, ['.type: Required value: must not be empty for specified object fields']],
    [
      'an item without a type',
      { type: 'array', items: {} },
      ['.items.type: Required value: must not be empty for specified array items'],
    ],
    ['a list without items', { type: 'array' }, ['.items: Required value: must be specified']],
    [
      'an unknown type',
      { type: 'text' },
      [
        '.type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
      ],
    ],
    [
      'a type inside a junctor',
      { type: 'string', anyOf: [{ type: 'string' }] },
      ['.anyOf[0].type: Forbidden: must be empty to be structural'],
    ],
    [
      'a default inside a junctor',
      { type: 'string', not: { default: 'x' } },
      ['.not.default: Forbidden: must be undefined to be structural'],
    ],
    [
      'metadata inside a junctor',
      { type: 'object', properties: { metadata: { type: 'object' } }, allOf: [{ properties: { metadata: {} } }] },
      ['.allOf[0].properties[metadata]: Forbidden: must not be specified in a nested context'],
    ],
    [
      'int-or-string that preserves unknown fields',
      { 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true },
      [
        '.x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true',
      ],
    ],
    [
      'an embedded resource that is no object',
      { type: 'string', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      ['.type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true'],
    ],
    ['$ref', { type: 'object', $ref: '#/x' }, ['.$ref: Forbidden: $ref is not supported']],
    [
      'patternProperties',
      { type: 'object', patternProperties: { a: {} } },
      ['.patternProperties: Forbidden: patternProperties is not supported'],
    ],
    [
      'items as a list',
      { type: 'array', items: [{ type: 'string' }] },
      ['.items: Forbidden: items must be a schema object and not an array'],
    ],
    [
      'uniqueItems',
      { type: 'array', items: { type: 'string' }, uniqueItems: true },
      ['.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic'],
    ],
    [
      'preserve-unknown-fields: false',
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': false },
      ['.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined'],
    ],
    [
      'properties beside additionalProperties',
      { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } },
      ['.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive'],
    ],
    [
      'a default of the wrong type',
      { type: 'integer', default: 'x' },
      ['.default: Invalid value: "string":  in body must be of type integer: "string"'],
    ],
    [
      'a default with unknown fields',
      { type: 'object', default: { a: 1, b: 2 }, properties: { a: { type: 'integer' } } },
      ['.default: Invalid value: {"a":1,"b":2}: must not have unknown fields'],
    ],
    [
      'a list map without keys',
      { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' },
      ['.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map'],
    ],
    [
      'a list map key that may be absent',
      {
        type: 'array',
        items: { type: 'object', properties: { k: { type: 'string' } } },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
      },
      [
        '.items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      ],
    ],
    [
      'list map keys without the list type',
      { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-map-keys': ['k'] },
      ['.x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty'],
    ],
    [
      'a set of granular objects',
      { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' },
      [
        '.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
      ],
    ],
    [
      'a list type on a string',
      { type: 'string', 'x-kubernetes-list-type': 'atomic' },
      ['.type: Invalid value: "string": must be array if x-kubernetes-list-type is specified'],
    ],
    [
      'an unknown map type',
      { type: 'object', 'x-kubernetes-map-type': 'x' },
      ['.x-kubernetes-map-type: Unsupported value: "x": supported values: "atomic", "granular"'],
    ],
    [
      'a rule without text',
      { type: 'object', 'x-kubernetes-validations': [{ rule: ' ' }] },
      ['.x-kubernetes-validations[0].rule: Required value: rule is not specified'],
    ],
    [
      'a rule with a wrong fieldPath',
      {
        type: 'object',
        properties: { a: { type: 'string' } },
        'x-kubernetes-validations': [{ rule: 'true', fieldPath: '.b' }],
      },
      ['.x-kubernetes-validations[0].fieldPath: Invalid value: ".b": must be a valid path'],
    ],
    [
      'a rule with an unknown reason',
      { type: 'object', 'x-kubernetes-validations': [{ rule: 'true', reason: 'Bad' }] },
      [
        '.x-kubernetes-validations[0].reason: Unsupported value: "Bad": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
      ],
    ],
  ])('%s', (_rule, spec, expected) => {
    expect(inSpec(spec)).toEqual(expected)
  })

  it.each<[string, unknown, string[]]>([
    ['a root that is no object', { type: 'string' }, ['s.type: Invalid value: "string": must be object at the root']],
    [
      'a field that only a junctor of the root knows',
      { type: 'object', oneOf: [{ properties: { a: { minimum: 1 } } }] },
      ['s.properties[a]: Required value: because it is defined in s.oneOf[0].properties[a]'],
    ],
    ['a root without a type', {}, ['s.type: Required value: must not be empty at the root']],
    [
      'additionalProperties at the root',
      { type: 'object', additionalProperties: { type: 'string' } },
      ['s.additionalProperties: Forbidden: must not be used at the root'],
    ],
    [
      'metadata that says more than the name',
      { type: 'object', properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } } },
      [
        's.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
      ],
    ],
    [
      'a kind that is no string',
      { type: 'object', properties: { kind: { type: 'integer' } } },
      ['s.properties[kind].type: Invalid value: "integer": must be string'],
    ],
    [
      'a default of metadata',
      { type: 'object', properties: { metadata: { type: 'object', default: {} } } },
      ['s.properties[metadata].default: Forbidden: must not be set in top-level metadata'],
    ],
    ['what is no schema', 'x', ['s: Forbidden: must be a schema object']],
  ])('%s', (_rule, schema, expected) => {
    expect(atRoot(schema)).toEqual(expected)
  })

  it('a pattern that is not RE2', () => {
    expect(inSpec({ type: 'string', pattern: '(?!a)' })[0]).toMatch(
      /^\.pattern: Invalid value: "\(\?!a\)": must be a valid regular expression, but isn't: /,
    )
  })

  it('a schema nested without end', () => {
    let schema: unknown = { type: 'object' }
    for (let depth = 0; depth < 100_000; depth++) schema = { type: 'array', items: schema }
    expect(atRoot(schema)).toEqual(['s: Forbidden: must not be nested deeper than 200 levels'])
  })
})

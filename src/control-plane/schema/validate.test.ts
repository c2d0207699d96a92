import { describe, expect, it } from 'vitest'
import { MAX_DEPTH } from './json.ts'
import { noReferences } from './resolve-schema.ts'
import type { Schema } from './schema.ts'
import { validateValue } from './validate.ts'

/** Findings about `spec.x`, as `field: message`. The texts were compared with those of a real API server. */
const findings = (schema: Schema, x: unknown): string[] => {
  const root: Schema = { type: 'object', properties: { spec: { type: 'object', properties: { x: schema } } } }
  return validateValue(root, { spec: { x } }, noReferences).map(({ field, message }) => `${field}: ${message}`)
}

describe('validateValue: types', () => {
  it.each<[Schema, unknown, string[]]>([
    [{ type: 'string' }, 'a', []],
    [{ type: 'string' }, 1, ['spec.x: Invalid value: "integer": spec.x in body must be of type string: "integer"']],
    [{ type: 'integer' }, '1', ['spec.x: Invalid value: "string": spec.x in body must be of type integer: "string"']],
    [{ type: 'number' }, 1, []],
    [{ type: 'boolean' }, {}, ['spec.x: Invalid value: "object": spec.x in body must be of type boolean: "object"']],
    [{ type: 'object' }, [], ['spec.x: Invalid value: "array": spec.x in body must be of type object: "array"']],
    [{ type: 'string' }, null, ['spec.x: Invalid value: "null": spec.x in body must be of type string: "null"']],
    [{ type: 'string', nullable: true }, null, []],
    [{ 'x-kubernetes-int-or-string': true }, '50%', []],
    [
      { 'x-kubernetes-int-or-string': true },
      true,
      ['spec.x: Invalid value: "boolean": spec.x in body must be of type integer,string: "boolean"'],
    ],
    [
      { type: 'string', format: 'date-time' },
      5,
      ['spec.x: Invalid value: "int64": spec.x in body must be of type date-time: "int64"'],
    ],
    [{ 'x-kubernetes-preserve-unknown-fields': true }, { a: [1, 'b'] }, []],
    [
      { type: 'integer' },
      1.5,
      [
        'spec.x: Invalid value: "number": spec.x in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.x',
      ],
    ],
  ])('%j of %j', (schema, value, expected) => {
    expect(findings(schema, value)).toEqual(expected)
  })
})

describe('validateValue: strings and numbers', () => {
  it.each<[Schema, unknown, string[]]>([
    [
      { type: 'string', minLength: 3 },
      'ab',
      ['spec.x: Invalid value: "ab": spec.x in body should be at least 3 chars long'],
    ],
    [{ type: 'string', maxLength: 1 }, 'ab', ['spec.x: Too long: may not be more than 1 byte']],
    [{ type: 'string', maxLength: 2 }, '😀😀', []],
    [{ type: 'string', pattern: '^a+$' }, 'b', ['spec.x: Invalid value: "b": spec.x in body should match \'^a+$\'']],
    [{ type: 'string', pattern: 'b' }, 'abc', []],
    [{ type: 'string', enum: ['a', 'b'] }, 'c', ['spec.x: Unsupported value: "c": supported values: "a", "b"']],
    [{ enum: [1, { a: 1 }] }, 2, ['spec.x: Unsupported value: 2: supported values: "1", "{\\"a\\":1}"']],
    [
      { type: 'integer', minimum: 3 },
      2,
      ['spec.x: Invalid value: 2: spec.x in body should be greater than or equal to 3'],
    ],
    [
      { type: 'integer', minimum: 3, exclusiveMinimum: true },
      3,
      ['spec.x: Invalid value: 3: spec.x in body should be greater than 3'],
    ],
    [
      { type: 'number', maximum: 1 },
      1.5,
      ['spec.x: Invalid value: 1.5: spec.x in body should be less than or equal to 1'],
    ],
    [
      { type: 'number', maximum: 1, exclusiveMaximum: true },
      1,
      ['spec.x: Invalid value: 1: spec.x in body should be less than 1'],
    ],
    [{ type: 'integer', multipleOf: 5 }, 7, ['spec.x: Invalid value: 7: spec.x in body should be a multiple of 5']],
    [{ type: 'number', multipleOf: 0.1 }, 0.3, []],
    [
      { type: 'integer', format: 'int32' },
      3e9,
      ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.x'],
    ],
    [
      { type: 'number', minimum: 0.00001 },
      0,
      ['spec.x: Invalid value: 0: spec.x in body should be greater than or equal to 1e-05'],
    ],
    [
      { type: 'string', enum: ['a'] },
      'tab\t"q"\u0001',
      ['spec.x: Unsupported value: "tab\\t\\"q\\"\\x01": supported values: "a"'],
    ],
  ])('%j of %j', (schema, value, expected) => {
    expect(findings(schema, value)).toEqual(expected)
  })

  it('matches patterns in linear time', () => {
    expect(findings({ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(5000)}!`)).toHaveLength(1)
  })

  it('reports a pattern that is not RE2 instead of failing', () => {
    expect(findings({ type: 'string', pattern: '(?=a)' }, 'a')[0]).toContain('(?=a), but pattern is invalid:')
  })
})

describe('validateValue: objects and lists', () => {
  it.each<[Schema, unknown, string[]]>([
    [{ type: 'object', required: ['a', 'b'] }, { a: 1 }, ['spec.x.b: Required value']],
    [
      { type: 'object', minProperties: 2 },
      { a: 1 },
      ['spec.x: Invalid value: 1: spec.x in body should have at least 2 properties'],
    ],
    [{ type: 'object', maxProperties: 1 }, { a: 1, b: 2 }, ['spec.x: Too many: 2: must have at most 1 item']],
    [
      { type: 'object', additionalProperties: { type: 'string' } },
      { k: 1 },
      ['spec.x.k: Invalid value: "integer": spec.x.k in body must be of type string: "integer"'],
    ],
    [{ type: 'array', minItems: 2 }, [1], ['spec.x: Invalid value: 1: spec.x in body should have at least 2 items']],
    [{ type: 'array', maxItems: 2 }, [1, 2, 3], ['spec.x: Too many: 3: must have at most 2 items']],
    [
      { type: 'array', items: { type: 'string' } },
      ['a', 1],
      ['spec.x[1]: Invalid value: "integer": spec.x[1] in body must be of type string: "integer"'],
    ],
    [{ type: 'array', 'x-kubernetes-list-type': 'set' }, ['a', 'b', 'a', 'a'], ['spec.x[2]: Duplicate value: "a"']],
    [
      { type: 'array', 'x-kubernetes-list-type': 'set' },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      ['spec.x[1]: Duplicate value: {"a":1,"b":2}'],
    ],
    [
      { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
      [{ k: 1 }, { k: '1' }, { k: 1, z: 2 }],
      ['spec.x[2]: Duplicate value: {"k":1}'],
    ],
    [
      { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
      ['a'],
      ['spec.x[0]: Invalid value: "a": must be an object for an array of list-type map'],
    ],
    [{ type: 'object', required: ['constructor'] }, {}, ['spec.x.constructor: Required value']],
    [
      { type: 'object', properties: { a: { type: 'integer' } }, required: ['b'] },
      { a: 'x' },
      [
        'spec.x.a: Invalid value: "string": spec.x.a in body must be of type integer: "string"',
        'spec.x.b: Required value',
      ],
    ],
  ])('%j of %j', (schema, value, expected) => {
    expect(findings(schema, value)).toEqual(expected)
  })

  it('validates a __proto__ key as data', () => {
    const schema: Schema = { type: 'object', additionalProperties: { type: 'string' } }
    expect(findings(schema, JSON.parse('{"__proto__":1}'))).toEqual([
      'spec.x.__proto__: Invalid value: "integer": spec.x.__proto__ in body must be of type string: "integer"',
    ])
  })

  it('compares the keys of a long list without comparing every pair', () => {
    const items = Array.from({ length: 100_000 }, (_, index) => ({ k: index }))
    const schema: Schema = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] }
    expect(findings(schema, items)).toEqual([])
  })

  it('refuses a value nested without end', () => {
    let value: unknown = 1
    for (let depth = 0; depth < 100_000; depth++) value = [value]
    expect(findings({}, value)).toEqual([`: Forbidden: must not be nested deeper than ${MAX_DEPTH} levels`])
  })
})

describe('validateValue: junctors', () => {
  const [a, b]: Schema[] = [{ required: ['a'] }, { required: ['b'] }] as [Schema, Schema]
  it.each<[string, Schema, unknown, string[]]>([
    ['anyOf holds with one branch', { anyOf: [a!, b!] }, { b: 1 }, []],
    [
      'anyOf fails with none',
      { anyOf: [a!, b!] },
      {},
      ['<nil>: Invalid value: "": "spec.x" must validate at least one schema (anyOf)', 'spec.x.a: Required value'],
    ],
    [
      'oneOf fails with none',
      { oneOf: [a!, b!] },
      {},
      [
        '<nil>: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found none valid',
        'spec.x.a: Required value',
      ],
    ],
    [
      'oneOf fails with two',
      { oneOf: [a!, b!] },
      { a: 1, b: 1 },
      ['<nil>: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
    ],
    [
      'allOf fails with one',
      { allOf: [a!, b!] },
      { a: 1 },
      ['spec.x.b: Required value', '<nil>: Invalid value: "": "spec.x" must validate all the schemas (allOf)'],
    ],
    [
      'allOf says when none holds',
      { allOf: [a!] },
      {},
      [
        'spec.x.a: Required value',
        '<nil>: Invalid value: "": "spec.x" must validate all the schemas (allOf). None validated',
      ],
    ],
    [
      'not fails when its schema holds',
      { not: a! },
      { a: 1 },
      ['<nil>: Invalid value: "": "spec.x" must not validate the schema (not)'],
    ],
  ])('%s', (_rule, schema, value, expected) => {
    expect(findings({ type: 'object', ...schema }, value)).toEqual(expected)
  })
})

describe('validateValue: references', () => {
  it('follows them, also to themselves', () => {
    const node: Schema = { type: 'object', properties: { next: { $ref: 'Node' }, n: { type: 'integer' } } }
    const errors = validateValue({ $ref: 'Node' }, { next: { next: { n: 'x' } } }, () => node)
    expect(errors.map((error) => error.field)).toEqual(['next.next.n'])
  })
})

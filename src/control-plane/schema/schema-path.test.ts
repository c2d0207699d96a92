import { describe, expect, it } from 'vitest'
import { findFieldPath } from './schema-path.ts'

const SCHEMA = {
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { n: { type: 'integer' }, 'a.b': { type: 'string' } } },
    map: { type: 'object', additionalProperties: { type: 'boolean' } },
    open: { type: 'object', additionalProperties: true },
  },
}

describe('findFieldPath', () => {
  it.each([
    ['.spec.n', ['spec', 'n'], { type: 'integer' }],
    [".spec['a.b']", ['spec', 'a.b'], { type: 'string' }],
    ['.map.anything', ['map', 'anything'], { type: 'boolean' }],
    ['.open.x.y', ['open', 'x', 'y'], undefined],
    ['', [], SCHEMA],
  ])('follows %j', (path, segments, schema) => {
    expect(findFieldPath(SCHEMA, path)).toEqual({ segments, schema })
  })

  it.each([
    ['spec', 'expected [ or . but got: spec'],
    ['.spec.', 'unexpected end of JSON path'],
    ['.spec.x', 'does not refer to a valid field'],
    ['.spec.n.x', 'does not refer to a valid field'],
    ['.spec[n]', 'expected single quoted string but got n'],
    [".spec['n'", 'unexpected end of JSON path'],
    ['.spec.constructor', 'does not refer to a valid field'],
  ])('refuses %j', (path, problem) => {
    expect(findFieldPath(SCHEMA, path).problem).toBe(problem)
  })

  it('refuses brackets where only dots are allowed', () => {
    expect(findFieldPath(SCHEMA, ".spec['n']", false).problem).toBe('array notation is not allowed')
  })
})

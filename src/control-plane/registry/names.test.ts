import { describe, expect, it } from 'vitest'
import { checkGenerateName, checkLabelValue, checkName, checkQualifiedName, generateName } from './names.ts'

describe('names', () => {
  it.each([
    ['subdomain', 'a.b-c', true],
    ['subdomain', 'a..b', false],
    ['subdomain', 'A', false],
    ['subdomain', '-a', false],
    ['subdomain', 'a'.repeat(254), false],
    ['label', 'a.b', false],
    ['label', 'a'.repeat(63), true],
    ['label', 'a'.repeat(64), false],
    ['path', 'System:Node:x', true],
    ['path', 'a/b', false],
    ['path', '..', false],
  ] as const)('of rule %s: %s is valid: %s', (rule, name, valid) => {
    expect(checkName(rule, name).length === 0).toBe(valid)
  })

  it.each([
    ['a', true],
    ['example.com/a', true],
    ['Example.com/a', false],
    ['a/b/c', false],
    ['/a', false],
    ['a/', false],
    ['_a', false],
    ['a'.repeat(64), false],
  ])('as label key: %s is valid: %s', (key, valid) => {
    expect(checkQualifiedName(key).length === 0).toBe(valid)
  })

  it('checks label values', () => {
    expect(['', 'a_b.C-1'].flatMap(checkLabelValue)).toEqual([])
    expect(checkLabelValue('a b')).toHaveLength(1)
  })

  it('is generated within 63 characters and stays valid', () => {
    expect(checkGenerateName('subdomain', 'a-')).toEqual([])
    expect(checkGenerateName('subdomain', 'A-')).toHaveLength(1)
    expect(generateName('x'.repeat(100))).toHaveLength(63)
    expect(checkName('subdomain', generateName('a-'))).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { findDuplicateFields } from './duplicate-fields.ts'

describe('findDuplicateFields', () => {
  it.each([
    ['{}', []],
    ['{"a":1,"b":{"a":2}}', []],
    ['{"a":1,"a":2,"a":3}', ['a']],
    ['{"a":{"b":1,"b":2}}', ['a.b']],
    ['{"a":[{"b":1},{"b":1,"b":2}]}', ['a[1].b']],
    ['{"a":[[1],[{"b":1,"b":2}]]}', ['a[1][0].b']],
    ['{"a":"x,\\"a\\":{[","b":1}', []],
    ['{"a\\u0062":1,"ab":2}', ['ab']],
    ['{"a":"\\\\","a":1}', ['a']],
    ['{ "a" : [ "a", "a" ] , "c" : "a" }', []],
    ['[{"a":1,"a":2}]', ['[0].a']],
    ['{"__proto__":1,"__proto__":2,"constructor":1}', ['__proto__']],
  ])('of %s are %j', (text, expected) => {
    expect(findDuplicateFields(text)).toEqual(expected)
  })
})

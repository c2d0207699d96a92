import { describe, expect, it } from 'vitest'
import {
  duplicateError,
  forbiddenError,
  invalidError,
  notSupportedError,
  printNumber,
  quoteGo,
  requiredError,
  tooLongError,
  tooManyError,
} from './field-error.ts'

describe('field errors are worded as the real server words them', () => {
  it.each([
    [requiredError('a'), 'FieldValueRequired', 'Required value'],
    [requiredError('a', 'say it'), 'FieldValueRequired', 'Required value: say it'],
    [invalidError('a', 'x', 'bad'), 'FieldValueInvalid', 'Invalid value: "x": bad'],
    [invalidError('a', 1.5, 'bad'), 'FieldValueInvalid', 'Invalid value: 1.5: bad'],
    [invalidError('a', { b: '<', a: 1 }, 'bad'), 'FieldValueInvalid', 'Invalid value: {"a":1,"b":"\\u003c"}: bad'],
    [
      notSupportedError('a', 'x', ['y', 1]),
      'FieldValueNotSupported',
      'Unsupported value: "x": supported values: "y", "1"',
    ],
    [notSupportedError('a', null, []), 'FieldValueNotSupported', 'Unsupported value: null'],
    [duplicateError('a', ['x']), 'FieldValueDuplicate', 'Duplicate value: ["x"]'],
    [forbiddenError('a', 'no'), 'FieldValueForbidden', 'Forbidden: no'],
    [tooLongError('a', 1), 'FieldValueTooLong', 'Too long: may not be more than 1 byte'],
    [tooManyError('a', 3, 2), 'FieldValueTooMany', 'Too many: 3: must have at most 2 items'],
  ])('%#', (error, reason, message) => {
    expect(error).toEqual({ reason, field: 'a', message })
  })
})

describe('printing', () => {
  it.each([
    [0, '0'],
    [0.1, '0.1'],
    [0.00001, '1e-05'],
    [1e21, '1e+21'],
    [-3e9, '-3000000000'],
  ])('of %d is %s', (value, text) => {
    expect(printNumber(value)).toBe(text)
  })

  it('quotes control characters as Go does', () => {
    expect(quoteGo('a"\\\n\u0000é')).toBe('"a\\"\\\\\\n\\x00é"')
  })
})

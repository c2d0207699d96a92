import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError } from './errors.ts'
import { parseStrictJson } from './strict-json.ts'

function refusal(text: string): { reason: string; field: string | undefined } | undefined {
  try {
    parseStrictJson(text)
    return undefined
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { reason: error.reason, field: error.details.field }
  }
}

describe('parseStrictJson', () => {
  it('reads what JSON.parse reads', () => {
    const safe = fc.jsonValue({ depthSize: 'small' }).filter((value) => {
      const numbers = JSON.stringify(value).match(/-?\d+(\.\d+)?(e[+-]?\d+)?/gi) ?? []
      return numbers.every((text) => /[.e]/i.test(text) || Number.isSafeInteger(Number(text)))
    })
    fc.assert(
      fc.property(safe, fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        expect(parseStrictJson(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"profile":"p","metadata":{"x":[{"k":1},{"k":1,"k":2}]}}', 'metadata.x.1.k'],
    ['{"n":9007199254740993}', 'n'],
    ['{"n":1e999}', 'n'],
    ['{"n":[1,-99999999999999999999]}', 'n.1'],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, '0.0.0.0.0.0.0.0'],
    [`{"metadata":${'{"a":'.repeat(70)}1${'}'.repeat(70)}}`, 'metadata.a.a.a.a.a.a.a'],
    ['{"a":', 'body'],
    ['', 'body'],
    ['\u0000', 'body'],
  ])('refuses %.60s and names the place', (text, field) => {
    expect(refusal(text)).toEqual({ reason: 'invalid_json', field })
  })

  it.each(['{"a":{"k":1},"b":{"k":1}}', '["a","a"]', '{"a":"{\\"a\\":1}","b":"\\\\"}', '{"n":1.5e300}', '"x"', '7'])(
    'takes %s',
    (text) => {
      expect(refusal(text)).toBeUndefined()
    },
  )
})

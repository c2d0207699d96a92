import { describe, expect, it } from 'vitest'
import type { ApiRequest } from './api-request.ts'
import { checkFieldManager, fieldManagerOf } from './field-manager.ts'

function manager(query: string, userAgent?: string): string {
  const http = { headers: userAgent === undefined ? {} : { 'user-agent': userAgent } }
  return fieldManagerOf({ query: new URLSearchParams(query), http } as unknown as ApiRequest, 'PatchOptions')
}

describe('who writes', () => {
  it.each([
    ['the one that the request names', 'fieldManager=me', 'kubectl/v1', 'me'],
    ['else what the client calls itself, up to the first slash', '', 'kubectl/v1.36.0 (linux/amd64)', 'kubectl'],
    ['the whole name where there is no slash', '', 'curl', 'curl'],
    ['unknown, without a name', '', undefined, 'unknown'],
    ['unknown, where the name is empty', '', '/v1', 'unknown'],
    ['the name without what cannot be printed', '', 'a\u0007b/1', 'ab'],
    ['at most 128 bytes of the name, in whole letters', '', 'ä'.repeat(100), 'ä'.repeat(64)],
  ])('is %s', (_what, query, userAgent, expected) => {
    expect(manager(query, userAgent)).toBe(expected)
  })

  it.each([
    ['a name of 128 bytes', 'x'.repeat(128), 0],
    ['a longer name', 'x'.repeat(129), 1],
    ['letters of two bytes that are too many together', 'ä'.repeat(65), 1],
    ['a name with a line break', 'a\nb', 1],
    ['a name with a blank', 'a b', 0],
  ])('%s is refused or not', (_what, name, findings) => {
    expect(checkFieldManager(name)).toHaveLength(findings)
  })

  it('a name that is refused is told with its field', () => {
    expect(() => manager(`fieldManager=${'x'.repeat(129)}`)).toThrow(/fieldManager/)
  })
})

import { describe, expect, it } from 'vitest'
import { decodeContinue, encodeContinue } from './continue-token.ts'

describe('continue tokens', () => {
  it('come back as they were, and need no escaping in a URL', () => {
    const token = { revision: 12, lastKey: 'ns/náme?' }
    expect(decodeContinue(encodeContinue(token))).toEqual(token)
    expect(encodeContinue(token)).toMatch(/^[\w-]+$/)
  })

  it.each([
    '',
    'abc',
    'e30',
    Buffer.from('[]').toString('base64url'),
    Buffer.from('{"rv":"1","start":1}').toString('base64url'),
  ])('are refused when they are not ours: %j', (text) => {
    expect(decodeContinue(text)).toBeUndefined()
  })
})

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { API_ERRORS, ApiError, errorBody } from './errors.ts'

const REFERENCE = new URL('../../docs/reference/errors.md', import.meta.url)

describe('the table of errors', () => {
  it('is the table of the reference', () => {
    const rows = readFileSync(REFERENCE, 'utf8')
      .split('\n')
      .filter((line) => /^\| `[a-z_]+` \| \d{3} \|/.test(line))
    const expected = Object.entries(API_ERRORS).map(
      ([reason, { status, error, meaning }]) => `| \`${reason}\` | ${status} | ${error} | ${meaning} |`,
    )
    expect(rows).toEqual(expected)
  })

  it('has client and server errors only, each with a sentence', () => {
    for (const { status, error, meaning } of Object.values(API_ERRORS)) {
      expect(status).toBeGreaterThanOrEqual(400)
      expect(error.length).toBeGreaterThan(5)
      expect(meaning).toMatch(/[.`]$/)
    }
  })
})

describe('an error body', () => {
  it('leaves out what is not known, and never holds the cause', () => {
    expect(errorBody(new ApiError('internal', { cause: new Error('secret') }))).toEqual({
      error: 'Internal error',
      reason: 'internal',
    })
    expect(errorBody(new ApiError('invalid_ttl', { error: 'e', detail: 'd', field: 'ttl' }))).toEqual({
      error: 'e',
      detail: 'd',
      reason: 'invalid_ttl',
      field: 'ttl',
    })
  })
})

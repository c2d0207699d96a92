import { describe, expect, it } from 'vitest'
import { keyOf, objectKey, splitKey } from './object-key.ts'
import { compareResourceVersions, isNewer } from './resource-version.ts'

describe('an object key', () => {
  it.each<[{ namespace?: string; name: string }, string]>([
    [{ namespace: 'n', name: 'a' }, 'n/a'],
    [{ name: 'node-1' }, 'node-1'],
  ])('of %o is %s, and splits into the same', (ref, key) => {
    expect(keyOf(ref.namespace, ref.name)).toBe(key)
    expect(objectKey({ metadata: ref })).toBe(key)
    expect(splitKey(key)).toEqual(ref)
  })
})

describe('resource versions', () => {
  it.each([
    ['9', '10', -1],
    ['10', '9', 1],
    ['7', '7', 0],
    ['9007199254740993', '9007199254740992', 1],
  ])('%s and %s compare as numbers', (a, b, sign) => {
    expect(Math.sign(compareResourceVersions(a, b) ?? Number.NaN)).toBe(sign)
  })

  it.each([
    ['abc', '7'],
    ['', '7'],
    [undefined, '7'],
    ['007', '7'],
  ])('%s and %s cannot be compared, so neither is newer', (a, b) => {
    expect(compareResourceVersions(a, b)).toBeUndefined()
    expect([isNewer(a, b), isNewer(b, a)]).toEqual([false, false])
  })
})

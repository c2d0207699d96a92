import { describe, expect, test } from 'vitest'
import { type Drift, driftOf, type Stamp } from './drift.ts'

const present = { hash: 'aaaaaaaaaaaaaaaa', version: 2 }

describe('driftOf', () => {
  test.each<[string, Stamp, Drift]>([
    ['the same hash is current', { hash: present.hash, version: 2 }, 'current'],
    ['another hash is drift', { hash: 'bbbbbbbbbbbbbbbb', version: 2 }, 'drifted'],
    ['a hash of another algorithm is never drift', { hash: 'bbbbbbbbbbbbbbbb', version: 1 }, 'incomparable'],
    ['a hash without a version is of the present algorithm', { hash: 'bbbbbbbbbbbbbbbb' }, 'drifted'],
    ['no hash says nothing', {}, 'unstamped'],
  ])('%s', (_name, stamp, drift) => {
    expect(driftOf(stamp, present)).toBe(drift)
  })
})

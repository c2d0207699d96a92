import { describe, expect, test } from 'vitest'
import { formatTimestamp } from '../../api/timestamp.ts'
import { aLease, type LeaseOptions, MINUTE, T0 } from '../testing/builders.ts'
import type { LeasePolicy } from './observed.ts'
import { planExtension } from './plan-extension.ts'

const policy: LeasePolicy = { maxExtensions: 2, maxTtlMs: 4 * 60 * MINUTE }
const bound = (over: LeaseOptions = {}) =>
  aLease({ phase: 'Bound', boundAt: formatTimestamp(T0), expiresAt: formatTimestamp(T0 + 60 * MINUTE), ...over })

describe('planExtension', () => {
  test('moves the expiry and counts', () => {
    const plan = planExtension(bound(), policy, 30 * MINUTE, T0)
    expect(plan).toMatchObject({ allowed: true, expiresAt: T0 + 90 * MINUTE })
    expect(plan.allowed && plan.status).toMatchObject({
      expiresAt: formatTimestamp(T0 + 90 * MINUTE),
      extensionsCount: 1,
      maxExtensions: 2,
    })
  })

  test('exactly up to the longest life is allowed', () => {
    expect(planExtension(bound(), policy, 180 * MINUTE, T0).allowed).toBe(true)
  })

  test('without a longest life there is no end', () => {
    expect(planExtension(bound(), { maxExtensions: 2 }, 1e9, T0).allowed).toBe(true)
  })

  test.each<[string, LeaseOptions, number, number, string, string]>([
    [
      'not bound',
      { phase: 'Pending' },
      1,
      T0,
      'NotBound',
      'Cannot extend TTL: lease is not in Bound phase (current: Pending)',
    ],
    ['used up', { extensionsCount: 2 }, 1, T0, 'MaxExtensions', 'Maximum extensions (2) reached'],
    [
      'too long',
      {},
      180 * MINUTE + 1,
      T0,
      'MaxTtl',
      'Extension would exceed maximum TTL (4h). Max expiry: 2026-01-05T16:00:00Z',
    ],
    ['no duration', {}, Number.NaN, T0, 'InvalidDuration', 'Invalid duration'],
    ['a negative one', {}, -1, T0, 'InvalidDuration', 'Invalid duration'],
    ['expired and not cleaned up yet', {}, 1, T0 + 60 * MINUTE, 'Expired', 'expired at 2026-01-05T13:00:00Z'],
    ['times that cannot be read', { expiresAt: 'soon' }, 1, T0, 'InvalidState', 'no readable'],
  ])('refuses: %s', (_name, over, extendMs, ...[now, refusal, message]) => {
    const plan = planExtension(bound(over), policy, extendMs, now)
    expect(plan).toMatchObject({ allowed: false, refusal })
    expect(!plan.allowed && plan.message).toContain(message)
  })
})

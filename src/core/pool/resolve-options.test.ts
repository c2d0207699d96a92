import { describe, expect, test } from 'vitest'
import { aPool, scaling } from '../testing/builders.ts'
import { type PoolOptions, resolvePoolOptions } from './resolve-options.ts'

describe('resolvePoolOptions', () => {
  test.each<[string, Parameters<typeof aPool>[0], Partial<PoolOptions>]>([
    [
      'a fixed pool keeps `size` warm under a ceiling ten higher',
      { size: 4 },
      { warm: 4, ceiling: 14, floor: 4, maxRecycling: 1, maxSurge: 1, scales: false },
    ],
    [
      'a scaling pool ignores `size`',
      { size: 4, scaling: scaling({ minReady: 2, maxClusters: 6 }) },
      { warm: 2, ceiling: 6, floor: 2, scales: true, scaleDownAfterMs: 300_000, queueTimeoutMs: 300_000 },
    ],
    [
      'the floor may be set',
      { size: 4, upgradePolicy: { maxRecycling: 2, maxSurge: 0, minReadyDuringUpgrade: 3 } },
      { floor: 3, maxRecycling: 2, maxSurge: 0 },
    ],
    [
      'there is no surge without a warm target',
      { scaling: scaling({ minReady: 0 }) },
      { warm: 0, floor: 0, maxSurge: 0 },
    ],
    [
      'a duration out of range is the default, or no scale-down',
      { scaling: scaling({ creatingTimeout: '9999999h', scaleDownAfter: '9999999h' }) },
      { creatingTimeoutMs: 600_000 },
    ],
    ['a fixed pool may have a queue timeout', { queueTimeout: '1m' }, { queueTimeoutMs: 60_000 }],
    [
      'the backoff',
      { scaling: scaling({ failureBackoff: { base: '1s', multiplier: 3, max: '1m' } }) },
      { backoff: { baseMs: 1_000, multiplier: 3, maxMs: 60_000 } },
    ],
    ['the pool may cap concurrent creates', { maxConcurrentCreates: 2 }, { maxConcurrentCreates: 2 }],
  ])('%s', (_name, spec, expected) => {
    expect(resolvePoolOptions(aPool(spec).spec, 7)).toMatchObject(expected)
  })

  test('without a limit in the spec there is no queue timeout, and the backend caps creates', () => {
    const options = resolvePoolOptions(aPool().spec, 7)
    expect(options.queueTimeoutMs).toBeUndefined()
    expect(options.maxConcurrentCreates).toBe(7)
  })
})

import { describe, expect, test } from 'vitest'
import { inBucket, status } from '../../../src/core/testing/a-world.ts'
import { goldenOf } from '../../explore/sequences/golden.ts'
import { tell } from '../../explore/sequences/scenario.ts'
import { everyUpgrade, SCENARIOS } from '../../explore/sequences/scenarios.ts'

describe('golden logs', () => {
  test.for(SCENARIOS)('$name goes as it is written', (scenario) => {
    const { log, world } = tell(scenario)
    expect(world.invariants.violations).toEqual([])
    expect(log).toBe(goldenOf(scenario))
  })
})

describe('sizes 1 to 8, surge 0 to 2, every floor', () => {
  const upgrades = everyUpgrade()

  test.for([1, 2, 3, 4, 5, 6, 7, 8])(
    'size %i: Ready never falls below the floor, and every member is replaced or the pool says why not',
    (size) => {
      for (const scenario of upgrades.filter(({ spec }) => spec.size === size)) {
        const { maxSurge = 1, minReadyDuringUpgrade: floor = 0 } = scenario.spec.upgradePolicy ?? {}
        const { world, leastReady } = tell(scenario)
        expect(world.invariants.violations, scenario.name).toEqual([])
        expect(leastReady, scenario.name).toBeGreaterThanOrEqual(Math.min(floor, size))
        const old = inBucket(world, 'ready').filter((member) => member.status?.createdWith?.cluster?.version === 'v1')
        const stalled = status(world).conditions?.some(({ reason }) => reason === 'FloorNeverSatisfied') ?? false
        expect(stalled, scenario.name).toBe(maxSurge === 0 && floor >= size)
        expect(old.length, scenario.name).toBe(stalled ? size : 0)
        expect(inBucket(world, 'ready').length, scenario.name).toBe(size)
        if (maxSurge > 0) expect(leastReady, scenario.name).toBeGreaterThan(0)
      }
    },
  )
})

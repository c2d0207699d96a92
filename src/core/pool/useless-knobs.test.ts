import { describe, expect, test } from 'vitest'
import type { PoolSpec } from '../../api/v1alpha1/cluster-pool.ts'
import { aPool, aReady, HASH_B, observedPool, scaling, T0 } from '../testing/builders.ts'
import { planPool } from './plan-pool.ts'

const warnings = (spec: Partial<PoolSpec>) =>
  planPool(observedPool({ pool: aPool(spec) }), T0)
    .notes.filter(({ level }) => level === 'Warning')
    .map(({ reason, message }) => `${reason}: ${message}`)
const policy = (maxSurge: number, minReadyDuringUpgrade?: number) => ({
  maxRecycling: 1,
  maxSurge,
  ...(minReadyDuringUpgrade === undefined ? {} : { minReadyDuringUpgrade }),
})

describe('knobs with which no member can ever be replaced are accepted, and said with their resolved values', () => {
  const never = 'FloorNeverSatisfied: No upgrade can ever replace a member:'
  test.each<[string, Partial<PoolSpec>, string[]]>([
    [
      'no surge and a floor at the size, which is the default',
      { size: 2, upgradePolicy: policy(0) },
      [
        `${never} maxSurge is 0 and the floor (2) is not below the warm target (2); raise maxSurge or lower minReadyDuringUpgrade`,
      ],
    ],
    [
      'no room for the surge under the ceiling',
      { scaling: scaling({ minReady: 2, maxClusters: 2 }) },
      [
        `${never} maxSurge is 1, of which 0 fit under the ceiling of 2, and the floor (2) is not below the warm target (2); raise maxClusters or lower minReadyDuringUpgrade`,
      ],
    ],
    [
      'a floor above what surge can reach',
      { size: 1, upgradePolicy: policy(1, 2) },
      [
        `${never} maxSurge is 1 and the floor (2) is not below the warm target (1); raise maxSurge or lower minReadyDuringUpgrade`,
      ],
    ],
    ['the defaults say nothing', { size: 2 }, []],
    ['a floor below the size says nothing', { size: 2, upgradePolicy: policy(0, 1) }, []],
    ['a pool that scales to zero says nothing', { scaling: scaling({ minReady: 0 }), upgradePolicy: policy(0) }, []],
  ])('%s', (_name, spec, expected) => {
    expect(warnings(spec)).toEqual(expected)
  })

  test('it is Stalled only once there is a member to replace', () => {
    const pool = aPool({ size: 1, upgradePolicy: policy(0) })
    const stalled = (specHash?: string) =>
      planPool(observedPool({ pool, instances: [aReady({ n: 1, ...(specHash ? { specHash } : {}) })] }), T0)
        .status.conditions?.filter(({ type }) => type === 'Stalled')
        .map(({ reason }) => reason)
    expect(stalled()).toEqual([])
    expect(stalled(HASH_B)).toEqual(['FloorNeverSatisfied'])
  })
})

test('a snapshot that no backend restores is said, and its pool filled all the same', () => {
  const snapshot = { ...aPool().spec.snapshot, enabled: true } as NonNullable<PoolSpec['snapshot']>
  expect(warnings({ snapshot })).toEqual([
    'Unsupported: spec.snapshot has no effect: backend embedded restores no member from a backup, each is made fresh',
  ])
  const plan = planPool(observedPool({ pool: aPool({ snapshot }) }), T0)
  expect(plan.actions.length).toBeGreaterThan(0)
})

import { describe, expect, test } from 'vitest'
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import { aLeased, anInstance, aReady, observedPool, T0 } from '../testing/builders.ts'
import { brokenInvariants } from './invariants.ts'
import { planPool } from './plan-pool.ts'

const broken = (instances: ClusterInstance[], over = {}) => {
  const observed = observedPool({ instances })
  return brokenInvariants(observed, { ...planPool(observed, T0).status, ...over }).map(({ invariant }) => invariant)
}

describe('invariants that a pass checks', () => {
  test('hold of an ordinary pool', () => {
    expect(
      broken([aReady({ n: 1 }), aLeased({ n: 2 }), anInstance({ n: 3 }), anInstance({ n: 4, deleting: true })]),
    ).toEqual([])
  })

  test('I1: a lease that holds two members', () => {
    const held = aLeased({ n: 1 })
    expect(broken([held, { ...aLeased({ n: 2 }), status: held.status! }])).toEqual(['I1'])
  })

  test('I3: a count that leaves a member out', () => {
    expect(broken([aReady({ n: 1 })], { ready: 0 })).toEqual(['I3'])
  })
})

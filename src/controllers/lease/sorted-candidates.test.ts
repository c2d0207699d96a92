import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import { candidatesOf } from '../../core/lease/candidates.ts'
import { aLeased, aPool, aReady, HASH_A, HASH_B, SECOND, T0 } from '../../core/testing/builders.ts'
import { createSortedCandidates } from './sorted-candidates.ts'

const poolOn = (currentSpecHash: string) =>
  aPool({}, { status: { currentSpecHash } as NonNullable<ReturnType<typeof aPool>['status']> })
const pool = poolOn(HASH_A)
const aMember = fc
  .record({ n: fc.integer({ min: 1, max: 12 }), free: fc.boolean(), current: fc.boolean(), second: fc.nat({ max: 3 }) })
  .map(({ n, free, current, second }) => {
    const options = { n, createdAt: T0 + second * SECOND, specHash: current ? HASH_A : HASH_B }
    return free ? aReady(options) : aLeased(options)
  })

test('after any changes they stand as a new sort would put them', () => {
  fc.assert(
    fc.property(fc.array(aMember, { maxLength: 60 }), fc.nat({ max: 20 }), (changes, before) => {
      const members = new Map<string, ClusterInstance>()
      const put = (member: ClusterInstance) => members.set(member.metadata.name ?? '', member)
      for (const member of changes.slice(0, before)) put(member)
      const sorted = createSortedCandidates(pool, [...members.values()])
      for (const member of changes.slice(before)) {
        const old = members.get(member.metadata.name ?? '')
        if (old !== undefined) sorted.remove(old)
        // Every fourth one leaves for good.
        if (old !== undefined && members.size % 4 === 0) members.delete(member.metadata.name ?? '')
        else {
          put(member)
          sorted.add(member)
        }
      }
      expect(sorted.all()).toEqual(candidatesOf(pool, [...members.values()], []))
    }),
    { seed: 11, numRuns: 200 },
  )
})

test('another template means another order', () => {
  const sorted = createSortedCandidates(pool, [aReady()])
  expect(sorted.isOf(poolOn(HASH_A))).toBe(true)
  expect(sorted.isOf(poolOn(HASH_B))).toBe(false)
})

import { describe, expect, it } from 'vitest'
import { formatTimestamp } from '../../api/timestamp.ts'
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { estimateWaitSeconds, outlookOf } from './estimate.ts'

const NOW = Date.UTC(2026, 0, 1, 12)
const at = (seconds: number): string => formatTimestamp(NOW + seconds * 1000)
const instance = (phase: string, created: number, ready?: number): ClusterInstance =>
  ({
    metadata: { creationTimestamp: at(created) },
    spec: {},
    status: { phase, ...(ready === undefined ? {} : { readySince: at(ready) }) },
  }) as ClusterInstance
const held = (expires: number): ClusterLease =>
  ({ metadata: {}, spec: {}, status: { phase: 'Bound', expiresAt: at(expires) } }) as ClusterLease

const estimate = (position: number, instances: ClusterInstance[], leases: ClusterLease[] = []) =>
  estimateWaitSeconds(outlookOf({ instances, leases, now: NOW }), position, NOW)

describe('estimateWaitSeconds', () => {
  const measured = [instance('Leased', -100, -80), instance('Ready', -100, -90)]

  it('counts the rest of a creation from the mean of the measured ones', () => {
    expect(estimate(1, [...measured, instance('Creating', -5)])).toBe(10)
  })

  it('gives each place in the queue the member that comes next', () => {
    const creating = [instance('Creating', -5), instance('Creating', -12)]
    expect([estimate(1, [...measured, ...creating]), estimate(2, [...measured, ...creating])]).toEqual([3, 10])
  })

  it('counts on the end of leases when nothing is being created, and on another creation after it', () => {
    expect(estimate(1, measured, [held(60), held(30)])).toBe(45)
  })

  it('is at least a second for a creation that takes longer than others did', () => {
    expect(estimate(1, [...measured, instance('Creating', -100)])).toBe(1)
  })

  it('says nothing when nothing was measured or nothing is to come', () => {
    expect([estimate(1, [instance('Creating', -5)]), estimate(1, measured), estimate(3, measured, [held(60)])]).toEqual(
      [undefined, undefined, undefined],
    )
  })
})

import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { LeaseStatus } from '../../api/v1alpha1/cluster-lease.ts'
import { aBinding, aLease, aReady } from '../../core/testing/builders.ts'
import { createWaitingNews } from './waiting-news.ts'

const waiting = (queuePosition: number): LeaseStatus => ({
  phase: 'Pending',
  queuePosition,
  extensionsCount: 0,
  maxExtensions: 0,
  message: 'members are being created',
})
const leaseAt = (position: number) => ({ ...aLease(), status: waiting(position) })

describe('what a waiting lease is told', () => {
  it.each<[string, number, LeaseStatus, number]>([
    ['is held back for longer the further back it is', 103, waiting(103), 10_000],
    ['is held back for half a minute at most', 10_000, waiting(10_000), 30_000],
    ['is told to the first three at once', 3, waiting(3), 0],
    ['is told at once when its place is worse', 50, waiting(60), 0],
    ['is held back when its place is better', 103, waiting(53), 5_000],
    ['never holds back a binding', 50, { ...waiting(50), binding: aBinding(aReady({ n: 1 })) }, 0],
    ['never holds back an end', 50, { ...waiting(50), phase: 'Released' }, 0],
  ])('%s', (_name, position, planned, ms) => {
    const clock = new FakeClock()
    const news = createWaitingNews(clock)
    const lease = leaseAt(position)
    expect(news.holdMs(lease, planned)).toBe(0)
    news.told(lease)
    expect(news.holdMs(lease, planned)).toBe(ms)
  })

  it('is told when the pause is over, and at once to one that nobody has told anything', async () => {
    const clock = new FakeClock()
    const news = createWaitingNews(clock)
    const lease = leaseAt(53)
    news.told(lease)
    await clock.advance(2_000)
    expect(news.holdMs(lease, waiting(53))).toBe(3_000)
    await clock.advance(3_000)
    expect(news.holdMs(lease, waiting(53))).toBe(0)
    news.told(lease)
    news.forget(lease.metadata.uid ?? '')
    expect(news.holdMs(lease, waiting(53))).toBe(0)
  })
})

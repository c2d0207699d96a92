import { describe, expect, test } from 'vitest'
import { formatTimestamp as at } from '../../api/timestamp.ts'
import { aLease, aLeased, aPool, type LeaseOptions, MINUTE, scaling, T0 } from '../testing/builders.ts'
import { endedStatus } from './lease-status.ts'
import { leaseMoments } from './moments.ts'
import type { LeaseObserved } from './observed.ts'

function observe(options: LeaseOptions, over: Partial<LeaseObserved> = {}): LeaseObserved {
  const lease = aLease(options)
  return {
    lease,
    pool: aPool({ scaling: scaling({ queueTimeout: '5m' }) }),
    pending: [],
    instances: [],
    bound: { state: 'none' },
    probes: new Map(),
    lastServed: new Map(),
    supportsVerifiedDestroy: false,
    connectTokenExists: true,
    bindingId: 'new-binding',
    policy: { maxTtlMs: 240 * MINUTE, maxExtensions: 2 },
    ...over,
  }
}
const ahead = (observed: LeaseObserved, now = T0) =>
  leaseMoments(observed, now).map((moment) => [moment.kind, (moment.at - T0) / MINUTE])
const binding = aLeased({ n: 1 }).status!.binding!
const bound = { phase: 'Bound', binding, boundAt: at(T0), expiresAt: at(T0 + 60 * MINUTE) } as const

describe('what is ahead of a lease, soonest first', () => {
  test.each<[string, LeaseObserved, [string, number][]]>([
    ['waiting in a pool that scales: the end of its patience', observe({}), [['QueueTimeout', 5]]],
    ['waiting in a pool of fixed size: nothing has a time', observe({}, { pool: aPool() }), []],
    ['waiting for a pool that does not exist: five minutes', observe({}, { pool: undefined }), [['QueueTimeout', 5]]],
    [
      'bound: its end, and how far that can be moved',
      observe(bound),
      [
        ['Expires', 60],
        ['LatestEnd', 240],
      ],
    ],
    ['extended as often as it may: only its end', observe({ ...bound, extensionsCount: 2 }), [['Expires', 60]]],
    [
      'bound with idleTimeout: the end for want of heartbeats, counted from the last one',
      observe({ ...bound, lastHeartbeat: at(T0 + 2 * MINUTE), spec: { idleTimeout: '10m' }, extensionsCount: 2 }),
      [
        ['IdleTimeout', 12],
        ['Expires', 60],
      ],
    ],
    [
      'ended by its time: how long it can be read',
      (() => {
        const observed = observe(bound)
        const cause = { reason: 'Expired', message: 'expired' } as const
        return { ...observed, lease: { ...observed.lease, status: endedStatus(observed.lease, 'Expired', cause, T0) } }
      })(),
      [['Removed', 5]],
    ],
  ])('%s', (_, observed, expected) => {
    expect(ahead(observed)).toEqual(expected)
  })

  test('tells how many extensions are left, and nothing that is past', () => {
    const [expires] = leaseMoments(observe({ ...bound, extensionsCount: 1 }), T0)
    expect(expires?.message).toContain('1 more time(s)')
    expect(leaseMoments(observe(bound), T0 + 241 * MINUTE)).toEqual([])
  })
})

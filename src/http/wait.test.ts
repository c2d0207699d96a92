import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { createMemoryKube } from '../../test/support/memory-kube.ts'
import type { ClusterLease } from '../api/v1alpha1/cluster-lease.ts'
import type { CacheEvent, ObjectCache } from './deps.ts'
import { phaseOf } from './leases/lease-state.ts'
import { createLeaseStore } from './leases/lease-store.ts'
import { waitForObject } from './wait.ts'

const NAMESPACE = 'ns'

const leaseOf = (resourceVersion: string, phase: 'Pending' | 'Bound' | 'Released'): ClusterLease =>
  ({
    metadata: { name: 'l', namespace: NAMESPACE, uid: 'u', resourceVersion },
    spec: {
      poolRef: 'p',
      ttl: '1h',
      requester: { type: 't', identity: 'i' },
      priority: 50,
      cleanupMode: 'Standard',
      allowStale: true,
    },
    status: { phase, queuePosition: 0, extensionsCount: 0, maxExtensions: 0 },
  }) as ClusterLease

function setUp() {
  const clock = new FakeClock()
  const objects = new Map<string, ClusterLease>()
  const listeners = new Set<(event: CacheEvent<ClusterLease>) => void>()
  const cache: ObjectCache<ClusterLease> = {
    get: (_namespace, name) => objects.get(name),
    list: () => [...objects.values()],
    on(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const show = (lease: ClusterLease, type: CacheEvent<ClusterLease>['type'] = 'MODIFIED'): void => {
    if (type === 'DELETED') objects.delete('l')
    else objects.set('l', lease)
    for (const listener of listeners) listener({ type, object: lease })
  }
  const store = createLeaseStore({ cache, client: createMemoryKube(), clock, namespace: NAMESPACE })
  const abort = new AbortController()
  const wait = () =>
    waitForObject({ store, clock }, 'l', {
      done: (lease) => phaseOf(lease) !== 'Pending',
      ms: 60_000,
      signal: abort.signal,
    })
  return { clock, store, show, abort, wait }
}

describe('waitForObject', () => {
  it.each<[string, (world: ReturnType<typeof setUp>) => unknown]>([
    ['the lease is no longer Pending', ({ show }) => show(leaseOf('2', 'Bound'))],
    ['the lease is gone', ({ show }) => show(leaseOf('2', 'Pending'), 'DELETED')],
    ['the time is over', ({ clock }) => clock.advance(60_000)],
    ['the client hangs up', ({ abort }) => abort.abort()],
  ])('ends when %s, and leaves no timer behind', async (_case, act) => {
    const world = setUp()
    world.show(leaseOf('1', 'Pending'))
    const waiting = world.wait()
    expect(world.clock.pending).toBe(1)
    await act(world)
    await waiting
    expect(world.clock.pending).toBe(0)
  })

  it('ends at once when there is nothing to wait for', async () => {
    const world = setUp()
    await world.wait()
    world.show(leaseOf('1', 'Bound'))
    await world.wait()
    world.abort.abort()
    await world.wait()
    expect(world.clock.pending).toBe(0)
  })

  it('sleeps through changes that do not matter', async () => {
    const world = setUp()
    world.show(leaseOf('1', 'Pending'))
    let ended = false
    const waiting = world.wait().then(() => {
      ended = true
    })
    world.show(leaseOf('2', 'Pending'))
    await world.clock.advance(1_000)
    expect(ended).toBe(false)
    world.show(leaseOf('3', 'Bound'))
    await waiting
  })
})

describe('the lease store', () => {
  it('shows an own write until the cache has it or something newer', () => {
    const { store, show, clock } = setUp()
    show(leaseOf('1', 'Pending'))
    store.wrote(leaseOf('5', 'Released'))
    expect(phaseOf(store.peek('l')!)).toBe('Released')
    show(leaseOf('3', 'Bound'))
    expect(phaseOf(store.peek('l')!)).toBe('Released')
    show(leaseOf('6', 'Bound'))
    expect(phaseOf(store.peek('l')!)).toBe('Bound')
    expect(clock.pending).toBe(0)
  })

  it('does not let an answer that came late hide what the cache knows', () => {
    const { store, show } = setUp()
    show(leaseOf('9', 'Bound'))
    store.wrote(leaseOf('5', 'Pending'))
    expect(phaseOf(store.peek('l')!)).toBe('Bound')
  })

  it('forgets an own write with the lease, and after 5 s without a word from the cache', async () => {
    const { store, show, clock } = setUp()
    store.wrote(leaseOf('5', 'Pending'))
    show(leaseOf('7', 'Pending'), 'DELETED')
    expect(store.peek('l')).toBeUndefined()
    store.wrote(leaseOf('8', 'Pending'))
    expect(store.list()).toHaveLength(1)
    await clock.advance(5_000)
    expect(store.list()).toEqual([])
  })
})

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Core } from '../registry/core.ts'
import { Registry } from '../registry/registry.ts'
import { WatchHub } from '../registry/watch-hub.ts'
import { createMemoryPersistence } from '../store/persistence.ts'
import { Store } from '../store/store.ts'
import { EventExpiry } from './event-expiry.ts'

const MINUTE = 60_000
const onError = (error: unknown) => {
  throw error
}

function newCore(): Core {
  const store = new Store({ persistence: createMemoryPersistence(), watchHistory: 10, onError })
  return { store, registry: new Registry([]), watches: new WatchHub(), now: () => Date.now(), onError }
}

function write({ store }: Core, key: string): void {
  const metadata = { name: key, uid: key, resourceVersion: '', creationTimestamp: new Date().toISOString() }
  store.put('events', key, { apiVersion: 'v1', kind: 'Event', metadata }, store.get('events', key))
}

describe('EventExpiry', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('removes an event an hour after its last write', () => {
    const core = newCore()
    new EventExpiry(core).start()
    write(core, 'a')
    vi.advanceTimersByTime(30 * MINUTE)
    write(core, 'b')
    write(core, 'a')
    vi.advanceTimersByTime(59 * MINUTE)
    expect(core.store.collection('events').size).toBe(2)
    vi.advanceTimersByTime(2 * MINUTE)
    expect(core.store.collection('events').size).toBe(0)
  })

  it('goes by the times in the events after a restart', () => {
    const core = newCore()
    write(core, 'old')
    vi.setSystemTime(50 * MINUTE)
    write(core, 'young')
    const expiry = new EventExpiry(core)
    expiry.start()
    vi.advanceTimersByTime(11 * MINUTE)
    expect([...core.store.collection('events').entries()].map(({ key }) => key)).toEqual(['young'])
    expiry.stop()
    vi.advanceTimersByTime(100 * MINUTE)
    expect(core.store.collection('events').size).toBe(1)
  })
})

import { describe, expect, it } from 'vitest'
import type { StoredObject } from '../registry/resource-definition.ts'
import type { StoreEvent } from './entry.ts'
import { createMemoryPersistence, type Persistence } from './persistence.ts'
import { StaleEntryError, Store } from './store.ts'
import { StoreError } from './store-error.ts'

const thing = (name: string, value = 0): StoredObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, uid: name, resourceVersion: '', creationTimestamp: '' },
  value,
})

function newStore(persistence: Persistence = createMemoryPersistence(), watchHistory = 4) {
  const errors: unknown[] = []
  const store = new Store({ persistence, watchHistory, onError: (error) => errors.push(error) })
  const put = (name: string, value = 0) => store.put('things', name, thing(name, value), store.get('things', name))
  return { store, put, errors }
}

describe('Store', () => {
  it('gives every write the next revision and writes it into the object', () => {
    const { store, put } = newStore()
    expect([put('a').revision, put('b').revision, put('a').revision]).toEqual([1, 2, 3])
    expect(store.get('things', 'a')?.object.metadata.resourceVersion).toBe('3')
    const a = store.get('things', 'a')
    expect(a && store.remove('things', a).object.metadata.resourceVersion).toBe('4')
    expect(store.revision).toBe(4)
  })

  it('refuses a write that was computed from an entry of the past', () => {
    const { store, put } = newStore()
    const first = put('a')
    put('a')
    expect(() => store.put('things', 'a', thing('a'), first)).toThrow(StaleEntryError)
    expect(() => store.put('things', 'a', thing('a'), undefined)).toThrow(StaleEntryError)
    expect(() => store.remove('things', first)).toThrow(StaleEntryError)
    expect(store.revision).toBe(2)
  })

  it('changes nothing when the write does not reach the disk', () => {
    const failing = { ...createMemoryPersistence() }
    const { store, put } = newStore(failing)
    const kept = put('a', 1)
    const fail = () => {
      throw new StoreError('WriteFailed', 'full')
    }
    failing.put = fail
    failing.remove = fail
    const events: StoreEvent[] = []
    store.onEvent((event) => events.push(event))
    expect(() => put('a', 2)).toThrow(StoreError)
    expect(() => store.remove('things', kept)).toThrow(StoreError)
    expect([store.get('things', 'a'), store.revision, events]).toEqual([kept, 1, []])
  })

  it('tells everyone of events in the order of revisions, also when a listener writes', () => {
    const { store, put } = newStore()
    store.onEvent(({ entry, type }) => {
      if (entry.key === 'a' && type === 'ADDED') put('b')
    })
    const seen: number[] = []
    store.watch('things', ({ entry }) => seen.push(entry.revision))
    put('a')
    put('c')
    expect(seen).toEqual([1, 2, 3])
  })

  it('goes on when a listener fails', () => {
    const { store, put, errors } = newStore()
    store.watch('things', () => {
      throw new Error('broken')
    })
    const seen: string[] = []
    const stop = store.watch('things', ({ entry }) => seen.push(entry.key))
    put('a')
    stop()
    put('b')
    expect([seen, errors.length]).toEqual([['a'], 2])
  })
})

describe('Collection', () => {
  it('shows an earlier state from the present one and what happened since', () => {
    const { store, put } = newStore(undefined, 10)
    for (const name of ['a', 'b', 'c']) put(name)
    const then = store.revision
    put('b', 5)
    put('aa')
    const c = store.get('things', 'c')
    if (c !== undefined) store.remove('things', c)
    put('c', 9)
    const collection = store.collection('things')
    const page = (limit: number, after?: string) =>
      collection.pageAt(then, { prefix: '', limit, ...(after === undefined ? {} : { after }) })
    expect(page(0).entries.map(({ key, revision }) => [key, revision])).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ])
    expect(page(1)).toMatchObject({ lastKey: 'a', remaining: 2 })
    expect(page(2, 'a').entries.map(({ key }) => key)).toEqual(['b', 'c'])
  })

  it('keeps the last events only, and says since when', () => {
    const { store, put } = newStore()
    for (let n = 0; n < 10; n += 1) put('a', n)
    const collection = store.collection('things')
    expect(collection.compacted).toBe(6)
    expect(collection.eventsAfter(6).map(({ entry }) => entry.revision)).toEqual([7, 8, 9, 10])
    expect(collection.eventsAfter(9)).toHaveLength(1)
    expect(collection.eventsAfter(10)).toHaveLength(0)
  })

  it('forgets sooner when the events are large', () => {
    const { store } = newStore(undefined, 1000)
    const large = { ...thing('a'), data: 'x'.repeat(1024 * 1024) }
    for (let n = 0; n < 40; n += 1) store.put('things', 'a', { ...large, n }, store.get('things', 'a'))
    expect(store.collection('things').eventsAfter(0).length).toBeLessThanOrEqual(17)
  })

  it('lists a namespace by its prefix, not one whose name begins alike', () => {
    const { store } = newStore()
    for (const key of ['a-b/x', 'a/x', 'a/y', 'b/x']) store.put('things', key, thing('x'), undefined)
    const keys = (prefix: string) => [...store.collection('things').entries(prefix)].map(({ key }) => key)
    expect(keys('a/')).toEqual(['a/x', 'a/y'])
    expect(keys('')).toHaveLength(4)
  })
})

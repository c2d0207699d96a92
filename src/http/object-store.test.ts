import { beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { createMemoryKube, type MemoryKube } from '../../test/support/memory-kube.ts'
import { CONFIG_MAPS, type ConfigMap } from '../api/core-resources.ts'
import type { CacheEvent, ObjectCache } from './deps.ts'
import { createObjectStore, type ObjectStore } from './object-store.ts'

const NAMESPACE = 'ns'
const object = (resourceVersion: string, namespace = NAMESPACE): ConfigMap => ({
  metadata: { name: 'a', namespace, uid: 'u', resourceVersion },
})

let kube: MemoryKube
let clock: FakeClock
let store: ObjectStore<ConfigMap>
let tell: (type: CacheEvent<ConfigMap>['type'], object: ConfigMap) => void
const version = () => store.peek('a')?.metadata.resourceVersion

beforeEach(() => {
  kube = createMemoryKube()
  clock = new FakeClock()
  const objects = new Map<string, ConfigMap>()
  const listeners = new Set<(event: CacheEvent<ConfigMap>) => void>()
  const cache: ObjectCache<ConfigMap> = {
    get: (namespace, name) => objects.get(`${namespace}/${name}`),
    list: () => [...objects.values()],
    on(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  tell = (type, one) => {
    const key = `${one.metadata.namespace}/${one.metadata.name}`
    if (type === 'DELETED') objects.delete(key)
    else objects.set(key, one)
    for (const listener of listeners) listener({ type, object: one })
  }
  store = createObjectStore({ cache, client: kube, clock, type: CONFIG_MAPS, namespace: NAMESPACE })
})

describe('what was written here', () => {
  it('is known before the cache shows it, and told to those who wait', () => {
    const heard: (string | undefined)[] = []
    store.onChange('a', () => heard.push(version()))
    store.wrote(object('5'))
    expect([version(), heard]).toEqual(['5', ['5']])
  })

  it('is not hidden by what the cache shows late', () => {
    store.wrote(object('5'))
    store.wrote(object('7'))
    tell('ADDED', object('5'))
    expect(version()).toBe('7')
    expect(store.list().map(({ metadata }) => metadata.resourceVersion)).toEqual(['7'])
    tell('MODIFIED', object('9'))
    expect(version()).toBe('9')
  })

  it('is forgotten when the object goes, and when the cache never shows it', async () => {
    store.wrote(object('5'))
    tell('ADDED', object('5'))
    tell('DELETED', object('6'))
    expect(version()).toBeUndefined()
    store.wrote(object('8'))
    await clock.advance(5_000)
    expect(version()).toBeUndefined()
  })
})

describe('what is asked for', () => {
  it('is read from the API server when nothing is known, and known from then on', async () => {
    await kube.create(CONFIG_MAPS, { metadata: { name: 'a', namespace: NAMESPACE } })
    expect((await store.find('a'))?.metadata.name).toBe('a')
    expect(store.peek('a')).toBeDefined()
    await store.find('a')
    expect(kube.calls.filter(({ verb }) => verb === 'get')).toHaveLength(1)
    expect(await store.find('b')).toBeUndefined()
  })

  it('is of one namespace', () => {
    let heard = 0
    store.onChange('a', () => {
      heard += 1
    })
    tell('ADDED', object('5', 'other'))
    expect([store.list(), version(), heard]).toEqual([[], undefined, 0])
  })
})

import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../test/support/fake-clock.ts'
import type { KubeObject } from '../api/resource.ts'
import { createExpectations } from './expectations.ts'

const OWNER = 'kobe-system/ci'
const REF = { kind: 'ClusterInstance', namespace: 'kobe-system', name: 'pool-ci-1' }

const object = (uid: string, resourceVersion: string, more: KubeObject['metadata'] = {}): KubeObject => ({
  metadata: { namespace: 'kobe-system', name: 'pool-ci-1', uid, resourceVersion, ...more },
})

function make() {
  const clock = new FakeClock()
  const cache = { held: undefined as KubeObject | undefined, version: '100' }
  const expectations = createExpectations({
    clock,
    caches: { ClusterInstance: { get: () => cache.held, lastResourceVersion: () => cache.version } },
  })
  return { clock, cache, expectations, satisfied: () => expectations.satisfied(OWNER) }
}

describe('expectations', () => {
  it('are satisfied when there are none', () => {
    expect(make().satisfied()).toBe(true)
  })

  it('of a created object last until the cache shows it', () => {
    const { cache, expectations, satisfied } = make()
    expectations.expectCreated(OWNER, REF)
    expect(satisfied()).toBe(false)
    expectations.settled(OWNER, 'ClusterInstance', object('u1', '120'))
    expect(satisfied()).toBe(false)
    cache.held = object('u1', '120')
    expect(satisfied()).toBe(true)
    cache.held = undefined
    expect(satisfied(), 'once seen, it is not expected again').toBe(true)
  })

  it('of a created object are not met by another of the same name', () => {
    const { cache, expectations, satisfied } = make()
    cache.held = object('old', '50')
    expectations.expectCreated(OWNER, REF)
    expectations.settled(OWNER, 'ClusterInstance', object('u1', '120'))
    expect(satisfied()).toBe(false)
  })

  it('of a created object that was removed before the cache caught up end when the cache is past its version', () => {
    const { cache, expectations, satisfied } = make()
    expectations.expectCreated(OWNER, REF)
    expectations.settled(OWNER, 'ClusterInstance', object('u1', '120'))
    cache.version = '119'
    expect(satisfied()).toBe(false)
    cache.version = '131'
    expect(satisfied()).toBe(true)
  })

  it.each([
    ['it is gone', undefined],
    ['its name belongs to another', object('u2', '130')],
    ['its deletion has begun, though a finalizer holds it', object('u1', '130', { deletionTimestamp: 'now' })],
  ])('of a deleted object last until %s in the cache', (_, seen) => {
    const { cache, expectations, satisfied } = make()
    cache.held = object('u1', '90')
    expectations.expectDeleted(OWNER, { ...REF, uid: 'u1' })
    expect(satisfied()).toBe(false)
    cache.held = seen
    expect(satisfied()).toBe(true)
  })

  it('are withdrawn when the write surely failed', () => {
    const { expectations, satisfied } = make()
    expectations.expectCreated(OWNER, REF)
    expectations.withdraw(OWNER, REF)
    expect(satisfied()).toBe(true)
  })

  it('end after a minute, and tell when to look again until then', async () => {
    const { clock, expectations, satisfied } = make()
    expectations.expectCreated(OWNER, REF)
    await clock.advance(20_000)
    expect(expectations.waitMs(OWNER)).toBe(40_000)
    expect(satisfied()).toBe(false)
    await clock.advance(40_000)
    expect(satisfied()).toBe(true)
    expect(expectations.waitMs(OWNER)).toBeUndefined()
  })

  it('belong to their owner, and go with it', () => {
    const { expectations, satisfied } = make()
    expectations.expectCreated(OWNER, REF)
    expect(expectations.satisfied('kobe-system/other')).toBe(true)
    expectations.forget(OWNER)
    expect(satisfied()).toBe(true)
  })

  it('of a kind without a cache are a mistake', () => {
    expect(() => make().expectations.expectCreated(OWNER, { ...REF, kind: 'Pod' })).toThrow(RangeError)
  })
})

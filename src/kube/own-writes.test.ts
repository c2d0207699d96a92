import { describe, expect, it } from 'vitest'
import { createOwnWrites } from './own-writes.ts'

const object = (resourceVersion: string, uid = 'u') => ({
  metadata: { name: 'a', namespace: 'n', uid, resourceVersion },
})

describe('own writes', () => {
  it('are seen until the cache has caught up', () => {
    const own = createOwnWrites()
    own.record(object('7'))
    expect(own.latest(object('5')).metadata.resourceVersion).toBe('7')
    expect(own.latest(object('7')).metadata.resourceVersion).toBe('7')
    expect(own.latest(object('9')).metadata.resourceVersion).toBe('9')
  })

  it('are kept at their newest, whatever the order of the answers', () => {
    const own = createOwnWrites()
    own.record(object('9'))
    own.record(object('8'))
    expect(own.latest(object('5')).metadata.resourceVersion).toBe('9')
  })

  it('say nothing of another object of the same name', () => {
    const own = createOwnWrites()
    own.record(object('9', 'old'))
    expect(own.latest(object('5', 'new')).metadata.uid).toBe('new')
    own.record(object('9', 'old'))
    own.record(object('8', 'new'))
    expect(own.latest(object('7', 'new')).metadata.resourceVersion).toBe('8')
  })

  it('go with the object', () => {
    const own = createOwnWrites()
    own.record(object('9'))
    expect(own.isGone('u')).toBe(false)
    own.forget(object('9').metadata)
    expect(own.isGone('u')).toBe(true)
    expect(own.latest(object('5')).metadata.resourceVersion).toBe('5')
  })
})

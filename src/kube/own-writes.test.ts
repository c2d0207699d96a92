import { expect, test } from 'vitest'
import type { KubeObject } from '../api/resource.ts'
import { createOwnWrites } from './own-writes.ts'

const at = (resourceVersion: string, uid = 'u'): KubeObject => ({
  metadata: { name: 'a', namespace: 'n', uid, resourceVersion },
})

test('an own write hides the older cached state until the cache has caught up', () => {
  const own = createOwnWrites()
  own.record(at('12'))
  expect(own.latest(at('9'))).toEqual(at('12'))
  expect(own.latest(at('12'))).toEqual(at('12'))
  expect(own.latest(at('9'))).toEqual(at('9'))
})

test('a new object of the same name is not taken for the old one', () => {
  const own = createOwnWrites()
  own.record(at('12'))
  expect(own.latest(at('11', 'other'))).toEqual(at('11', 'other'))
})

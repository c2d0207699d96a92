import { expect, test } from 'vitest'
import { printMap } from './patch-text.ts'

const PATCH = { spec: { replicas: null, b: [1, 'two', { c: true }], a: {} }, metadata: { name: 'x' } }

test('a strategic patch is shown as Go prints a map', () => {
  expect(printMap(PATCH)).toBe('map[metadata:map[name:x] spec:map[a:map[] b:[1 two map[c:true]] replicas:<nil>]]')
})

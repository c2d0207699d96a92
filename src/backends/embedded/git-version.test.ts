import { expect, test } from 'vitest'
import { gitVersion } from './git-version.ts'

test.each([
  ['v1.31.3+k3s1', 'v1.31.3+k3s1'],
  ['1.31.3-k3s1', 'v1.31.3-k3s1'],
  ['v1.32.0+k0s.0', 'v1.32.0+k0s.0'],
  ['1.35', 'v1.35.0'],
  ['v1.36', 'v1.36.0'],
  ['v1.36.3', 'v1.36.3'],
])('%s is reported as %s', (asked, reported) => {
  expect(gitVersion(asked)).toBe(reported)
})

test.each(['latest', '', 'v1', 'v1.2.3.4', '1.35.x'])('%j is not a Kubernetes version', (asked) => {
  expect(gitVersion(asked)).toBeUndefined()
})

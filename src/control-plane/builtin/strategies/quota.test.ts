import { expect, test } from 'vitest'
import type { StoredObject } from '../../registry/resource-definition.ts'
import { resourceQuotaStrategy } from './quota.ts'

const quota = (spec: object): StoredObject => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'q', uid: 'u', resourceVersion: '1', creationTimestamp: '2030-01-01T00:00:00Z' },
  spec,
})

test.each([
  ['takes amounts without scopes', { hard: { pods: '3', services: '10' } }, []],
  ['refuses an amount below nothing', { hard: { pods: '-1' } }, ['spec.hard[pods]']],
  ['takes a scope that fits', { hard: { pods: '3', cpu: '1' }, scopes: ['NotTerminating'] }, []],
  ['refuses a scope of pods for services', { hard: { services: '3' }, scopes: ['Terminating'] }, ['spec.scopes']],
  [
    'refuses best effort with an amount of memory',
    { hard: { memory: '1Gi' }, scopes: ['BestEffort'] },
    ['spec.scopes'],
  ],
  ['refuses opposite scopes', { hard: { pods: '1' }, scopes: ['Terminating', 'NotTerminating'] }, ['spec.scopes']],
])('a quota %s', (_rule, spec, fields) => {
  expect(resourceQuotaStrategy.validate?.(quota(spec)).map(({ field }) => field)).toEqual(fields)
})

test('the scopes of a quota stay', () => {
  const [old, next] = [quota({ scopes: ['Terminating'] }), quota({ scopes: ['NotTerminating'] })]
  expect(resourceQuotaStrategy.validateUpdate?.(next, old)).toMatchObject([
    { field: 'spec.scopes', message: 'Invalid value: ["NotTerminating"]: field is immutable' },
  ])
})

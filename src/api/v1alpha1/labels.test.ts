import { describe, expect, it } from 'vitest'
import {
  connectTokenSecretName,
  instanceIndex,
  instanceName,
  kubeconfigSecretName,
  leaseName,
  MANAGED_BY_SELECTOR,
} from './labels.ts'

describe('names', () => {
  it('follow the public scheme', () => {
    expect(instanceName('ci-small', 12)).toBe('pool-ci-small-12')
    expect(kubeconfigSecretName('pool-ci-small-12')).toBe('pool-ci-small-12-kubeconfig')
    expect(leaseName('0123456789ab')).toBe('lease-0123456789ab')
    expect(connectTokenSecretName('lease-0123456789ab')).toBe('lease-0123456789ab-connect-token')
    expect(MANAGED_BY_SELECTOR).toBe('app.kubernetes.io/managed-by=kobe-operator')
  })

  it.each([
    ['ci', 'pool-ci-7', 7],
    ['ci', 'pool-ci-10', 10],
    ['ci', 'pool-ci-0', undefined],
    ['ci', 'pool-ci-07', undefined],
    ['ci', 'pool-ci-2-3', undefined],
    ['ci-2', 'pool-ci-2-3', 3],
    ['ci', 'pool-ci-', undefined],
    ['ci', 'ci-7', undefined],
  ])('of pool %s: %s is member %s', (pool, name, index) => {
    expect(instanceIndex(pool, name)).toBe(index)
  })
})

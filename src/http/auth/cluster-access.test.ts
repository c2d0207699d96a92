import { describe, expect, it } from 'vitest'
import type { AccessRule } from '../../api/v1alpha1/access-policy.ts'
import { mayOnCluster, requireVerbs, verbsFor } from './cluster-access.ts'

const rule = (clusters?: AccessRule['clusters']): AccessRule => ({
  pools: ['*'],
  maxTtl: '1h',
  maxConcurrentLeases: 1,
  maxExtensions: 2,
  ...(clusters === undefined ? {} : { clusters }),
})

describe('what a rule grants on clusters', () => {
  it('is nothing when it says nothing, whatever it grants on pools', () => {
    expect(mayOnCluster(rule(), 'view', 'prod')).toBe(false)
    expect(mayOnCluster(rule([]), 'view', 'prod')).toBe(false)
  })

  it.each([
    ['*', 'prod', true],
    ['prod', 'prod', true],
    ['prod', 'prod-2', false],
    ['test-*', 'test-1', true],
    ['test-*', 'prod', false],
    ['test-*', 'test', false],
  ])('by the pattern %s on %s: %s', (pattern, name, granted) => {
    expect(mayOnCluster(rule([{ names: [pattern], verbs: ['view'] }]), 'view', name)).toBe(granted)
  })

  it('adds up over entries, and no verb stands for another', () => {
    const both = rule([
      { names: ['*'], verbs: ['view'] },
      { names: ['test-*'], verbs: ['rollout', 'set'] },
    ])
    expect(
      ['view', 'rollout', 'set', 'power', 'destroy', 'create'].map((verb) =>
        mayOnCluster(both, verb as 'view', 'test-1'),
      ),
    ).toEqual([true, true, true, false, false, false])
    expect(mayOnCluster(both, 'rollout', 'prod')).toBe(false)
  })
})

describe('a verb that is missing', () => {
  const principal = (clusters: AccessRule['clusters']) => ({
    identity: 'a',
    type: 'p',
    policyName: 'p',
    rule: rule(clusters),
  })

  it('is named, each of them', () => {
    const some = principal([{ names: ['prod'], verbs: ['view'] }])
    expect(() => requireVerbs(some, 'prod', 'view')).not.toThrow()
    expect(() => requireVerbs(some, 'prod', ...verbsFor('Rollout', true))).toThrowError(
      expect.objectContaining({
        reason: 'cluster_forbidden',
        status: 403,
        details: expect.objectContaining({ detail: expect.stringContaining('`rollout` and `set` on cluster prod') }),
      }),
    )
  })

  it('follows from the type of the operation', () => {
    expect(
      (['Rollout', 'Upgrade', 'Scale', 'Start', 'Stop', 'Destroy'] as const).map((type) => verbsFor(type)),
    ).toEqual([['rollout'], ['rollout'], ['rollout'], ['power'], ['power'], ['destroy']])
  })
})

import { describe, expect, it } from 'vitest'
import { parseObject } from '../parse.ts'
import {
  withAccessPolicyDefaults,
  withBootstrapConfigDefaults,
  withClusterInstanceDefaults,
  withClusterLeaseDefaults,
  withClusterPoolDefaults,
} from './defaults.ts'

const cluster = { version: 'v1.36.0' }

describe('defaults', () => {
  it('of a pool are the documented ones', () => {
    const pool = withClusterPoolDefaults({ metadata: { name: 'ci' }, spec: { cluster } })
    expect(pool).toEqual({
      apiVersion: 'kobe.kunobi.ninja/v1alpha1',
      kind: 'ClusterPool',
      metadata: { name: 'ci' },
      spec: {
        size: 3,
        ttl: '2h',
        backend: { type: 'k3s' },
        cluster: { version: 'v1.36.0', servers: 1, serverArgs: [] },
        addons: [],
        bootstraps: [],
        healthCheck: { intervalSeconds: 30, failureThreshold: 3 },
        readinessGates: [],
        upgradePolicy: { maxRecycling: 1, maxSurge: 1 },
      },
    })
  })

  it('of scaling and its back-off are the documented ones', () => {
    const { scaling } = withClusterPoolDefaults({ metadata: {}, spec: { cluster, scaling: {} } }).spec
    expect(scaling).toEqual({
      minReady: 1,
      maxClusters: 8,
      scaleUpThreshold: 0,
      scaleDownAfter: '5m',
      queueTimeout: '5m',
      creatingTimeout: '10m',
      failureBackoff: { base: '5s', multiplier: 2, max: '2m' },
    })
  })

  it('of a lease are the documented ones', () => {
    const requester = { type: 'token', identity: 'me' }
    const lease = withClusterLeaseDefaults({ metadata: {}, spec: { poolRef: 'ci', ttl: '1h', requester }, status: {} })
    expect(lease.spec).toMatchObject({ priority: 50, cleanupMode: 'Standard', allowStale: true })
    expect(lease.status).toEqual({ phase: 'Pending', queuePosition: 0, extensionsCount: 0, maxExtensions: 0 })
  })

  it('of an instance, a bootstrap and a policy are the documented ones', () => {
    const instance = withClusterInstanceDefaults({ metadata: {}, spec: { poolRef: { name: 'ci' } }, status: {} })
    expect(instance.status).toEqual({
      phase: 'Creating',
      provisioned: false,
      bootstrapped: false,
      healthFailures: 0,
      teardownIdentities: [],
    })
    expect(withBootstrapConfigDefaults({ metadata: {}, spec: { job: { image: 'busybox' } } }).spec).toEqual({
      files: {},
      job: { image: 'busybox', command: [], args: [], env: {} },
    })
    const rules = [{ pools: ['*'], maxTtl: '1h', maxConcurrentLeases: 1 }]
    const policy = withAccessPolicyDefaults({ metadata: {}, spec: { auth: { oidc: { issuer: 'i' } }, rules } })
    expect(policy.spec).toMatchObject({
      identity: '{sub}',
      auth: { oidc: { algorithms: ['RS256'], audience: [], authorizedParties: [] } },
      rules: [{ maxExtensions: 2 }],
    })
  })

  it('leave their input alone, share nothing between objects, and change nothing the second time', () => {
    const input = Object.freeze({ metadata: {}, spec: Object.freeze({ cluster: Object.freeze(cluster) }) })
    const first = withClusterPoolDefaults(input)
    first.spec.cluster.serverArgs.push('changed')
    const second = withClusterPoolDefaults(input)
    expect(second.spec.cluster.serverArgs).toEqual([])
    expect(withClusterPoolDefaults(second)).toEqual(second)
    expect(parseObject('ClusterPool', second)).toEqual({ ok: true, value: second })
  })

  it('never fill a block that may be left out', () => {
    const { spec } = withClusterPoolDefaults({ metadata: {}, spec: { cluster } })
    expect(Object.keys(spec)).not.toContain('snapshot')
    expect(Object.keys(spec)).not.toContain('scaling')
  })
})

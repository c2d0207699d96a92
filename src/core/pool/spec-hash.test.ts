import { describe, expect, test } from 'vitest'
import type { BootstrapConfig } from '../../api/v1alpha1/bootstrap-config.ts'
import type { PoolSpec } from '../../api/v1alpha1/cluster-pool.ts'
import { aPool, scaling } from '../testing/builders.ts'
import { explainDrift, type SpecHashFacts, specHash, specHashInputs, specHashText } from './spec-hash.ts'

const sources = (spec: Partial<PoolSpec> = {}, over: Partial<SpecHashFacts> = {}): SpecHashFacts => ({
  pool: aPool(spec),
  operator: {},
  bootstraps: [],
  fingerprint: { image: 'a' },
  ...over,
})
const text = (from: SpecHashFacts): string => specHashText(specHashInputs(from))
const cluster = (over: Partial<PoolSpec['cluster']> = {}) => ({
  version: 'v1.36.0',
  servers: 1,
  serverArgs: [],
  ...over,
})
const bootstrap = (files: Record<string, string>): BootstrapConfig => ({ metadata: { name: 'seed' }, spec: { files } })

describe('the spec hash', () => {
  test('is the first 16 hex digits of what is injected', () => {
    expect(specHash(specHashInputs(sources()), () => '0123456789abcdef'.repeat(4))).toBe('0123456789abcdef')
  })

  test.each<[string, SpecHashFacts, SpecHashFacts]>([
    ['the size', sources(), sources({ size: 9 })],
    ['scaling', sources(), sources({ scaling: scaling() })],
    ['the ttl', sources(), sources({ ttl: '9h' })],
    ['the upgrade policy', sources(), sources({ upgradePolicy: { maxRecycling: 0, maxSurge: 0 } })],
    ['the health check', sources(), sources({ healthCheck: { intervalSeconds: 1, failureThreshold: 1 } })],
    ['the gates', sources(), sources({ readinessGates: [{ type: 'DNSHealthy' }] })],
    ['the order of keys', sources({ cluster: { serverArgs: [], servers: 1, version: 'v1.36.0' } }), sources()],
    [
      'a default spelled out',
      sources({ backend: { type: 'embedded', embedded: { storage: 'sqlite', isolation: 'process' } } }),
      sources(),
    ],
    ['no agents spelled out', sources({ cluster: cluster({ agents: 0 }) }), sources()],
    [
      'a limit repeated as request',
      sources({ resources: { limits: { cpu: 1 }, requests: { cpu: '1' } } }),
      sources({ resources: { limits: { cpu: '1' } } }),
    ],
    ['operator configuration of another backend', sources({}, { operator: { kobeSyncImage: 'x' } }), sources()],
    [
      'the block of a backend that is not used',
      sources({ backend: { type: 'embedded', vcluster: { values: 'x' } } }),
      sources(),
    ],
  ])('does not change with %s', (_name, left, right) => {
    expect(text(left)).toBe(text(right))
  })

  test.each<[string, SpecHashFacts]>([
    ['the version', sources({ cluster: cluster({ version: 'v1.37.0' }) })],
    ['the backend', sources({ backend: { type: 'embedded', embedded: { storage: 'memory', isolation: 'process' } } })],
    ['an addon', sources({ addons: [{ name: 'a', url: 'https://example.com/a.yaml' }] })],
    ['a bootstrap parameter', sources({ bootstraps: [{ name: 'seed', params: { a: '1' } }] })],
    ['resources', sources({ resources: { limits: { cpu: '2' } } })],
    ['the content of a BootstrapConfig', sources({}, { bootstraps: [bootstrap({ 'a.yaml': 'x' })] })],
    ['what the backend would make', sources({}, { fingerprint: { image: 'b' } })],
  ])('changes with %s', (_name, changed) => {
    expect(text(changed)).not.toBe(text(sources()))
  })

  test('KOBE_SYNC_IMAGE counts for vkobe pools', () => {
    const vkobe = (kobeSyncImage: string) =>
      text(sources({ backend: { type: 'vkobe' } }, { operator: { kobeSyncImage } }))
    expect(vkobe('a')).not.toBe(vkobe('b'))
  })
})

describe('explainDrift', () => {
  const explain = (left: SpecHashFacts, right: SpecHashFacts) =>
    explainDrift(specHashInputs(left), specHashInputs(right))

  test('says nothing when nothing changed', () => {
    expect(explain(sources(), sources({ size: 9 }))).toEqual([])
  })

  test('names source, place, before and after of each change', () => {
    const changed = sources(
      { cluster: cluster({ version: 'v1.37.0' }), addons: [{ name: 'a', url: 'https://example.com/a.yaml' }] },
      { fingerprint: { image: 'b' } },
    )
    expect(explain(sources(), changed)).toEqual([
      { source: 'spec', path: 'addons[0]', after: { name: 'a', url: 'https://example.com/a.yaml' } },
      { source: 'spec', path: 'cluster.version', before: 'v1.36.0', after: 'v1.37.0' },
      { source: 'workload', path: 'image', before: 'a', after: 'b' },
    ])
  })
})

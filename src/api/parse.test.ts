import { describe, expect, it } from 'vitest'
import { parseObject } from './parse.ts'

const pool = (spec: object) => ({ metadata: { name: 'ci' }, spec: { cluster: { version: 'v1' }, ...spec } })

describe('parseObject', () => {
  it('answers the object with its defaults', () => {
    const parsed = parseObject('ClusterPool', pool({ scaling: { minReady: 0 } }))
    expect(parsed).toMatchObject({
      ok: true,
      value: {
        spec: {
          size: 3,
          backend: { type: 'k3s' },
          scaling: { minReady: 0, maxClusters: 8 },
          upgradePolicy: { maxSurge: 1 },
        },
      },
    })
  })

  it.each([
    ['nothing', null, '', 'must be an object of kind ClusterPool'],
    ['a list', [], '', 'must be an object of kind ClusterPool'],
    ['another kind', { ...pool({}), kind: 'Pod' }, 'kind', 'must be ClusterPool'],
    ['another group', { ...pool({}), apiVersion: 'v1' }, 'apiVersion', 'must be kobe.kunobi.ninja/v1alpha1'],
    ['no spec', { metadata: {} }, 'spec', 'is required'],
    ['no version', pool({ cluster: {} }), 'spec.cluster.version', 'is required'],
    ['a number as text', pool({ size: '3' }), 'spec.size', 'must be integer'],
    ['a negative number', pool({ size: -1 }), 'spec.size', 'must be >= 0'],
    ['a fraction', pool({ size: 1.5 }), 'spec.size', 'must be integer'],
    [
      'an unknown backend',
      pool({ backend: { type: 'kind' } }),
      'spec.backend.type',
      'must be one of k3s, k0s, capi, vkobe, vcluster, embedded',
    ],
    [
      'a duration in days',
      pool({ ttl: '1d' }),
      'spec.ttl',
      'must be a duration greater than zero in hours, minutes and seconds, such as 30m or 1h30m',
    ],
    [
      'a bad moment',
      { ...pool({}), status: { nextAttemptAt: '2026-02-30T00:00:00Z' } },
      'status.nextAttemptAt',
      'must be a moment in RFC 3339, such as 2026-01-31T12:00:00Z',
    ],
  ])('names the field and says what is wrong: %s', (_what, value, field, message) => {
    expect(parseObject('ClusterPool', value)).toEqual({ ok: false, errors: [{ field, message }] })
  })

  it('reports every error at once', () => {
    const parsed = parseObject('ClusterPool', pool({ size: -1, addons: [{ name: '' }] }))
    expect(parsed.ok ? [] : parsed.errors.map((error) => error.field)).toEqual(['spec.size', 'spec.addons[0].name'])
  })

  it.each([
    ['CRDExists', {}, ['name']],
    ['NodesReady', {}, ['count']],
    ['DeploymentReady', { namespace: 'a' }, ['name']],
    ['DaemonSetReady', {}, ['name', 'namespace']],
    ['URLHealthy', {}, ['url']],
  ])('asks a gate of type %s for its fields and for no others', (type, fields, missing) => {
    const gates = [{ type: 'AddonsReady' }, { type, ...fields }]
    const errors = missing.map((field) => ({ field: `spec.readinessGates[1].${field}`, message: 'is required' }))
    expect(parseObject('ClusterPool', pool({ readinessGates: gates }))).toEqual({ ok: false, errors })
  })

  it('judges each gate by itself', () => {
    const gates = [
      { type: 'CRDExists', name: 'a' },
      { type: 'NodesReady' },
      { type: 'CRDExists' },
      { type: 'Nonsense' },
    ]
    const parsed = parseObject('ClusterPool', pool({ readinessGates: gates }))
    expect(parsed.ok ? [] : parsed.errors.map((error) => error.field)).toEqual([
      'spec.readinessGates[1].count',
      'spec.readinessGates[2].name',
      'spec.readinessGates[3].type',
    ])
  })

  it('takes quantities as text and as whole numbers', () => {
    const resources = (cpu: unknown) => parseObject('ClusterPool', pool({ resources: { limits: { cpu } } })).ok
    expect([resources('500m'), resources(2), resources({})]).toEqual([true, true, false])
  })

  it('keeps unknown fields unless told to refuse them', () => {
    const value = pool({ sise: 3, cluster: { version: 'v1', verison: 'v2' } })
    expect(parseObject('ClusterPool', value).ok).toBe(true)
    expect(parseObject('ClusterPool', value, { unknownFields: 'reject' })).toMatchObject({
      errors: [
        { field: 'spec.sise', message: 'is not a known field' },
        { field: 'spec.cluster.verison', message: 'is not a known field' },
      ],
    })
  })

  it('never takes a field of the prototype for one of the object', () => {
    expect(parseObject('BootstrapConfig', JSON.parse('{"metadata":{},"spec":{"files":{"__proto__":"x"}}}')).ok).toBe(
      true,
    )
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  })
})

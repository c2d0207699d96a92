import { describe, expect, it } from 'vitest'
import { customResourceDefinitions } from './crds.ts'
import { INSTANCE_PHASES, InstancePhase, LEASE_PHASES, LeasePhase, POOL_PHASES, PoolPhase } from './phases.ts'
import { GATE_REQUIRED_FIELDS, GATE_TYPES } from './pool-policy.ts'
import { KOBE_RESOURCES } from './resources.ts'

const crds = customResourceDefinitions()

describe('customResourceDefinitions', () => {
  it('has one for each kind, under its public names', () => {
    expect(crds.map((crd) => [crd.metadata.name, crd.spec.names.shortNames?.[0]])).toEqual([
      ['clusterpools.kobe.kunobi.ninja', 'cp'],
      ['clusterinstances.kobe.kunobi.ninja', 'ci'],
      ['clusterleases.kobe.kunobi.ninja', 'cl'],
      ['bootstrapconfigs.kobe.kunobi.ninja', 'bc'],
      ['accesspolicies.kobe.kunobi.ninja', 'ap'],
      ['managedclusters.kobe.kunobi.ninja', 'mc'],
      ['nodeoperations.kobe.kunobi.ninja', 'nop'],
    ])
    expect(crds.map((crd) => crd.spec.names.plural)).toEqual(KOBE_RESOURCES.map((resource) => resource.plural))
    expect(crds.every((crd) => crd.spec.names.categories?.includes('kobe'))).toBe(true)
  })

  it('hands out fresh objects', () => {
    customResourceDefinitions()[0]!.spec.group = 'changed'
    expect(customResourceDefinitions()[0]?.spec.group).toBe('kobe.kunobi.ninja')
  })

  it('serves status where there is one, and scale for pools', () => {
    const subresources = crds.map((crd) => Object.keys(crd.spec.versions[0]?.subresources ?? {}))
    expect(subresources).toEqual([['status', 'scale'], ['status'], ['status'], [], [], ['status'], ['status']])
  })

  it('shows the documented columns', () => {
    const columns = crds.map((crd) =>
      crd.spec.versions[0]?.additionalPrinterColumns?.filter((column) => !column.priority).map((column) => column.name),
    )
    expect(columns.slice(0, 3)).toEqual([
      ['Phase', 'Ready', 'Leased', 'Creating', 'Failures', 'Age'],
      ['Phase', 'Pool', 'Lease', 'Age'],
      ['Pool', 'Phase', 'Cluster', 'Expires', 'Age'],
    ])
  })

  it('holds plain JSON only', () => {
    expect(JSON.parse(JSON.stringify(crds))).toStrictEqual(crds)
  })
})

describe('closed sets', () => {
  it('list the same values as their constants', () => {
    expect(POOL_PHASES).toEqual(Object.values(PoolPhase))
    expect(INSTANCE_PHASES).toEqual(Object.values(InstancePhase))
    expect(LEASE_PHASES).toEqual(Object.values(LeasePhase))
    expect(GATE_TYPES).toEqual(Object.keys(GATE_REQUIRED_FIELDS))
  })
})

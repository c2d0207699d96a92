import { describe, expect, test } from 'vitest'
import type { Node } from '../../api/core-resources.ts'
import { withManagedClusterDefaults } from '../../api/v1alpha1/defaults.ts'
import { Annotation } from '../../api/v1alpha1/labels.ts'
import type { ManagedClusterInput } from '../../api/v1alpha1/managed-cluster.ts'
import type { Machine } from '../../providers/provider.ts'
import { groupMembers, markAnnotation } from './members.ts'

const cluster = (provider: ManagedClusterInput['spec']['provider'] = { type: 'simulated' }) =>
  withManagedClusterDefaults({
    metadata: { name: 'prod', namespace: 'n' },
    spec: {
      connection: { inCluster: true },
      provider,
      nodeGroups: [
        { name: 'control', type: 'control' },
        { name: 'fast', type: 'worker', selector: { matchLabels: { disk: 'ssd' } } },
        { name: 'far', type: 'worker', selector: { zones: ['z2'] } },
        { name: 'etcd', type: 'etcd' },
      ],
    },
  })

const node = (name: string, more: Partial<Node['metadata']> = {}, spec: Node['spec'] = {}): Node => ({
  metadata: { name, uid: `u-${name}`, resourceVersion: '1', ...more },
  spec,
  status: { conditions: [{ type: 'Ready', status: 'True' }], nodeInfo: { bootID: 'b' } },
})

const machine = (name: string, more: Partial<Machine> = {}): Machine => ({
  id: `m-${name}`,
  name,
  type: 'worker',
  state: 'Running',
  settings: {},
  dedicationGroups: [],
  ...more,
})

describe('members of a cluster', () => {
  test('a machine meets its Node by name or provider ID; a node is in the first group of its type that fits it', () => {
    const { members, ungrouped } = groupMembers(cluster(), {
      machines: [
        machine('a', { nodeName: 'a', zone: 'z2' }),
        machine('i-7', { providerID: 'cloud:///7' }),
        machine('e1', { type: 'etcd' }),
        machine('lost', { nodeName: 'lost' }),
      ],
      nodes: [
        node('a', { labels: { disk: 'ssd' } }),
        node('b', { labels: { 'topology.kubernetes.io/zone': 'z2' } }, { providerID: 'cloud:///7' }),
        node('c', { labels: { 'node-role.kubernetes.io/control-plane': '' } }),
      ],
    })
    expect(members.map(({ name, group, zone, machine: of }) => [name, group, zone, of?.id])).toEqual([
      ['a', 'fast', 'z2', 'm-a'],
      ['b', 'far', 'z2', 'm-i-7'],
      ['c', 'control', undefined, undefined],
      ['e1', 'etcd', undefined, 'm-e1'],
    ])
    expect(ungrouped).toEqual(['lost'])
  })

  test.each([
    ['none of it', {}, {}, 'none'],
    [
      'a cordon with our annotation',
      { annotations: { [Annotation.cordonedBy]: 'kobe-operator' } },
      { unschedulable: true },
      'ours',
    ],
    ['a cordon without it', {}, { unschedulable: true }, 'foreign'],
    [
      'our annotation alone, after somebody uncordoned it',
      { annotations: { [Annotation.cordonedBy]: 'x' } },
      {},
      'none',
    ],
  ])('%s', (_, meta, spec, cordon) => {
    const { members } = groupMembers(cluster(), {
      machines: [machine('a', { nodeName: 'a', zone: 'z2' })],
      nodes: [node('a', meta, spec)],
      ownNode: 'a',
    })
    expect(members[0]?.node).toMatchObject({ cordon, ready: true, bootId: 'b', holdsOperator: true })
  })

  test('the mark of a run has CloudStack’s own name with CloudStack', () => {
    const named = (provider: ManagedClusterInput['spec']['provider']) => markAnnotation(cluster(provider))
    expect(named({ type: 'simulated' })).toBe('kobe.kunobi.ninja/rollout-boot-id')
    expect(named({ type: 'cloudstack' })).toBe('cloudstack.apache.org/rollout-boot-id')
  })
})

import { describe, expect, it } from 'vitest'
import type { NodeSettings } from '../../api/v1alpha1/managed-cluster.ts'
import type { ClusterState } from '../../api/v1alpha1/node-phases.ts'
import { aManagedCluster, aMember, observedNodes, stopped, upToDate } from '../testing/node-builders.ts'
import type { AskedSettings } from './cluster-insight.ts'
import type { Member, ProviderProblem } from './model.ts'
import { groupsToStore, refuseStoring, settingsProblems } from './store-settings.ts'

interface Asked {
  readonly rollout?: boolean
  readonly group?: string
  readonly settings?: NodeSettings
  readonly members?: readonly Member[]
  readonly problems?: readonly ProviderProblem[]
}

const stacked = ['c1', 'c2', 'c3', 'w1', 'w2'].map((name) => aMember(name, upToDate))

function refusals({ rollout = true, group = 'worker', settings = {}, members = stacked, ...rest }: Asked): string[] {
  const cluster = aManagedCluster()
  const { nodeGroups, problems } = groupsToStore(cluster.spec.nodeGroups, { [group]: settings }, { members })
  const observed = { ...observedNodes(members), cluster }
  const found = settingsProblems(observed, { rollout, nodeGroups, problems: new Map([[group, rest.problems ?? []]]) })
  return [...problems, ...found].map(({ reason, message }) => `${reason}: ${message}`)
}

describe('C4, C11: when settings may be stored', () => {
  it.each<[ClusterState, string | undefined]>([
    ['Running', undefined],
    ['Alert', undefined],
    ['Created', undefined],
    ['Stopped', undefined],
    ['Error', undefined],
    ['Destroying', 'StateRefused'],
  ])('C4: %s: %s', (state, reason) => {
    expect(refuseStoring(aManagedCluster({}, { state }))?.reason).toBe(reason)
  })

  it('C11: never while an operation holds the cluster, whose name is told', () => {
    const since = { startedAt: '2026-01-05T12:00:00Z', from: 'Running' as const }
    const operation = { name: 'roll', uid: 'op-1', type: 'Rollout' as const, ...since }
    expect(refuseStoring(aManagedCluster({}, { state: 'Updating', operation }))).toEqual({
      reason: 'ClusterBusy',
      message: 'operation roll (Rollout) holds the cluster since 2026-01-05T12:00:00Z: wait for its end, or cancel it',
    })
  })

  it('C4: not in one that is being deleted', () => {
    const cluster = aManagedCluster()
    const metadata = { ...cluster.metadata, deletionTimestamp: '2026-01-05T12:00:00Z' }
    expect(refuseStoring({ ...cluster, metadata })?.reason).toBe('StateRefused')
  })
})

describe('C8: disks', () => {
  it('C8: a rollout does not shrink a disk; storing alone is fine', () => {
    expect(refusals({ settings: { rootDiskSizeGB: 10 } })).toEqual([
      'SettingsRefused: group worker: the disk of w1 has 20 GB and cannot shrink to 10 GB: want 20 GB or more',
    ])
    const problems = [{ field: 'rootDiskSizeGB' as const, message: 'disks never shrink', onlyForExisting: true }]
    expect(refusals({ settings: { rootDiskSizeGB: 10 }, problems })).toHaveLength(1)
    expect(refusals({ settings: { rootDiskSizeGB: 10 }, rollout: false })).toEqual([])
    expect(refusals({ settings: { rootDiskSizeGB: 30 } })).toEqual([])
  })

  it('C8: a disk of fixed size is refused for nodes that exist only', () => {
    const message = 'the disk offering has a fixed size'
    const problem = { field: 'rootDiskSizeGB' as const, message, onlyForExisting: true }
    const settings = { rootDiskSizeGB: 30 }
    expect(refusals({ problems: [problem], settings })).toEqual([
      `SettingsRefused: group worker: rootDiskSizeGB: ${message}`,
    ])
    expect(refusals({ problems: [problem], settings, rollout: false })).toEqual([])
    expect(refusals({ problems: [{ ...problem, onlyForExisting: false }], settings, rollout: false })).toHaveLength(1)
  })

  it('C8: a size that the disks have already is no change', () => {
    const problems = [{ field: 'rootDiskSizeGB' as const, message: 'fixed', onlyForExisting: true }]
    expect(refusals({ problems, settings: { rootDiskSizeGB: 20 } })).toEqual([])
  })
})

describe('C9: dedication groups', () => {
  it('C9: are refused as input', () => {
    const members = [...stacked, aMember('w3', { machine: { dedicationGroups: ['dedicated-1'] } })]
    expect(refusals({ members, settings: { affinityGroups: ['a', 'dedicated-1'] }, rollout: false })).toEqual([
      'SettingsRefused: group worker: affinity group dedicated-1 dedicates hosts and is kept by itself: leave it out',
    ])
  })
})

describe('C10: types that can lose none', () => {
  const one = [aMember('c1', upToDate), aMember('w1', upToDate), aMember('w2', upToDate)]
  const change = { offering: 'v3' }

  it.each<[string, Asked, number]>([
    [
      'a rollout that would restart the only control node is refused',
      { members: one, group: 'control', settings: change },
      1,
    ],
    ['storing it is fine', { members: one, group: 'control', settings: change, rollout: false }, 0],
    ['settings that change nothing are fine', { members: one, group: 'control', settings: { offering: 'v2' } }, 0],
    [
      'a node that differs already is fine',
      { members: [aMember('c1'), ...one.slice(1)], group: 'control', settings: change },
      0,
    ],
    [
      'a stopped node is fine',
      {
        members: [aMember('c1', { ...upToDate, machine: { ...upToDate.machine, state: 'Stopped' } }), ...one.slice(1)],
        group: 'control',
        settings: change,
      },
      0,
    ],
    [
      'two stacked control nodes are refused',
      { members: [...one, aMember('c2', upToDate)], group: 'control', settings: change },
      1,
    ],
    ['three are fine', { group: 'control', settings: change }, 0],
    ['workers are fine', { members: one, settings: change }, 0],
    [
      'two machines of etcd are refused',
      { members: [...stacked, aMember('e1', upToDate), aMember('e2', upToDate)], group: 'etcd', settings: change },
      1,
    ],
  ])('C10: %s', (_name, asked, refused) => {
    expect(refusals(asked)).toHaveLength(refused)
  })

  it('C10: the refusal names the node and the reason', () => {
    expect(refusals({ members: one, group: 'control', settings: change })).toEqual([
      'SettingsRefused: group control: c1 would have to be restarted: the only control node: no other serves the API meanwhile',
    ])
  })
})

describe('C6: a cluster from before groups had settings', () => {
  const groups = aManagedCluster({
    nodeGroups: [
      { name: 'control', type: 'control' },
      { name: 'worker', type: 'worker' },
    ],
  }).spec.nodeGroups
  const stored = (asked: AskedSettings, from: Parameters<typeof groupsToStore>[2], of = groups) =>
    groupsToStore(of, asked, from).nodeGroups.map(({ settings }) => settings)
  const grouped = (name: string, affinityGroups: string[]) =>
    aMember(name, { ...stopped, machine: { settings: { offering: 'v1', affinityGroups } } })

  it('C6: the settings of the cluster are copied to each group, so that changing one leaves the others; images never', () => {
    const clusterWide = { offering: 'medium', rootDiskSizeGB: 20, image: 'i' }
    expect(stored({ worker: { offering: 'large' } }, { clusterWide, members: [] })).toEqual([
      { offering: 'medium', rootDiskSizeGB: 20 },
      { offering: 'large', rootDiskSizeGB: 20 },
    ])
  })

  it('C6: affinity groups that all nodes of a group share are recorded', () => {
    const members = [grouped('w1', ['a', 'b']), grouped('w2', ['b', 'a']), grouped('c1', ['x']), grouped('c2', ['y'])]
    expect(stored({ worker: { offering: 'large' } }, { members })).toEqual([
      {},
      { affinityGroups: ['a', 'b'], offering: 'large' },
    ])
  })

  it('C6: only the first time: a group that leaves something open later keeps it open', () => {
    const later = groups.map((group) =>
      group.name === 'worker' ? { ...group, settings: { offering: 'large' } } : group,
    )
    const from = { clusterWide: { offering: 'medium' }, members: [grouped('w1', ['a'])] }
    expect(stored({ worker: { rootDiskSizeGB: 40 } }, from, later)).toEqual([
      {},
      { offering: 'large', rootDiskSizeGB: 40 },
    ])
  })

  it('there is no such group', () => {
    expect(refusals({ group: 'gpu' })).toEqual(['SettingsRefused: there is no node group or type gpu'])
  })
})

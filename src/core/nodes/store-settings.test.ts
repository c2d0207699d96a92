import { describe, expect, it } from 'vitest'
import type { NodeSettings } from '../../api/v1alpha1/managed-cluster.ts'
import type { ClusterState } from '../../api/v1alpha1/node-phases.ts'
import { aManagedCluster, aMember, observedNodes, stopped, upToDate } from '../testing/node-builders.ts'
import type { Member, ProviderProblem } from './model.ts'
import { firstSettings, refuseStoring, settingsProblems, withSettings } from './store-settings.ts'

interface Asked {
  readonly rollout?: boolean
  readonly group?: string
  readonly settings?: NodeSettings
  readonly members?: readonly Member[]
  readonly state?: ClusterState
  readonly problems?: readonly ProviderProblem[]
  readonly held?: boolean
}

const stacked = ['c1', 'c2', 'c3', 'w1', 'w2'].map((name) => aMember(name, upToDate))

function refusals({ rollout = true, group = 'worker', settings = {}, members = stacked, ...rest }: Asked): string[] {
  const operation = {
    name: 'roll',
    uid: 'op-1',
    type: 'Rollout' as const,
    startedAt: '2026-01-05T12:00:00Z',
    from: 'Running' as const,
  }
  const cluster = aManagedCluster({}, { state: rest.state ?? 'Running', ...(rest.held === true ? { operation } : {}) })
  const { nodeGroups, problems } = withSettings(cluster.spec.nodeGroups, { [group]: settings })
  const observed = { ...observedNodes(members), cluster }
  const found = settingsProblems(observed, { rollout, nodeGroups, problems: new Map([[group, rest.problems ?? []]]) })
  return [...problems, ...(refuseStoring(cluster) === undefined ? [] : [refuseStoring(cluster)!]), ...found].map(
    ({ reason, message }) => `${reason}: ${message}`,
  )
}

describe('C4, C11: when settings may be stored', () => {
  it.each<[ClusterState, number]>([
    ['Running', 0],
    ['Alert', 0],
    ['Created', 0],
    ['Stopped', 0],
    ['Error', 0],
    ['Destroying', 1],
  ])('C4: %s: refused for %i reason(s)', (state, reasons) => {
    expect(refusals({ state, rollout: false })).toHaveLength(reasons)
  })

  it('C11: never while an operation holds the cluster, whose name is told', () => {
    for (const rollout of [true, false]) {
      expect(refusals({ held: true, rollout, state: 'Updating' })).toEqual([
        'ClusterBusy: operation roll (Rollout) holds the cluster: settings can be stored when it has ended',
      ])
    }
  })
})

describe('C8: disks', () => {
  it('C8: a rollout does not shrink a disk; storing alone is fine', () => {
    expect(refusals({ settings: { rootDiskSizeGB: 10 } })).toEqual([
      'SettingsRefused: group worker: the disk of w1 has 20 GB and cannot shrink to 10 GB: want 20 GB or more',
    ])
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
      { name: 'worker', type: 'worker', settings: { offering: 'large' } },
    ],
  }).spec.nodeGroups
  const grouped = (name: string, affinityGroups: string[]) =>
    aMember(name, { ...stopped, machine: { settings: { offering: 'v1', affinityGroups } } })

  it('C6: the settings of the cluster are copied to each group that has none; images never', () => {
    const settings = firstSettings(groups, { offering: 'medium', rootDiskSizeGB: 20, image: 'i' }, [])
    expect(settings.map((group) => group.settings)).toEqual([
      { offering: 'medium', rootDiskSizeGB: 20 },
      { offering: 'large', rootDiskSizeGB: 20 },
    ])
  })

  it('C6: affinity groups that all nodes of a group share are recorded', () => {
    const members = [grouped('w1', ['a', 'b']), grouped('w2', ['b', 'a']), grouped('c1', ['x']), grouped('c2', ['y'])]
    const settings = firstSettings(groups, {}, members)
    expect(settings.map((group) => group.settings)).toEqual([{}, { affinityGroups: ['a', 'b'], offering: 'large' }])
  })

  it('there is no such group', () => {
    expect(refusals({ group: 'gpu' })).toEqual(['SettingsRefused: there is no node group or type gpu'])
  })
})

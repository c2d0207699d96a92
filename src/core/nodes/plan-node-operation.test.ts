import { describe, expect, it } from 'vitest'
import { Finalizer } from '../../api/v1alpha1/labels.ts'
import type { ManagedClusterInput, ManagedClusterStatus, NodeSettings } from '../../api/v1alpha1/managed-cluster.ts'
import type { NodeOperationInput } from '../../api/v1alpha1/node-operation.ts'
import { MINUTE, T0 } from '../testing/builders.ts'
import {
  aManagedCluster,
  aMember,
  aNodeOperation,
  CAN_RESTART,
  type HeldOptions,
  heldNodes,
  observedNodes,
  stopped,
  upToDate,
} from '../testing/node-builders.ts'
import type { Member, NodesObserved } from './model.ts'
import { planNodeOperation } from './plan-node-operation.ts'

const members = ['c1', 'c2', 'c3', 'w1', 'w2'].map((name) => aMember(name))
const enter = (over: Partial<NodesObserved> = {}) => planNodeOperation(observedNodes(members, over), T0)
const withWorkers = (settings: NodeSettings) =>
  aManagedCluster({ nodeGroups: [{ name: 'worker', type: 'worker', settings }] })
const holder = {
  name: 'other',
  uid: 'op-9',
  type: 'Rollout',
  startedAt: '2026-01-05T11:00:00Z',
  from: 'Running',
} as const

describe('P1, P2: taking the cluster', () => {
  it('P2: the finalizer comes first, alone', () => {
    const operation = aNodeOperation({}, { metadata: { name: 'roll', uid: 'op-1', finalizers: [] } })
    expect(enter({ operation })).toMatchObject({ actions: [{ kind: 'AddFinalizer' }], status: { phase: 'Pending' } })
  })

  it('P2: one compare-and-set enters the state, before anything is touched', () => {
    const { actions } = enter()
    expect(actions).toMatchObject([
      {
        kind: 'SetCluster',
        resourceVersion: '7',
        status: { state: 'Updating', operation: { name: 'roll', uid: 'op-1', from: 'Running', entered: 'Updating' } },
      },
    ])
  })

  it('P1: the loser fails without touching the cluster, and names the holder', () => {
    const cluster = aManagedCluster({}, { state: 'Updating', operation: holder })
    const { actions, status } = enter({ cluster })
    expect(actions).toEqual([])
    expect(status).toMatchObject({
      phase: 'Failed',
      message: 'operation other (Rollout) holds the cluster since 2026-01-05T11:00:00Z',
    })
  })

  it('P1: a namesake with another UID is another operation', () => {
    const cluster = aManagedCluster({}, { state: 'Updating', operation: { ...holder, name: 'roll' } })
    expect(enter({ cluster }).status.phase).toBe('Failed')
  })

  it.each<[string, Partial<NodesObserved>, string]>([
    [
      'P4: a state without a transition',
      { cluster: aManagedCluster({}, { state: 'Stopped' }) },
      'starts from Running, Alert',
    ],
    [
      'a type that is not carried out',
      { operation: aNodeOperation({ type: 'Upgrade', version: 'v1' }) },
      'not carried out',
    ],
    ['a strategy that is not carried out', { operation: aNodeOperation({ strategy: 'Replace' }) }, 'use Restart'],
    ['a provider that cannot restart', { capabilities: { ...CAN_RESTART, restart: false } }, 'cannot stop and start'],
    [
      'a setting that the provider cannot change',
      { capabilities: { ...CAN_RESTART, changes: new Set<never>() } },
      'cannot change offering',
    ],
    [
      'C8: a stored disk that is smaller than one of the nodes',
      { cluster: withWorkers({ rootDiskSizeGB: 10 }) },
      'the disk of w1 has 20 GB and cannot shrink to 10 GB',
    ],
    [
      'C8: a stored size for a disk that cannot be resized',
      {
        cluster: withWorkers({ rootDiskSizeGB: 40 }),
        problems: new Map([['worker', [{ field: 'rootDiskSizeGB', message: 'it is fixed', onlyForExisting: true }]]]),
      },
      'group worker: rootDiskSizeGB: it is fixed',
    ],
    [
      'C9: a stored group that dedicates hosts',
      {
        cluster: withWorkers({ affinityGroups: ['d'] }),
        members: [...members, aMember('w3', { machine: { dedicationGroups: ['d'] } })],
      },
      'affinity group d dedicates hosts',
    ],
  ])('%s is refused with the reason', (_name, over, message) => {
    const { actions, status } = enter(over)
    expect(actions).toEqual([])
    expect(status.phase).toBe('Failed')
    expect(status.message).toContain(message)
    expect(status.conditions?.find(({ type }) => type === 'Stalled')?.status).toBe('True')
  })

  it('a provider that cannot be asked about the settings is waited for, before the cluster is taken', () => {
    const { actions, status, requeueAfterMs } = enter({ problems: 'unknown' })
    expect(actions).toEqual([])
    expect(status.phase).toBe('Pending')
    expect(requeueAfterMs).toBeGreaterThan(0)
  })

  it('cancelled before it began, it never takes the cluster', () => {
    expect(enter({ operation: aNodeOperation({ cancel: true }) })).toMatchObject({
      actions: [],
      status: { phase: 'Cancelled' },
    })
  })
})

describe('C5: storing the settings', () => {
  const storing = (
    operation: Partial<NodeOperationInput['spec']>,
    now = T0,
    spec: Partial<ManagedClusterInput['spec']> = {},
  ) => {
    const held = heldNodes(members, { operation, spec })
    const { wanted: _none, ...rest } = held.cluster.status!.operation!
    const status: ManagedClusterStatus = { ...held.cluster.status, operation: rest }
    return planNodeOperation({ ...held, cluster: { ...held.cluster, status } }, now)
  }

  it('C5: the state is entered first, then the settings are waited for', () => {
    const operation = aNodeOperation({ settingsStored: false })
    expect(enter({ operation }).actions[0]).not.toHaveProperty('status.operation.wanted')
    expect(storing({ settingsStored: false })).toMatchObject({ actions: [] })
  })

  it('C5: once they are stored they are fixed for the run', () => {
    expect(storing({}).actions[0]).toMatchObject({
      status: {
        operation: {
          wanted: [{ name: 'etcd' }, { name: 'control' }, { name: 'worker', settings: { offering: 'v2' } }],
        },
      },
    })
  })

  it('C5: a requester that never comes back does not hold the cluster for ever', () => {
    const { actions } = storing({ settingsStored: false }, T0 + 30 * MINUTE)
    expect(actions[0]).toMatchObject({
      status: { operation: { outcome: { phase: 'Failed', reason: 'StoringSettings' } } },
    })
  })

  it('C8: settings that break a rule are refused when they are there: nothing is begun, the cluster is given back', () => {
    const nodeGroups = [{ name: 'worker', type: 'worker' as const, settings: { rootDiskSizeGB: 10 } }]
    expect(storing({}, T0, { nodeGroups }).actions[0]).toMatchObject({
      status: { operation: { outcome: { phase: 'Failed', reason: 'SettingsRefused' } } },
    })
  })

  it('an edit of the spec during a run waits for the next one', () => {
    const held = heldNodes(['c1', 'c2', 'c3', 'w1', 'w2'].map((name) => aMember(name, upToDate)))
    const nodeGroups = held.cluster.spec.nodeGroups.map((group) => ({ ...group, settings: { offering: 'v3' } }))
    const { actions } = planNodeOperation(
      { ...held, cluster: { ...held.cluster, spec: { ...held.cluster.spec, nodeGroups } } },
      T0,
    )
    expect(actions[0]).toMatchObject({ status: { operation: { outcome: { phase: 'Succeeded' } } } })
  })
})

describe('N7: frozen', () => {
  const freezes = [{ name: 'freeze', reason: 'incident 7' }]
  it.each<[string, HeldOptions]>([
    ['a freeze object', { over: { freezes } }],
    ['policy.freeze', { spec: { policy: { freeze: { reason: 'incident 7' } } } }],
  ])('N7: with %s nothing is claimed; the operation keeps the cluster', (_name, options) => {
    const { actions, status } = planNodeOperation(heldNodes(members, options), T0)
    expect(actions).toEqual([])
    expect(status).toMatchObject({ phase: 'Frozen', message: 'frozen: incident 7' })
  })

  it('N7: nodes that are worked on are finished', () => {
    const options = { over: { freezes }, batch: ['w1'] }
    expect(planNodeOperation(heldNodes(members, options), T0).actions).toMatchObject([{ kind: 'MarkNode', node: 'w1' }])
  })

  it('cancel is allowed all the same', () => {
    const { actions } = planNodeOperation(heldNodes(members, { over: { freezes }, operation: { cancel: true } }), T0)
    expect(actions[0]).toMatchObject({ status: { operation: { outcome: { phase: 'Cancelled' } } } })
  })
})

describe('between two batches', () => {
  const sick: Member[] = [...members.slice(0, 4), aMember('w2', { ...upToDate, node: { ready: false } })]
  const since = { holdSince: '2026-01-05T12:00:00Z' }

  it('the rest has to be well; since when it is not is remembered', () => {
    const { actions, status } = planNodeOperation(heldNodes(sick), T0)
    expect(actions[0]).toMatchObject({ status: { operation: since } })
    expect(status.message).toBe('waiting: 1 other node(s) are not Ready: w2')
    expect(planNodeOperation(heldNodes(sick, { holder: since }), T0).actions).toEqual([])
  })

  it('when that takes longer than nodeTimeout the run has failed', () => {
    const { actions } = planNodeOperation(heldNodes(sick, { holder: since }), T0 + 30 * MINUTE)
    expect(actions[0]).toMatchObject({
      status: { operation: { outcome: { phase: 'Failed', reason: 'PreflightFailed' } } },
    })
  })

  it('bakeTime passes', () => {
    const options = {
      spec: { pace: { bakeTime: '2m', canary: 'Off' as const } },
      holder: { lastBatchAt: '2026-01-05T12:00:00Z' },
    }
    expect(planNodeOperation(heldNodes(members, options), T0 + MINUTE).status.message).toContain(
      '2m since the last batch',
    )
    expect(planNodeOperation(heldNodes(members, options), T0 + 2 * MINUTE).actions[0]).toHaveProperty(
      'status.operation.batch',
    )
  })

  it('nothing left to do is a success', () => {
    const all = members.map(({ name }) => aMember(name, upToDate))
    expect(planNodeOperation(heldNodes(all), T0).actions[0]).toMatchObject({
      status: { operation: { outcome: { phase: 'Succeeded', message: 'every node was up to date' } } },
    })
  })
})

describe('Start and Stop', () => {
  const power = (type: 'Start' | 'Stop', nodes: readonly Member[], now = T0) => {
    const entered = type === 'Start' ? ('Starting' as const) : ('Stopping' as const)
    const held = heldNodes(nodes, { operation: { type }, holder: { type, entered } })
    return planNodeOperation(held, now).actions.map((action) =>
      'node' in action ? `${action.kind} ${action.node}` : action.kind,
    )
  }
  const down = (...names: string[]): Member[] => names.map((name) => aMember(name, stopped))

  it('a start goes etcd, control, workers, each tier when the one before it runs', () => {
    expect(power('Start', down('w1', 'c1', 'e1'))).toEqual(['StartMachine e1'])
    expect(power('Start', [...down('w1', 'c1', 'c2'), aMember('e1')])).toEqual(['StartMachine c1', 'StartMachine c2'])
    expect(power('Start', [...down('w1'), aMember('c1')])).toEqual(['StartMachine w1'])
    expect(power('Start', [aMember('w1'), aMember('c1')])).toEqual(['SetCluster'])
  })

  it('a stop goes the other way round', () => {
    expect(power('Stop', [aMember('w1'), aMember('c1')])).toEqual(['StopMachine w1'])
    expect(power('Stop', [...down('w1'), aMember('c1')])).toEqual(['StopMachine c1'])
    expect(power('Stop', down('w1', 'c1'))).toEqual(['SetCluster'])
  })

  it('what takes longer than nodeTimeout has failed', () => {
    expect(power('Start', down('w1'), T0 + 30 * MINUTE)).toEqual(['SetCluster'])
  })
})

describe('5,000 nodes', () => {
  const many: Member[] = [
    ...['c1', 'c2', 'c3'].map((name) => aMember(name, upToDate)),
    ...Array.from({ length: 5_000 }, (_none, at) => aMember(`w${at}-${'x'.repeat(40)}`)),
  ]

  it('both statuses stay under 200 KiB, with as many nodes in flight as there may be', () => {
    const options = { operation: { maxUnavailable: '50%' as const } }
    const [claim] = planNodeOperation(heldNodes(many, options), T0).actions
    if (claim?.kind !== 'SetCluster') throw new Error('no batch is claimed')
    expect(claim.status.operation?.batch?.nodes).toHaveLength(250)
    expect(JSON.stringify(claim.status).length).toBeLessThan(200 * 1024)
    const held = heldNodes(many, { ...options, batch: claim.status.operation!.batch!.nodes })
    expect(JSON.stringify(planNodeOperation(held, T0).status).length).toBeLessThan(200 * 1024)
  })
})

it('the finalizer is the documented one', () => {
  expect(aNodeOperation().metadata.finalizers).toEqual([Finalizer.nodeOperation])
})

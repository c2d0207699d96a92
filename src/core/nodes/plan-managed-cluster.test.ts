import { describe, expect, it } from 'vitest'
import type { ManagedClusterStatus, OperationHolder } from '../../api/v1alpha1/managed-cluster.ts'
import type { NodeOperation } from '../../api/v1alpha1/node-operation.ts'
import type { ClusterState } from '../../api/v1alpha1/node-phases.ts'
import { T0 } from '../testing/builders.ts'
import { aManagedCluster, aMember, aNodeOperation, observedNodes, stopped, upToDate } from '../testing/node-builders.ts'
import type { ManagedClusterObserved, Member } from './model.ts'
import { planManagedCluster } from './plan-managed-cluster.ts'

const well = ['c1', 'c2', 'c3', 'w1', 'w2'].map((name) => aMember(name))
const sick = [...well.slice(0, 4), aMember('w2', { node: { ready: false } })]

const observed = (
  status: ManagedClusterStatus,
  members: readonly Member[] = well,
  operations: NodeOperation[] = [],
): ManagedClusterObserved => ({
  ...observedNodes(members),
  cluster: aManagedCluster({}, status),
  operations,
})

const holder: OperationHolder = {
  name: 'roll',
  uid: 'op-1',
  type: 'Rollout',
  startedAt: '2026-01-05T12:00:00Z',
  from: 'Running',
  entered: 'Updating',
}

const next = (state: ClusterState, members: readonly Member[]) =>
  planManagedCluster(observed({ state }, members), T0).status.state

describe('the scanner', () => {
  it.each<[ClusterState, ClusterState, ClusterState]>([
    ['Created', 'Running', 'Alert'],
    ['Running', 'Running', 'Alert'],
    ['Alert', 'Recovering', 'Alert'],
    ['Recovering', 'Running', 'Alert'],
    ['Stopped', 'Stopped', 'Stopped'],
    ['Error', 'Error', 'Error'],
    ['Destroying', 'Destroying', 'Destroying'],
  ])('P5: %s becomes %s when the cluster is well, and %s when it is not', (from, healthy, unhealthy) => {
    expect(next(from, well)).toBe(healthy)
    expect(next(from, sick)).toBe(unhealthy)
  })

  it('P5: a cluster that an operation holds keeps its state, whatever its health', () => {
    const held = observed({ state: 'Updating', operation: holder }, sick, [aNodeOperation()])
    const { status } = planManagedCluster(held, T0)
    expect(status).toMatchObject({ state: 'Updating', operation: holder, rotation: 'Rotate' })
  })

  it('a cluster whose machines are all stopped is Stopped at the first look', () => {
    expect(next('Created', [aMember('c1', stopped), aMember('w1', stopped)])).toBe('Stopped')
  })

  it('no data moves nothing', () => {
    const blind = { ...observed({ state: 'Running' }, sick), nodesKnown: false }
    expect(planManagedCluster(blind, T0).status.state).toBe('Running')
  })

  it('a machine that is down is a reason for an alarm, even when the nodes cannot be read', () => {
    const blind = { ...observed({ state: 'Running' }, [...well, aMember('c4', stopped)]), nodesKnown: false }
    expect(planManagedCluster(blind, T0).status.state).toBe('Alert')
  })

  it('C28: never touches a node: all it does is to write the status, by compare-and-set', () => {
    const marked = aMember('w1', { node: { mark: 'boot-0', cordon: 'ours' } })
    const { actions } = planManagedCluster(observed({ state: 'Updating' }, [...well, marked]), T0)
    expect(actions).toMatchObject([{ kind: 'SetCluster', resourceVersion: '7' }])
  })

  it('C28: counts capacity, and what is out of date', () => {
    const { status } = planManagedCluster(observed({ state: 'Running' }, [...well, aMember('w3', upToDate)]), T0)
    expect(status.capacity).toEqual({ cpu: 12, memory: '24576Mi' })
    expect(status.groups).toEqual([
      { name: 'etcd', type: 'etcd', nodes: 0, ready: 0, outOfDate: 0, unavailable: 0 },
      { name: 'control', type: 'control', nodes: 3, ready: 3, outOfDate: 3, unavailable: 0 },
      { name: 'worker', type: 'worker', nodes: 3, ready: 3, outOfDate: 2, unavailable: 0 },
    ])
  })

  it('writes nothing when nothing changed', () => {
    const first = planManagedCluster(observed({ state: 'Running' }), T0).status
    expect(planManagedCluster(observed(first), T0 + 60_000).actions).toEqual([])
  })
})

describe('P6: operations that will never end', () => {
  it('P6: a cluster held by an operation that is gone goes to Alert, and says so', () => {
    const { status, notes } = planManagedCluster(observed({ state: 'Updating', operation: holder }), T0)
    expect(status).toMatchObject({
      state: 'Alert',
      lastError: 'OperationGone: operation roll is gone without having ended',
    })
    expect(status.operation).toBeUndefined()
    expect(status.lastOperation).toMatchObject({ uid: 'op-1', phase: 'Failed' })
    expect(notes[0]).toMatchObject({ reason: 'OperationGone', level: 'Warning' })
  })

  it('P6: a namesake of it is another one', () => {
    const namesake = aNodeOperation({}, { metadata: { name: 'roll', uid: 'op-2' } })
    expect(
      planManagedCluster(observed({ state: 'Updating', operation: holder }, well, [namesake]), T0).status.state,
    ).toBe('Alert')
  })

  it('P6: so does one in the state of an operation that nobody holds; healthy, it comes back through Recovering', () => {
    let status: ManagedClusterStatus = { state: 'Upgrading' }
    const seen: (string | undefined)[] = []
    for (let pass = 0; pass < 4; pass += 1) {
      status = planManagedCluster(observed(status), T0).status
      seen.push(status.state)
    }
    expect(seen).toEqual(['Alert', 'Recovering', 'Running', 'Running'])
  })

  it('P3: a claim is dropped without touching a state that the operation did not set', () => {
    const { status } = planManagedCluster(observed({ state: 'Destroying', operation: holder }), T0)
    expect(status.state).toBe('Destroying')
  })

  it('P7: a cluster is left alone while an operation that does not record its claim has not ended', () => {
    const old = aNodeOperation({}, { status: { phase: 'Running', startedAt: '2026-01-05T12:00:00Z' } })
    const { status, notes } = planManagedCluster(observed({ state: 'Updating' }, well, [old]), T0)
    expect(status.state).toBe('Updating')
    expect(notes[0]?.reason).toBe('LeftAlone')
  })
})

describe('conditions', () => {
  const types = (status: ManagedClusterStatus) =>
    (status.conditions ?? [])
      .filter(({ status: value }) => value === 'True')
      .map(({ type, reason }) => `${type} ${reason}`)

  it.each<[string, ManagedClusterObserved, string[]]>([
    ['a healthy cluster is Ready', observed({ state: 'Running' }), ['Ready Healthy']],
    ['an unhealthy one is Stalled', observed({ state: 'Alert' }, sick), ['Stalled Unhealthy']],
    [
      'one that is worked on is Reconciling',
      observed({ state: 'Updating', operation: holder }, sick, [aNodeOperation()]),
      ['Reconciling Operating'],
    ],
    ['a stopped one is Ready', observed({ state: 'Stopped' }), ['Ready Stopped']],
  ])('%s', (_name, given, expected) => {
    expect(types(planManagedCluster(given, T0).status)).toEqual(expected)
  })
})

import { describe, expect, it } from 'vitest'
import type { BatchNode } from '../../api/v1alpha1/managed-cluster.ts'
import { T0 } from '../testing/builders.ts'
import { aMember, type HeldOptions, heldNodes, stopped, upToDate } from '../testing/node-builders.ts'
import type { NodeAction } from './action.ts'
import type { Member, NodesObserved } from './model.ts'
import { planNodeOperation } from './plan-node-operation.ts'

const control = ['c1', 'c2', 'c3'].map((name) => aMember(name, upToDate))
const ours = { mark: 'boot-1', cordon: 'ours' as const }
type Holder = NonNullable<HeldOptions['holder']>
const failed = (reason: string): Holder => ({
  outcome: { phase: 'Failed', reason, message: `w1: ${reason}` },
})
const cancelled: Holder = { outcome: { phase: 'Cancelled', reason: 'Cancelled', message: 'cancelled' } }
const entry: BatchNode = { name: 'w1', bootId: 'boot-1', before: { offering: 'v1' } }

const kinds = (actions: readonly NodeAction[]): string[] =>
  actions.map((action) => ('node' in action ? `${action.kind} ${action.node}` : action.kind))

/** Passes to the end, with what they would write written; the nodes do not change by themselves. */
function toTheEnd(start: NodesObserved): { actions: string[]; end: NodesObserved } {
  let observed = start
  const actions: string[] = []
  for (let pass = 0; pass < 10; pass += 1) {
    const plan = planNodeOperation(observed, T0)
    actions.push(...kinds(plan.actions))
    const same = JSON.stringify(plan.status) === JSON.stringify(observed.operation.status)
    if (plan.actions.length === 0 && same) return { actions, end: observed }
    observed = { ...observed, operation: { ...observed.operation, status: plan.status } }
    for (const action of plan.actions) observed = written(observed, action)
  }
  throw new Error('it does not come to an end')
}

function written(observed: NodesObserved, action: NodeAction): NodesObserved {
  if (action.kind === 'SetCluster') return { ...observed, cluster: { ...observed.cluster, status: action.status } }
  if (action.kind === 'RemoveFinalizer')
    return {
      ...observed,
      operation: { ...observed.operation, metadata: { ...observed.operation.metadata, finalizers: [] } },
    }
  if (action.kind !== 'ReleaseNode') return observed
  const members = observed.members.map((member): Member => {
    if (member.name !== action.node || member.node === undefined) return member
    const { mark: _mark, ...node } = member.node
    return { ...member, node: { ...node, cordon: action.uncordon ? 'none' : node.cordon } }
  })
  return { ...observed, members }
}

const back = aMember('w1', { ...upToDate, node: { ...ours, bootId: 'boot-2' } })

describe('C26: the end of a run', () => {
  it.each<[string, Member, Holder, string]>([
    [
      'success',
      aMember('w1', upToDate),
      { outcome: { phase: 'Succeeded', reason: 'Succeeded', message: '' } },
      'Running',
    ],
    ['a failed drain', aMember('w1', { node: ours }), failed('DrainFailed'), 'Running'],
    ['a node that is back', back, failed('NodeTimeout'), 'Running'],
    ['a failed start', aMember('w1', { ...stopped, node: { ready: false, ...ours } }), failed('StartFailed'), 'Alert'],
    ['settings put back', aMember('w1', { node: { bootId: 'boot-2' } }), failed('Restored'), 'Alert'],
    ['a cancel', aMember('w1', upToDate), cancelled, 'Running'],
    ['an early exception', aMember('w1', { node: { mark: 'boot-1' } }), failed('NoData'), 'Running'],
  ])('C26: after %s the cluster is counted, let go and %s', (_name, w1, holder, state) => {
    const batch = w1.node?.mark === undefined ? undefined : [entry]
    const { end } = toTheEnd(heldNodes([...control, w1], { holder, ...(batch === undefined ? {} : { batch }) }))
    const { status } = end.cluster
    expect(status).toMatchObject({
      state,
      capacity: { cpu: 8, memory: '16384Mi' },
    })
    expect(status?.operation).toBeUndefined()
    expect(status?.lastOperation?.uid).toBe('op-1')
    expect(end.operation.metadata.finalizers).toEqual([])
  })

  it('C26: nodes that are back are given back, those that are not stay cordoned and are named', () => {
    const w2 = aMember('w2', { ...upToDate, node: { ...ours, ready: false } })
    const start = heldNodes([...control, back, w2], {
      batch: [entry, { ...entry, name: 'w2' }],
      holder: failed('NodeTimeout'),
    })
    const { actions, end } = toTheEnd(start)
    expect(actions).toEqual(['ReleaseNode w1', 'SetCluster', 'RemoveFinalizer'])
    expect(end.members.find(({ name }) => name === 'w2')?.node?.cordon).toBe('ours')
    expect(end.cluster.status?.lastError).toContain('w2: machine Running, cordoned by this run')
    expect(end.cluster.status?.state).toBe('Alert')
  })

  it('C26: nodes left marked by an earlier run are given back when they have a new boot ID, and not otherwise', () => {
    const same = aMember('w2', { ...upToDate, node: ours })
    const { actions } = toTheEnd(heldNodes([...control, back, same], { holder: cancelled }))
    expect(actions).toEqual(['ReleaseNode w1', 'SetCluster', 'RemoveFinalizer'])
  })

  it('N5: released twice is released once', () => {
    const first = toTheEnd(heldNodes([...control, back], { batch: [entry], holder: failed('NodeTimeout') }))
    expect(toTheEnd(first.end).actions).toEqual([])
    // The claim was let go, and the operation does not know yet: it is not taken again.
    const { status: _lost, ...operation } = first.end.operation
    const again = toTheEnd({ ...first.end, operation: { ...operation, status: { phase: 'Running' } } })
    expect(again.actions).toEqual([])
    expect(again.end.operation.status?.phase).toBe('Failed')
  })

  it('C26: lastError is cleared when all went well', () => {
    const holder = { outcome: { phase: 'Succeeded' as const, reason: 'Succeeded', message: '' } }
    const start = heldNodes(control.concat(aMember('w1', upToDate)), { holder })
    const status = { ...start.cluster.status, lastError: 'old' }
    const { end } = toTheEnd({ ...start, cluster: { ...start.cluster, status } })
    expect(end.cluster.status?.lastError).toBeUndefined()
  })

  it('a failure and what was left out are told together', () => {
    const members = [aMember('c1'), aMember('w1', { node: ours }), aMember('w2', upToDate)]
    const { end } = toTheEnd(heldNodes(members, { batch: [entry], holder: failed('DrainFailed') }))
    expect(end.cluster.status?.lastError).toContain('DrainFailed: w1: DrainFailed')
    expect(end.cluster.status?.lastError).toContain('left out: c1: the only control node')
  })

  it('P3: a cluster that is no longer in the state the operation set is left in its state', () => {
    const start = heldNodes([...control, back], { holder: failed('NodeTimeout') })
    const status = { ...start.cluster.status, state: 'Destroying' as const }
    expect(toTheEnd({ ...start, cluster: { ...start.cluster, status } }).end.cluster.status?.state).toBe('Destroying')
  })

  it('a stop ends although nobody serves the API any more', () => {
    const down = ['c1', 'c2', 'c3', 'w1'].map((name) => aMember(name, stopped))
    const holder: Holder = {
      type: 'Stop',
      entered: 'Stopping',
      outcome: { phase: 'Succeeded', reason: 'Succeeded', message: '' },
    }
    const start = heldNodes(down, { operation: { type: 'Stop' }, holder, over: { nodesKnown: false } })
    const status = { ...start.cluster.status, state: 'Stopping' as const }
    const { end } = toTheEnd({ ...start, cluster: { ...start.cluster, status } })
    expect(end.cluster.status?.state).toBe('Stopped')
    expect(end.cluster.status?.lastError).toBeUndefined()
  })

  it('waits for the nodes to be read', () => {
    const { actions, notes } = planNodeOperation(
      heldNodes([back], { holder: failed('NodeTimeout'), over: { nodesKnown: false } }),
      T0,
    )
    expect(actions).toEqual([])
    expect(notes[0]?.reason).toBe('NoData')
  })
})

describe('C25: cancel', () => {
  const operation = { cancel: true }

  it('C25: takes effect between two batches only', () => {
    const members = [...control, aMember('w1', { node: { mark: 'boot-1' } }), aMember('w2')]
    expect(kinds(planNodeOperation(heldNodes(members, { batch: [entry], operation }), T0).actions)).toEqual([
      'CordonNode w1',
    ])
    const idle = planNodeOperation(heldNodes([...control, aMember('w2')], { operation }), T0).actions[0]
    expect(idle).toMatchObject({ status: { operation: { outcome: { phase: 'Cancelled' } } } })
  })

  it('C25: counts while the settings are still being stored; the cluster is as it was, with its last error', () => {
    const start = heldNodes(control, { operation: { cancel: true, settingsStored: false }, holder: { from: 'Alert' } })
    const { wanted: _none, ...holder } = start.cluster.status!.operation!
    const status = { ...start.cluster.status, operation: holder, lastError: 'before' }
    const { end } = toTheEnd({ ...start, cluster: { ...start.cluster, status } })
    expect(end.cluster.status).toMatchObject({ state: 'Alert', lastError: 'before' })
    expect(end.operation.status?.phase).toBe('Cancelled')
  })

  it('deleting the operation is a cancel, and everything is released', () => {
    const start = heldNodes(control.concat(aMember('w1', upToDate)), {})
    const metadata = { ...start.operation.metadata, deletionTimestamp: '2026-01-05T12:00:00Z' }
    const { actions, end } = toTheEnd({ ...start, operation: { ...start.operation, metadata } })
    expect(actions).toEqual(['SetCluster', 'SetCluster', 'RemoveFinalizer'])
    expect(end.operation.status?.phase).toBe('Cancelled')
  })
})

describe('C27: resume is running again', () => {
  const resumed = (members: readonly Member[]) => kinds(planNodeOperation(heldNodes(members), T0).actions)

  it('C27: a node that came back after the last run is put back in use', () => {
    expect(resumed([...control, back, aMember('w2')])).toEqual(['ReleaseNode w1'])
  })

  it('C27: a marked node that never restarted and is no longer out of date is put back in use', () => {
    expect(resumed([...control, aMember('w1', { ...upToDate, node: ours }), aMember('w2')])).toEqual(['ReleaseNode w1'])
  })

  it('C27: one that is still out of date is rolled, and goes before the others', () => {
    const { actions } = planNodeOperation(heldNodes([...control, aMember('w1'), aMember('w2', { node: ours })]), T0)
    expect(actions[0]).toMatchObject({ status: { operation: { batch: { nodes: [{ name: 'w2' }] } } } })
  })

  it('C27: what is stopped is started, and goes first', () => {
    const { actions } = planNodeOperation(heldNodes([...control, aMember('w1'), aMember('w2', stopped)]), T0)
    expect(actions[0]).toMatchObject({ status: { operation: { batch: { nodes: [{ name: 'w2' }] } } } })
  })

  it('a cordon of ours whose mark was removed is given back', () => {
    expect(resumed([...control, aMember('w1', { ...upToDate, node: { cordon: 'ours' } })])).toEqual(['ReleaseNode w1'])
  })

  it('a node that is still on its way back is waited for', () => {
    const plan = planNodeOperation(
      heldNodes([...control, aMember('w1', { ...upToDate, node: { ...ours, ready: false } })]),
      T0,
    )
    expect(plan.status.message).toContain('are not back yet: w1')
  })
})

import { describe, expect, it } from 'vitest'
import { ClusterState, type OperationType } from '../../api/v1alpha1/node-phases.ts'
import { MINUTE, T0 } from '../testing/builders.ts'
import {
  aManagedCluster,
  aMember,
  aNodeOperation,
  CAN_RESTART,
  type HeldOptions,
  heldNodes,
  observedNodes,
} from '../testing/node-builders.ts'
import type { NodeAction } from './action.ts'
import type { Member, NodesObserved } from './model.ts'
import { planNodeOperation } from './plan-node-operation.ts'

const CAN_DESTROY = { ...CAN_RESTART, replace: true }
const members = ['c1', 'c2', 'w1', 'w2', 'e1'].map((name) => aMember(name))
const gone = (...names: readonly string[]): Member[] =>
  members.map((member) => (names.includes(member.name) ? withoutMachine(member) : member))
const withoutMachine = ({ machine: _gone, ...member }: Member): Member => member

const told = (actions: readonly NodeAction[]): string[] =>
  actions.map((action) => {
    if (action.kind === 'SetCluster') {
      const { state, operation } = action.status
      const outcome = operation?.outcome
      return `${state} ${operation === undefined ? 'free' : (outcome?.phase ?? 'held')} ${outcome?.reason ?? ''}`.trim()
    }
    return 'node' in action ? `${action.kind} ${action.node}` : action.kind
  })

const destroying = (of: readonly Member[], options: HeldOptions = {}): NodesObserved =>
  heldNodes(of, {
    ...options,
    operation: { type: 'Destroy', ...options.operation },
    holder: { type: 'Destroy', entered: ClusterState.Destroying, ...options.holder },
    over: { capabilities: CAN_DESTROY, ...options.over },
  })

const inDestroying = (observed: NodesObserved): NodesObserved => ({
  ...observed,
  cluster: { ...observed.cluster, status: { ...observed.cluster.status, state: ClusterState.Destroying } },
})

const next = (of: readonly Member[], options: HeldOptions = {}, now = T0): string[] =>
  told(planNodeOperation(inDestroying(destroying(of, options)), now).actions)

describe('P4: a destroy', () => {
  it.each<[string, readonly Member[], string[]]>([
    ['begins with the workers', members, ['TerminateMachine w1', 'TerminateMachine w2']],
    ['waits for them', gone('w1').map(terminating('w2')), []],
    ['goes on with the control nodes', gone('w1', 'w2'), ['TerminateMachine c1', 'TerminateMachine c2']],
    ['ends with etcd', gone('w1', 'w2', 'c1', 'c2'), ['TerminateMachine e1']],
    ['is over when no machine is left', gone('w1', 'w2', 'c1', 'c2', 'e1'), ['Destroying Succeeded Succeeded']],
  ])('%s', (_what, of, actions) => {
    expect(next(of)).toEqual(actions)
  })

  it('ends without an API to ask: the nodes go with their machines', () => {
    expect(next(gone('w1', 'w2', 'c1', 'c2'), { over: { nodesKnown: false } })).toEqual(['TerminateMachine e1'])
  })

  it('does nothing while the machines cannot be read, and is not taken for done then', () => {
    expect(next([], { over: { machinesKnown: false } })).toEqual([])
  })

  it('leaves machines that fit no group, and says so when its time is over', () => {
    const options = { over: { ungroupedMachines: ['stray'] } }
    expect(next([], options)).toEqual([])
    const { actions, status } = planNodeOperation(inDestroying(destroying([], options)), T0 + 30 * MINUTE)
    expect(told(actions)).toEqual(['Destroying Failed NodeTimeout'])
    expect(status.message).toContain('1 machine(s) fit no group and are left: stray')
  })

  it('counts what is gone by what there was', () => {
    const observed = inDestroying(destroying(gone('w1', 'w2')))
    const counts = { total: 5, done: 0, outOfDate: 5, inFlight: 0, failed: 0, skipped: 0 }
    const operation = { ...observed.operation, status: { ...observed.operation.status, counts } }
    expect(planNodeOperation({ ...observed, operation }, T0).status.counts).toMatchObject({
      total: 5,
      done: 2,
      outOfDate: 3,
    })
  })
})

function terminating(name: string): (member: Member) => Member {
  return (member) =>
    member.name === name && member.machine !== undefined
      ? { ...member, machine: { ...member.machine, state: 'Terminating' } }
      : member
}

describe('P4: how a destroy ends', () => {
  const outcome = (phase: 'Succeeded' | 'Failed' | 'Cancelled') => ({ outcome: { phase, reason: phase, message: '' } })
  const ended = (phase: 'Succeeded' | 'Failed' | 'Cancelled', over: Partial<NodesObserved> = {}) => {
    const observed = inDestroying(destroying([], { holder: outcome(phase), over }))
    return told(planNodeOperation({ ...observed, operation: { ...observed.operation, status: { phase } } }, T0).actions)
  }

  it('with success: the ManagedCluster goes', () => {
    expect(ended('Succeeded')).toEqual(['DeleteCluster'])
  })

  it('where something else still holds the ManagedCluster, it is let go', () => {
    const { cluster } = inDestroying(destroying([], { holder: outcome('Succeeded') }))
    const metadata = { ...cluster.metadata, deletionTimestamp: '2026-01-05T12:00:00Z' }
    expect(ended('Succeeded', { cluster: { ...cluster, metadata } })).toEqual(['Destroying free'])
  })

  it.each(['Failed', 'Cancelled'] as const)(
    '%s: the cluster stays Destroying, and can only be destroyed further',
    (phase) => {
      expect(ended(phase)).toEqual(['Destroying free'])
    },
  )

  it('a second destroy goes on without a change of state, and leaves the state alone', () => {
    const cluster = aManagedCluster({}, { state: ClusterState.Destroying })
    const operation = aNodeOperation({ type: 'Destroy' })
    const { actions } = planNodeOperation(
      observedNodes(gone('w1', 'w2'), { cluster, operation, capabilities: CAN_DESTROY }),
      T0,
    )
    expect(actions[0]).toMatchObject({ kind: 'SetCluster', status: { state: 'Destroying' } })
    expect(actions[0]).not.toHaveProperty('status.operation.entered')
  })
})

describe('refusals', () => {
  const refused = (type: OperationType, over: Partial<NodesObserved>) =>
    planNodeOperation(
      observedNodes(members, { operation: aNodeOperation({ type }), capabilities: CAN_DESTROY, ...over }),
      T0,
    ).status

  it.each(['Destroy', 'Stop'] as const)('a %s of the cluster that the operator itself runs on', (type) => {
    const own = [...members, aMember('w3', { node: { holdsOperator: true } })]
    expect(refused(type, { members: own })).toMatchObject({
      phase: 'Failed',
      message: 'this operator runs on w3: it would not come to the end of it',
    })
  })

  it('a provider that cannot terminate machines', () => {
    expect(refused('Destroy', { capabilities: CAN_RESTART }).message).toBe('the provider cannot terminate machines')
  })
})

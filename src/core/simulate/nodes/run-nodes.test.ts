import { describe, expect, it } from 'vitest'
import type { ManagedClusterInput } from '../../../api/v1alpha1/managed-cluster.ts'
import type { NodeOperationInput } from '../../../api/v1alpha1/node-operation.ts'
import { T0 } from '../../testing/builders.ts'
import { aManagedCluster, aNodeOperation } from '../../testing/node-builders.ts'
import { runNodes } from './run-nodes.ts'
import type { NodesWorld, SimMember } from './world.ts'

const member = (name: string, type: 'control' | 'worker', pods = 0): SimMember => ({
  name,
  type,
  group: type,
  machine: { state: 'Running', settings: { offering: 'v1', rootDiskSizeGB: 20 }, boot: 1 },
  node: { uid: name, version: 1, ready: true, boot: 1, pods },
})

function aWorld(
  workers: number,
  over: Partial<NodesWorld> = {},
  spec: Partial<ManagedClusterInput['spec']> = {},
): NodesWorld {
  return {
    now: T0,
    serial: 100,
    cluster: aManagedCluster(spec),
    operations: [aNodeOperation({ maxUnavailable: 3 }, { metadata: { finalizers: [] } })],
    members: [
      ...['c1', 'c2', 'c3'].map((name) => member(name, 'control')),
      ...Array.from({ length: workers }, (_none, at) => member(`w${at + 1}`, 'worker', 1)),
    ],
    freezes: [],
    rules: {},
    attempted: new Map(),
    violations: [],
    ...over,
  }
}

const ask = (spec: Partial<NodeOperationInput['spec']>) => ({
  operations: [aNodeOperation(spec, { metadata: { finalizers: [] } })],
})

describe('a rollout on a virtual clock', () => {
  it('goes to its end within the budget, and nothing is violated on the way', () => {
    const { world, batches, seconds, mostUnavailable } = runNodes(aWorld(20))
    expect(world.violations).toEqual([])
    expect(world.operations[0]?.status?.phase).toBe('Succeeded')
    expect(world.cluster.status).toMatchObject({ state: 'Running', rotation: 'Freeze' })
    expect(world.members.every(({ machine }) => machine.settings.offering === 'v2')).toBe(true)
    expect(mostUnavailable).toBe(3)
    // How long a batch took is told by the operation, for the estimates of later ones.
    expect(world.operations[0]?.status?.counts).toMatchObject({ done: 23, batches: batches.length })
    // 3 control nodes one by one, then 7 batches: 90 s each, and a look every 5 s.
    expect(seconds).toBeGreaterThanOrEqual(10 * 90)
    expect(seconds).toBeLessThan(20 * 90)
  })

  it('is the same every time', () => {
    expect(runNodes(aWorld(5)).log).toEqual(runNodes(aWorld(5)).log)
  })

  it('tells what was done at which moment', () => {
    const log = runNodes(aWorld(2)).log.map(({ atSeconds, what }) => `${atSeconds} ${what}`)
    expect(log.slice(0, 8)).toEqual([
      '0 roll: Running -> Updating',
      '0 roll: Pending',
      '0 roll: Running',
      '0 roll: MarkNode c1',
      '0 roll: CordonNode c1',
      '0 roll: StopMachine c1',
      '20 c1 is stopped',
      '20 roll: ApplySettings c1',
    ])
  })

  it('without room it ends as failed, with the former settings running', () => {
    const { world } = runNodes(aWorld(4, { rules: { noRoomFor: 'v2' } }))
    expect(world.violations).toEqual([])
    expect(world.operations[0]?.status?.phase).toBe('Failed')
    expect(world.cluster.status?.lastError).toContain('Restored: c1')
    expect(
      world.members.every(({ machine }) => machine.state === 'Running' && machine.settings.offering === 'v1'),
    ).toBe(true)
  })

  it('stops, and starts again', () => {
    const stopped = runNodes(aWorld(4, ask({ type: 'Stop' }))).world
    expect(stopped.cluster.status?.state).toBe('Stopped')
    expect(stopped.members.every(({ machine }) => machine.state === 'Stopped')).toBe(true)
    const again = runNodes({ ...stopped, operations: ask({ type: 'Start' }).operations.map(anew) }).world
    expect(again.operations[0]?.status?.phase).toBe('Succeeded')
    expect(again.cluster.status?.state).toBe('Running')
  })
})

describe('a destroy on a virtual clock', () => {
  it('takes all machines, workers first, and then the cluster; the operation stays to tell of it', () => {
    const { world, log } = runNodes(aWorld(2, ask({ type: 'Destroy' })))
    expect(world.violations).toEqual([])
    expect(log.map(({ what }) => what)).toEqual([
      'roll: Running -> Destroying',
      'roll: Pending',
      'roll: TerminateMachine w1',
      'roll: TerminateMachine w2',
      'roll: Running',
      ...['c1', 'c2', 'c3'].map((name) => `roll: TerminateMachine ${name}`),
      'roll: Succeeded',
    ])
    expect(world.members).toEqual([])
    expect(world.cluster.metadata.deletionTimestamp).toBeDefined()
    expect(world.operations[0]).toMatchObject({ metadata: { finalizers: [] }, status: { phase: 'Succeeded' } })
  })
})

const anew = <T extends { metadata: object }>(operation: T): T => ({
  ...operation,
  metadata: { ...operation.metadata, uid: 'op-2' },
})

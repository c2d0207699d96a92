/** What people do, and what breaks: each as often as the budget of the world allows. */
import { formatTimestamp } from '../../../src/api/timestamp.ts'
import type { NodeOperation } from '../../../src/api/v1alpha1/node-operation.ts'
import { hasEnded } from '../../../src/core/nodes/operation-status.ts'
import { changeOperation } from '../../../src/core/simulate/nodes/effects.ts'
import { changeMachine, changeNode, holdsEtcd, type SimMember } from '../../../src/core/simulate/nodes/world.ts'
import type { Step } from '../engine/model.ts'
import type { NodeBudget } from './config.ts'
import { seenBy } from './pass.ts'
import { newOperation } from './start.ts'
import type { World } from './world.ts'

const spend = (world: World, what: keyof NodeBudget): World => ({
  ...world,
  budget: { ...world.budget, [what]: world.budget[what] - 1 },
})

type Disturbance = (world: World) => Iterable<readonly [string, World]>

export function* disturbances(world: World): Generator<Step<World>> {
  for (const [what, happen] of Object.entries(DISTURBANCES) as [keyof NodeBudget, Disturbance][]) {
    if (world.budget[what] <= 0) continue
    for (const [label, next] of happen(world)) yield { label, fair: false, next: spend(next, what) }
  }
}

const chosen = ({ members, config }: World): readonly SimMember[] =>
  config.only === undefined ? members : members.filter(({ name }) => config.only?.includes(name))

const active = ({ operations }: World): NodeOperation[] => operations.filter((operation) => !hasEnded(operation))

const DISTURBANCES: Partial<Record<keyof NodeBudget, Disturbance>> = {
  *noRoom(world) {
    for (const { name, machine } of chosen(world)) {
      if (machine.state === 'Starting')
        yield [
          `${name} finds no room`,
          changeMachine(world, name, { state: 'Stopped', failure: 'InsufficientCapacity' }),
        ]
    }
  },
  *deaths(world) {
    for (const { name, machine } of chosen(world)) {
      if (machine.state === 'Starting') yield [`${name} boots and never answers`, dies(world, name, machine.boot)]
    }
  },
  *flaps(world) {
    for (const { name, node, machine } of chosen(world)) {
      if (node?.ready === true && machine.state === 'Running')
        yield [`${name} is NotReady`, changeNode(world, name, (before) => ({ ...before, ready: false }))]
    }
  },
  *sickness(world) {
    for (const member of chosen(world)) {
      const { name, machine } = member
      if (machine.state === 'Running' && machine.sick !== true && holdsEtcd(world, member))
        yield [`etcd of ${name} does not answer`, changeMachine(world, name, { sick: true })]
    }
  },
  *machinesByHand(world) {
    for (const { name, machine } of chosen(world)) {
      if (machine.state === 'Running')
        yield [`somebody stops ${name}`, changeMachine(world, name, { state: 'Stopping' })]
      if (machine.state === 'Stopped')
        yield [`somebody starts ${name}`, changeMachine(world, name, { state: 'Starting' })]
    }
  },
  *cordons(world) {
    for (const { name, node } of chosen(world)) {
      if (node !== undefined && node.cordon === undefined)
        yield [`somebody cordons ${name}`, changeNode(world, name, (before) => ({ ...before, cordon: 'foreign' }))]
    }
  },
  *uncordons(world) {
    for (const { name, node } of chosen(world)) {
      if (node?.cordon !== undefined)
        yield [`somebody uncordons ${name}`, changeNode(world, name, ({ cordon: _gone, ...before }) => ({ ...before }))]
    }
  },
  *cancels(world) {
    for (const { metadata, spec } of active(world)) {
      if (spec.cancel) continue
      const next = changeOperation(world, metadata.uid ?? '', (operation) => ({
        ...operation,
        spec: { ...operation.spec, cancel: true },
      }))
      yield [`${metadata.name} is cancelled`, next]
    }
  },
  *deletes(world) {
    for (const { metadata } of world.operations) {
      if (metadata.deletionTimestamp !== undefined) continue
      const next = changeOperation(world, metadata.uid ?? '', (operation) => ({
        ...operation,
        metadata: { ...operation.metadata, deletionTimestamp: formatTimestamp(world.now) },
      }))
      yield [`${metadata.name} is deleted`, next]
    }
  },
  *strips(world) {
    for (const { metadata } of world.operations) {
      const operations = world.operations.filter((operation) => operation.metadata.uid !== metadata.uid)
      yield [`${metadata.name} is deleted, and its finalizer taken off by hand`, { ...world, operations }]
    }
  },
  *freezes(world) {
    const { cluster, freezes } = world
    const { freeze, ...policy } = cluster.spec.policy
    if (freeze === undefined && freezes.length === 0) {
      yield ['policy.freeze is set', withPolicy(world, { ...policy, freeze: { reason: 'a person' } })]
      yield ['a freeze object is made', { ...world, freezes: [{ name: 'freeze', reason: 'a person' }] }]
    } else {
      yield ['the freeze is lifted', withPolicy({ ...world, freezes: [] }, policy)]
    }
  },
  *edits(world) {
    const next = world.cluster.spec.nodeGroups[0]?.settings.offering === 'v2' ? 'v1' : 'v2'
    const nodeGroups = world.cluster.spec.nodeGroups.map((group) => ({
      ...group,
      settings: { ...group.settings, offering: next },
    }))
    yield [`the wanted offering is ${next}`, withSpec(world, { nodeGroups })]
  },
  *spoils(world) {
    if (world.operations[0]?.status !== undefined || (world.operations[0]?.metadata.finalizers ?? []).length > 0) return
    for (const member of chosen(world)) {
      const { name, machine } = member
      if (!holdsEtcd(world, member) || machine.sick || machine.member !== undefined || machine.state !== 'Running')
        continue
      yield [`etcd of ${name} is slow`, changeMachine(world, name, { sick: true })]
      yield [`${name} is down`, changeMachine(world, name, { state: 'Stopping' })]
      yield [`etcd of ${name} was removed`, changeMachine(world, name, { member: 'removed' })]
      yield [`etcd of ${name} is a stranger's`, changeMachine(world, name, { member: 'zombie' })]
    }
  },
  *operations(world) {
    yield ['another rollout is asked for', newOperation(world)]
  },
  *lags(world) {
    if (world.memory.lag !== undefined) return
    for (const kind of ['cluster', 'operations', 'nodes'] as const)
      yield [`the watch of ${kind} lags`, { ...world, memory: { ...world.memory, lag: { kind, seen: seenBy(world) } } }]
  },
}

const dies = (world: World, name: string, boot: number): World =>
  changeMachine(world, name, { state: 'Running', boot: boot + 1, dead: true })

function withSpec(world: World, change: Partial<World['cluster']['spec']>): World {
  const serial = world.serial + 1
  const { metadata, spec } = world.cluster
  const next = { ...metadata, generation: (metadata.generation ?? 0) + 1, resourceVersion: String(serial) }
  return { ...world, serial, cluster: { ...world.cluster, metadata: next, spec: { ...spec, ...change } } }
}

const withPolicy = (world: World, policy: World['cluster']['spec']['policy']): World => withSpec(world, { policy })

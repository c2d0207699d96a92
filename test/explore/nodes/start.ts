/** How a world begins. */
import { formatTimestamp } from '../../../src/api/timestamp.ts'
import { withManagedClusterDefaults, withNodeOperationDefaults } from '../../../src/api/v1alpha1/defaults.ts'
import type { NodeGroup, NodeType } from '../../../src/api/v1alpha1/managed-cluster.ts'
import type { NodeOperation } from '../../../src/api/v1alpha1/node-operation.ts'
import type { SimMember, SimNode } from '../../../src/core/simulate/nodes/world.ts'
import { T0 } from '../../../src/core/testing/builders.ts'
import type { NodeBudget, NodesConfig } from './config.ts'
import type { World } from './world.ts'

export const NO_BUDGET: NodeBudget = {
  crashes: 0,
  lostAnswers: 0,
  pauses: 0,
  lags: 0,
  noRoom: 0,
  deaths: 0,
  flaps: 0,
  sickness: 0,
  machinesByHand: 0,
  cordons: 0,
  uncordons: 0,
  cancels: 0,
  deletes: 0,
  strips: 0,
  freezes: 0,
  edits: 0,
  spoils: 0,
  operations: 0,
  slow: 0,
}

const PREFIX: Readonly<Record<NodeType, string>> = { control: 'c', etcd: 'e', worker: 'w' }

export function startOf(config: NodesConfig): World {
  const sizes = { etcd: config.etcd ?? 0, control: config.control ?? 1, worker: config.workers ?? 1 }
  const types = (['etcd', 'control', 'worker'] as const).filter((type) => sizes[type] > 0)
  const members = types.flatMap((type) =>
    Array.from({ length: sizes[type] }, (_none, at) => memberOf(config, type, `${PREFIX[type]}${at + 1}`)),
  )
  const cluster = withManagedClusterDefaults({
    metadata: { name: 'prod', namespace: 'kobe-system', uid: 'cluster', generation: 1, resourceVersion: '1' },
    spec: {
      connection: { kubeconfigSecretRef: { name: 'k' } },
      provider: { type: 'simulated' },
      nodeTimeout: '700s',
      nodeGroups: types.map((type) => groupOf(config, type)),
      ...config.spec,
    },
    status: { state: config.state ?? 'Running' },
  })
  const world: World = {
    config,
    now: T0,
    serial: 1,
    cluster,
    operations: [],
    members,
    freezes: [],
    rules: config.rules ?? {},
    attempted: new Map(),
    violations: [],
    memory: {},
    budget: { ...NO_BUDGET, ...config.budget },
  }
  return newOperation(world)
}

const groupOf = ({ maxUnavailable }: NodesConfig, type: NodeType): NodeGroup => ({
  name: type,
  type,
  selector: {},
  settings: { offering: 'v2' },
  maxUnavailable: type === 'worker' ? (maxUnavailable ?? 1) : 1,
})

function memberOf(config: NodesConfig, type: NodeType, name: string): SimMember {
  const isIn = (names: readonly string[] | undefined): boolean => names?.includes(name) ?? false
  const down = isIn(config.stopped)
  return {
    name,
    type,
    group: type,
    machine: {
      state: down ? 'Stopped' : 'Running',
      settings: { offering: isIn(config.upToDate) ? 'v2' : 'v1', rootDiskSizeGB: 20 },
      boot: 1,
    },
    ...(type === 'etcd' ? {} : { node: nodeOf(config, name, isIn) }),
  }
}

function nodeOf(config: NodesConfig, name: string, isIn: (names?: readonly string[]) => boolean): SimNode {
  const pods = isIn(config.pods) || isIn(config.blocked) || isIn(config.blockedForEver)
  return {
    uid: `node-${name}`,
    version: 1,
    ready: !isIn(config.stopped),
    boot: 1,
    pods: pods ? 1 : 0,
    ...(isIn(config.cordoned) ? { cordon: 'foreign' as const } : {}),
    ...(isIn(config.blocked) || isIn(config.blockedForEver) ? { blocked: true as const } : {}),
    ...(isIn(config.doNotDisrupt) ? { doNotDisrupt: true as const } : {}),
  }
}

export function newOperation(world: World): World {
  const serial = world.serial + 1
  const number = world.operations.length + 1
  const operation: NodeOperation = withNodeOperationDefaults({
    metadata: {
      name: `op-${number}`,
      namespace: 'kobe-system',
      uid: `op-${number}`,
      generation: 1,
      resourceVersion: String(serial),
      creationTimestamp: formatTimestamp(world.now),
      finalizers: [],
    },
    spec: { type: 'Rollout', clusterRef: { name: 'prod' }, ...world.config.operation },
  })
  return { ...world, serial, operations: [...world.operations, operation] }
}

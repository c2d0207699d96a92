/** Standing clusters for tests of the planners of nodes. Every node serves and is out of date unless told otherwise. */

import { formatTimestamp } from '../../api/timestamp.ts'
import { withManagedClusterDefaults, withNodeOperationDefaults } from '../../api/v1alpha1/defaults.ts'
import { Finalizer } from '../../api/v1alpha1/labels.ts'
import type {
  BatchNode,
  ManagedCluster,
  ManagedClusterInput,
  ManagedClusterStatus,
  NodeType,
  OperationHolder,
} from '../../api/v1alpha1/managed-cluster.ts'
import type { NodeOperation, NodeOperationInput } from '../../api/v1alpha1/node-operation.ts'
import type { Capabilities, EtcdFacts, MachineFacts, Member, NodeFacts, NodesObserved } from '../nodes/model.ts'
import { T0 } from './builders.ts'

type Over<T> = Partial<{ -readonly [K in keyof T]: T[K] | undefined }>

export interface MemberOptions {
  readonly machine?: Over<MachineFacts> | null
  readonly node?: Over<NodeFacts> | null
  readonly group?: string
  readonly zone?: string
  readonly drain?: Member['drain']
}

const TYPES: Readonly<Record<string, NodeType>> = { c: 'control', e: 'etcd', w: 'worker' }

/** `w1` is a worker, `c1` a control node, `e1` a machine of an external etcd. */
export function aMember(name: string, over: MemberOptions = {}): Member {
  const type = TYPES[name.slice(0, 1)] ?? 'worker'
  const machine = {
    id: `m-${name}`,
    name,
    type,
    state: 'Running' as const,
    settings: { offering: 'v1', rootDiskSizeGB: 20 },
    cpu: 2,
    memoryMiB: 4096,
    ...over.machine,
  } as MachineFacts
  const node = {
    name,
    uid: `u-${name}`,
    resourceVersion: '1',
    ready: true,
    bootId: 'boot-1',
    cordon: 'none' as const,
    ...over.node,
  } as NodeFacts
  return {
    name,
    type,
    group: over.group ?? type,
    ...(over.zone === undefined ? {} : { zone: over.zone }),
    ...(over.machine === null ? {} : { machine }),
    ...(over.node === null || type === 'etcd' ? {} : { node }),
    ...(over.drain === undefined ? {} : { drain: over.drain }),
  }
}

export const upToDate: MemberOptions = { machine: { settings: { offering: 'v2', rootDiskSizeGB: 20 } } }
export const stopped: MemberOptions = { machine: { state: 'Stopped' }, node: { ready: false } }

export function aManagedCluster(
  spec: Partial<ManagedClusterInput['spec']> = {},
  status: ManagedClusterStatus = { state: 'Running' },
): ManagedCluster {
  const cluster = withManagedClusterDefaults({
    metadata: { name: 'prod', namespace: 'kobe-system', uid: 'cluster', generation: 1, resourceVersion: '7' },
    spec: {
      connection: { inCluster: true },
      provider: { type: 'simulated' },
      nodeGroups: (['etcd', 'control', 'worker'] as const).map((type) => ({
        name: type,
        type,
        settings: { offering: 'v2' },
      })),
      pace: { canary: 'Off' },
      ...spec,
    },
  })
  return { ...cluster, status }
}

export function aNodeOperation(
  spec: Partial<NodeOperationInput['spec']> = {},
  over: Partial<NodeOperationInput> = {},
): NodeOperation {
  return withNodeOperationDefaults({
    metadata: {
      name: 'roll',
      namespace: 'kobe-system',
      uid: 'op-1',
      generation: 1,
      resourceVersion: '3',
      finalizers: [Finalizer.nodeOperation],
      ...over.metadata,
    },
    spec: { type: 'Rollout', clusterRef: { name: 'prod' }, ...spec },
    ...(over.status === undefined ? {} : { status: over.status }),
  })
}

export const CAN_RESTART: Capabilities = {
  restart: true,
  replace: false,
  changes: new Set(['offering', 'rootDiskSizeGB', 'affinityGroups'] as const),
}

export const healthyEtcd = (members: readonly Member[]): EtcdFacts => {
  const external = members.some(({ type }) => type === 'etcd')
  const holders = members.filter(({ type }) => type === (external ? 'etcd' : 'control'))
  return {
    ready: true,
    members: holders.map(({ name, machine }) => ({
      name,
      ...(machine === undefined ? {} : { machineId: machine.id }),
      healthy: machine?.state === 'Running',
      voter: true,
    })),
  }
}

/** Not held by any operation. */
export function observedNodes(members: readonly Member[], over: Partial<NodesObserved> = {}): NodesObserved {
  return {
    cluster: aManagedCluster(),
    operation: aNodeOperation(),
    members,
    ungrouped: [],
    nodesKnown: true,
    machinesKnown: true,
    etcd: healthyEtcd(members),
    serving: new Set(members.filter(({ type }) => type === 'control').map(({ name }) => name)),
    health: [],
    freezes: [],
    capabilities: CAN_RESTART,
    ...over,
  }
}

export interface HeldOptions {
  /** Names or entries of the batch; absent: no batch. */
  readonly batch?: readonly (string | BatchNode)[]
  readonly batchAt?: number
  readonly holder?: Partial<OperationHolder>
  readonly spec?: Partial<ManagedClusterInput['spec']>
  readonly operation?: Partial<NodeOperationInput['spec']>
  readonly over?: Partial<NodesObserved>
}

/** Held by the operation, and, when a batch is given, in the middle of it. */
export function heldNodes(members: readonly Member[], options: HeldOptions = {}): NodesObserved {
  const { batch, batchAt = T0, holder, spec, operation, over } = options
  const cluster = aManagedCluster(spec)
  const nodes = batch?.map((entry) =>
    typeof entry === 'string' ? { name: entry, bootId: 'boot-1', before: { offering: 'v1' } } : entry,
  )
  const held: OperationHolder = {
    name: 'roll',
    uid: 'op-1',
    type: 'Rollout',
    startedAt: formatTimestamp(T0),
    from: 'Running',
    entered: 'Updating',
    wanted: cluster.spec.nodeGroups.map(({ name, settings }) => ({ name, settings })),
    ...(nodes === undefined ? {} : { batch: { startedAt: formatTimestamp(batchAt), group: 'worker', nodes } }),
    ...holder,
  }
  return observedNodes(members, {
    cluster: { ...cluster, status: { state: 'Updating', operation: held } },
    operation: aNodeOperation(operation, { status: { phase: 'Running' } }),
    ...over,
  })
}

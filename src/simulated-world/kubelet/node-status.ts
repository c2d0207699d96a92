/** What a kubelet writes into its Node and its Lease. */
import { createHash } from 'node:crypto'
import { apiVersionOf } from '../../api/resource.ts'
import { formatTimestamp } from '../../api/timestamp.ts'
import { NODE_LEASE_NAMESPACE } from '../engine/caches.ts'
import { type Condition, type CoordinationLease, NODES, type Node, type NodeStatus } from '../kinds.ts'
import { conditionOf } from '../objects/pods.ts'

export const KUBELET_VERSION = 'v1.36.3'
const LEASE_SECONDS = 40

export interface Boot {
  readonly bootId: string
  /** `starting`: not yet; `never`: a runtime that does not come up. */
  readonly ready: 'ready' | 'starting' | 'never'
}

const CAPACITY = { cpu: '4', memory: '16Gi', pods: '110', 'ephemeral-storage': '100Gi' }

/** Fields that a person has set in the status stay: capacity, kubelet version. */
export function renderNodeStatus(node: Node, boot: Boot, now: number): NodeStatus {
  const status = node.status ?? {}
  const capacity = { ...CAPACITY, ...status.capacity }
  return {
    ...status,
    capacity,
    allocatable: { ...capacity, ...status.allocatable },
    addresses: status.addresses ?? [
      { type: 'InternalIP', address: nodeAddress(node) },
      { type: 'Hostname', address: node.metadata.name ?? '' },
    ],
    conditions: conditions(node, boot, now),
    nodeInfo: {
      ...nodeFacts(node),
      ...given(status.nodeInfo),
      bootID: boot.bootId,
    },
  }
}

/** A server fills in fields that nobody has given with empty text. */
function given(facts: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== ''))
}

function nodeFacts({ metadata }: Node): Record<string, string> {
  const id = createHash('sha256')
    .update(metadata.uid ?? metadata.name ?? '')
    .digest('hex')
    .slice(0, 32)
  return {
    architecture: 'amd64',
    containerRuntimeVersion: 'simulated://1',
    kernelVersion: '6.12.0-simulated',
    kubeProxyVersion: '',
    kubeletVersion: KUBELET_VERSION,
    machineID: id,
    operatingSystem: 'linux',
    osImage: 'Simulated Linux',
    systemUUID: id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  }
}

/** An address of 10.96.0.0/12 that belongs to the name. */
export function nodeAddress({ metadata }: Node): string {
  const [a = 0, b = 0, c = 0] = createHash('sha256')
    .update(metadata.name ?? '')
    .digest()
  return `10.${96 + (a % 16)}.${b}.${1 + (c % 254)}`
}

interface Wanted {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

const HEALTHY: readonly Wanted[] = [
  healthy('MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
  healthy('DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
  healthy('PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
]

function healthy(type: string, reason: string, message: string): Wanted {
  return { type, status: 'False', reason, message }
}

const READY: Readonly<Record<Boot['ready'], Omit<Wanted, 'type'>>> = {
  ready: { status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
  starting: { status: 'False', reason: 'KubeletNotReady', message: 'container runtime is starting' },
  never: { status: 'False', reason: 'KubeletNotReady', message: 'container runtime is down' },
}

/** Heartbeats go into the Lease; a condition is only written when it changes. */
function conditions({ status }: Node, { ready }: Boot, now: number): Condition[] {
  const time = formatTimestamp(now)
  const wanted = [...HEALTHY, { type: 'Ready', ...READY[ready] }]
  const written = wanted.map((next) => {
    const old = conditionOf(status?.conditions, next.type)
    const sameStatus = old?.status === next.status
    if (old !== undefined && sameStatus && old.reason === next.reason) return old
    const lastTransitionTime = sameStatus ? old?.lastTransitionTime : time
    return { ...next, lastHeartbeatTime: time, ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }) }
  })
  const others = (status?.conditions ?? []).filter(({ type }) => !wanted.some((next) => next.type === type))
  return [...others, ...written]
}

/** Leases count in microseconds. */
function microTime(now: number): string {
  return new Date(now).toISOString().replace('Z', '000Z')
}

export function renderLease(node: Node, now: number): CoordinationLease {
  const { name = '', uid = '' } = node.metadata
  return {
    metadata: {
      name,
      namespace: NODE_LEASE_NAMESPACE,
      ownerReferences: [{ apiVersion: apiVersionOf(NODES), kind: 'Node', name, uid }],
    },
    spec: { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime: microTime(now) },
  }
}

export function renewedSpec(
  lease: CoordinationLease,
  { metadata }: Node,
  now: number,
): NonNullable<CoordinationLease['spec']> {
  const { name = '' } = metadata
  return { ...lease.spec, holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime: microTime(now) }
}

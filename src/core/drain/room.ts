/** Where the pods of a node would fit if they had to go: a first guess by requests, taints and node selectors. */
import { quantityOf } from '../../api/quantity.ts'
import type { KubeObject } from '../../api/resource.ts'
import type { DrainPod } from './model.ts'
import { isFinished, podName } from './pod.ts'

interface Container {
  readonly resources?: { readonly requests?: Readonly<Record<string, string>> }
}

interface Toleration {
  readonly key?: string
  readonly operator?: string
  readonly value?: string
  readonly effect?: string
}

/** What the scheduler looks at, of a pod. */
export interface RoomPod extends DrainPod {
  readonly spec?: DrainPod['spec'] & {
    readonly containers?: readonly Container[]
    readonly nodeSelector?: Readonly<Record<string, string>>
    readonly tolerations?: readonly Toleration[]
  }
}

export interface RoomNode extends KubeObject {
  readonly spec?: {
    readonly unschedulable?: boolean
    readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[]
  }
  readonly status?: {
    readonly allocatable?: Readonly<Record<string, string>>
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  }
}

interface Room {
  readonly node: RoomNode
  cpu: number
  memory: number
  pods: number
}

/** Pods that found no room, as `namespace/name`. The largest are placed first, each on the first node that has room. */
export function homeless(
  evicted: readonly RoomPod[],
  nodes: readonly RoomNode[],
  others: readonly RoomPod[],
): readonly string[] {
  const rooms = nodes.filter(takesPods).map((node) => roomOf(node, others))
  const bySize = evicted.toSorted(
    (a, b) => requestOf(b, 'memory') - requestOf(a, 'memory') || requestOf(b, 'cpu') - requestOf(a, 'cpu'),
  )
  return bySize
    .filter((pod) => !place(pod, rooms))
    .map(podName)
    .toSorted()
}

function takesPods({ spec, status }: RoomNode): boolean {
  const ready = status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True')
  return spec?.unschedulable !== true && ready === true
}

function roomOf(node: RoomNode, pods: readonly RoomPod[]): Room {
  const here = pods.filter((pod) => pod.spec?.nodeName === node.metadata.name && !isFinished(pod))
  const free = (resource: string) =>
    quantityOf(node.status?.allocatable?.[resource]) - here.reduce((sum, pod) => sum + requestOf(pod, resource), 0)
  const most = quantityOf(node.status?.allocatable?.['pods'] ?? '110')
  return { node, cpu: free('cpu'), memory: free('memory'), pods: most - here.length }
}

function requestOf({ spec }: RoomPod, resource: string): number {
  return (spec?.containers ?? []).reduce((sum, { resources }) => sum + quantityOf(resources?.requests?.[resource]), 0)
}

function place(pod: RoomPod, rooms: Room[]): boolean {
  const cpu = requestOf(pod, 'cpu')
  const memory = requestOf(pod, 'memory')
  const room = rooms.find((one) => one.cpu >= cpu && one.memory >= memory && one.pods >= 1 && mayRunOn(pod, one.node))
  if (room === undefined) return false
  room.cpu -= cpu
  room.memory -= memory
  room.pods -= 1
  return true
}

function mayRunOn({ spec }: RoomPod, { metadata, spec: node }: RoomNode): boolean {
  const selected = Object.entries(spec?.nodeSelector ?? {}).every(([key, value]) => metadata.labels?.[key] === value)
  const repelling = (node?.taints ?? []).filter(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute')
  return selected && repelling.every((taint) => (spec?.tolerations ?? []).some((one) => tolerates(one, taint)))
}

function tolerates(
  { key, operator = 'Equal', value = '', effect }: Toleration,
  taint: { key: string; value?: string; effect: string },
): boolean {
  if (effect !== undefined && effect !== '' && effect !== taint.effect) return false
  if (operator === 'Exists') return key === undefined || key === '' || key === taint.key
  return key === taint.key && value === (taint.value ?? '')
}

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

/** What is free on each node that takes pods, worked out once for many questions. */
export interface Rooms {
  readonly rooms: readonly Room[]
}

interface Room {
  readonly node: RoomNode
  readonly cpu: number
  readonly memory: number
  readonly pods: number
}

export function roomsOf(nodes: readonly RoomNode[], podsByNode: ReadonlyMap<string, readonly RoomPod[]>): Rooms {
  const taking = nodes.filter(takesPods)
  return { rooms: taking.map((node) => roomOf(node, podsByNode.get(node.metadata.name ?? '') ?? [])) }
}

/**
 * Pods of a node that find no room on the others, as `namespace/name`. The largest are placed first, each on the first node that
 * has room.
 */
export function homeless(evicted: readonly RoomPod[], from: string, { rooms }: Rooms): readonly string[] {
  const taken = new Map<Room, Request>()
  const bySize = evicted
    .map((pod) => ({ pod, request: { cpu: requestOf(pod, 'cpu'), memory: requestOf(pod, 'memory'), pods: 1 } }))
    .toSorted((a, b) => b.request.memory - a.request.memory || b.request.cpu - a.request.cpu)
  return bySize
    .filter(({ pod, request }) => {
      const room = rooms.find(
        (one) => one.node.metadata.name !== from && fits(one, taken.get(one), request) && mayRunOn(pod, one.node),
      )
      if (room !== undefined) taken.set(room, sum(taken.get(room), request))
      return room === undefined
    })
    .map(({ pod }) => podName(pod))
    .toSorted()
}

type Request = Pick<Room, 'cpu' | 'memory' | 'pods'>

const NOTHING: Request = { cpu: 0, memory: 0, pods: 0 }

const sum = (before: Request = NOTHING, more: Request): Request => ({
  cpu: before.cpu + more.cpu,
  memory: before.memory + more.memory,
  pods: before.pods + more.pods,
})

function fits(room: Room, taken: Request | undefined, request: Request): boolean {
  const { cpu, memory, pods } = sum(taken, request)
  return room.cpu >= cpu && room.memory >= memory && room.pods >= pods
}

function takesPods({ spec, status }: RoomNode): boolean {
  const ready = status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True')
  return spec?.unschedulable !== true && ready === true
}

function roomOf(node: RoomNode, pods: readonly RoomPod[]): Room {
  const here = pods.filter((pod) => !isFinished(pod))
  const free = (resource: string) =>
    quantityOf(node.status?.allocatable?.[resource]) - here.reduce((total, pod) => total + requestOf(pod, resource), 0)
  const most = quantityOf(node.status?.allocatable?.['pods'] ?? '110')
  return { node, cpu: free('cpu'), memory: free('memory'), pods: most - here.length }
}

function requestOf({ spec }: RoomPod, resource: string): number {
  return (spec?.containers ?? []).reduce(
    (total, { resources }) => total + quantityOf(resources?.requests?.[resource]),
    0,
  )
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

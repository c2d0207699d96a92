/** Statuses as a kubelet writes them. */
import { formatTimestamp } from '../../api/timestamp.ts'
import type { Condition, Container, ContainerState, ContainerStatus, Pod, PodStatus } from '../kinds.ts'
import { withCondition } from '../objects/conditions.ts'

/** An address of 10.128.0.0/9 that belongs to the pod. */
export function podAddress({ metadata }: Pod): string {
  const hex = (metadata.uid ?? '').replaceAll('-', '').padEnd(6, '0')
  const [a = 0, b = 0, c = 0] = [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) || 0)
  return `10.${128 + (a % 128)}.${b}.${1 + (c % 254)}`
}

export interface Change {
  readonly phase: string
  /** State of all containers. */
  readonly state: ContainerState
  readonly ready: boolean
  readonly restartCount?: number
  readonly lastState?: ContainerState
  readonly initContainerStatuses?: readonly ContainerStatus[]
  readonly nodeIp: string
}

/** The status after a change of all main containers. */
export function changedStatus(pod: Pod, change: Change, now: number): PodStatus {
  const { phase, ready, nodeIp, initContainerStatuses = pod.status?.initContainerStatuses } = change
  const started = change.state.running !== undefined
  const ip = pod.spec.hostNetwork ? nodeIp : podAddress(pod)
  const hasAddress = started || pod.status?.podIP !== undefined
  return {
    ...pod.status,
    phase,
    hostIP: nodeIp,
    startTime: pod.status?.startTime ?? formatTimestamp(now),
    ...(hasAddress ? { podIP: ip, podIPs: [{ ip }] } : {}),
    conditions: podConditions(pod, { phase, ready, initialized: isInitialized(pod, initContainerStatuses) }, now),
    containerStatuses: pod.spec.containers.map((container) => containerStatus(pod, container, change)),
    ...(initContainerStatuses === undefined ? {} : { initContainerStatuses }),
  }
}

function containerStatus(pod: Pod, container: Container, change: Change): ContainerStatus {
  const old = pod.status?.containerStatuses?.find(({ name }) => name === container.name)
  const { state, ready, lastState = old?.lastState, restartCount = old?.restartCount ?? 0 } = change
  const started = state.running !== undefined
  return {
    name: container.name,
    image: container.image ?? '',
    imageID: started ? `simulated://${container.image ?? ''}` : (old?.imageID ?? ''),
    ...(started ? { containerID: `simulated://${pod.metadata.uid}/${container.name}/${restartCount}` } : {}),
    ready,
    started,
    restartCount,
    state,
    ...(lastState === undefined ? {} : { lastState }),
  }
}

function isInitialized({ spec }: Pod, statuses: readonly ContainerStatus[] = []): boolean {
  const done = statuses.filter(({ state }) => state?.terminated?.exitCode === 0 || state?.running !== undefined)
  return done.length >= (spec.initContainers ?? []).length
}

interface Facts {
  readonly phase: string
  readonly ready: boolean
  readonly initialized: boolean
}

function podConditions(pod: Pod, { phase, ready, initialized }: Facts, now: number): readonly Condition[] {
  const done = phase === 'Succeeded'
  const names = pod.spec.containers.map(({ name }) => name).join(' ')
  const why = done
    ? { reason: 'PodCompleted' }
    : { reason: 'ContainersNotReady', message: `containers with unready status: [${names}]` }
  const wanted: Condition[] = [
    { type: 'PodReadyToStartContainers', status: phase === 'Running' ? 'True' : 'False' },
    initialized
      ? { type: 'Initialized', status: 'True' }
      : { type: 'Initialized', status: 'False', reason: 'ContainersNotInitialized' },
    ...['Ready', 'ContainersReady'].map((type) =>
      ready ? { type, status: 'True' } : { type, status: 'False', ...why },
    ),
    { type: 'PodScheduled', status: 'True' },
  ]
  return wanted.reduce<readonly Condition[]>(
    (conditions, next) => withCondition(conditions, next, now),
    pod.status?.conditions ?? [],
  )
}

/** The statuses of init containers when the one at `index` has done its part. */
export function initStatuses(pod: Pod, index: number, now: number): ContainerStatus[] {
  const time = formatTimestamp(now)
  return (pod.spec.initContainers ?? []).map((container, at) => {
    const old = pod.status?.initContainerStatuses?.find(({ name }) => name === container.name)
    if (at < index && old !== undefined) return old
    const isSidecar = container.restartPolicy === 'Always'
    const done: ContainerState = isSidecar
      ? { running: { startedAt: time } }
      : { terminated: { exitCode: 0, reason: 'Completed', startedAt: time, finishedAt: time } }
    const isDone = at <= index
    return {
      name: container.name,
      image: container.image ?? '',
      imageID: '',
      ready: isDone,
      started: isDone && isSidecar,
      restartCount: old?.restartCount ?? 0,
      state: isDone ? done : { waiting: { reason: 'PodInitializing' } },
    }
  })
}

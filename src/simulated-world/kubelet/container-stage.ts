/**
 * What a pod's containers are doing, read from its status and written into it. All containers of a pod act as one; init
 * containers come before them, one after the other, and those with `restartPolicy: Always` keep running.
 */
import type { ContainerStatus, Pod } from '../kinds.ts'
import { isFinished } from '../objects/pods.ts'

export type Stage =
  /** Seen by the kubelet for the first time. */
  | { readonly kind: 'new' }
  | { readonly kind: 'init'; readonly index: number }
  | { readonly kind: 'creating' }
  | { readonly kind: 'running'; readonly startedAt: string }
  /** Ended, and to be started again. */
  | { readonly kind: 'backoff'; readonly finishedAt: string }
  | { readonly kind: 'ended' }

export function stageOf(pod: Pod): Stage {
  const { spec, status } = pod
  if (isFinished(pod)) return { kind: 'ended' }
  if (status?.startTime === undefined) return { kind: 'new' }
  const [main] = status.containerStatuses ?? []
  if (main?.state?.running !== undefined) return { kind: 'running', startedAt: main.state.running.startedAt ?? '' }
  const terminated = main?.state?.terminated ?? main?.lastState?.terminated
  if (terminated !== undefined) return { kind: 'backoff', finishedAt: terminated.finishedAt ?? '' }
  const index = (spec.initContainers ?? []).findIndex(({ name }) => !isInitDone(status.initContainerStatuses, name))
  return index === -1 ? { kind: 'creating' } : { kind: 'init', index }
}

function isInitDone(statuses: readonly ContainerStatus[] = [], name: string): boolean {
  const state = statuses.find((status) => status.name === name)?.state
  return state?.terminated !== undefined || state?.running !== undefined
}

/** Tells one stay in a stage from the next. */
export function stageKey(pod: Pod): string {
  if (pod.metadata.deletionTimestamp !== undefined) return 'terminating'
  const stage = stageOf(pod)
  const restarts = pod.status?.containerStatuses?.[0]?.restartCount ?? 0
  return `${stage.kind} ${stage.kind === 'init' ? stage.index : restarts}`
}

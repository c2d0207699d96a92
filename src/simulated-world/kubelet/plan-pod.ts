/**
 * What a simulated kubelet does for one pod on its node. First hit wins:
 *
 *   going       -> the containers end after the stop delay, at the latest with the grace period; then the pod is removed
 *   ended       -> nothing
 *   new         -> accepted: Pending, ContainerCreating
 *   init        -> each init container in order, one start delay each
 *   creating    -> Running after the start delay
 *   started before the last boot of the node -> started again
 *   running     -> Ready after the ready delay; ends when its script says so: restarted, Succeeded or Failed
 *   backoff     -> started again, the first time at once, then with doubling waits
 */
import { formatTimestamp, parseTimestamp } from '../../api/timestamp.ts'
import { type Action, earliest, type Note, type Plan } from '../engine/plan.ts'
import type { Timings } from '../engine/timings.ts'
import { type ContainerState, PODS, type Pod } from '../kinds.ts'
import { isFinished, isReady } from '../objects/pods.ts'
import { type Stage, stageOf } from './container-stage.ts'
import { type PodScript, scriptOf } from './pod-script.ts'
import { type Change, changedStatus, initStatuses } from './pod-status.ts'

export interface ObservedPod {
  readonly pod: Pod
  readonly nodeIp: string
  /** When the node booted, epoch milliseconds. */
  readonly bootedAt: number
  /** When the pod came into its present stage, epoch milliseconds. */
  readonly since: number
  readonly timings: Timings
}

interface Situation extends ObservedPod {
  readonly script: PodScript
  readonly now: number
}

const NOTHING: Plan = { actions: [], notes: [] }

export function planPod(observed: ObservedPod, now: number): Plan {
  const { pod, timings, bootedAt } = observed
  const situation: Situation = { ...observed, script: scriptOf(pod, timings), now }
  if (pod.metadata.deletionTimestamp !== undefined) return planEnd(situation)
  const stage = stageOf(pod)
  switch (stage.kind) {
    case 'ended':
      return NOTHING
    case 'new':
      return accept(situation)
    case 'init':
      return after(situation, situation.script.startDelayMs, () => initialise(situation, stage.index))
    case 'creating':
      return after(situation, situation.script.startDelayMs, () => start(situation, 0))
    case 'running':
      return isOfFormerBoot(stage, bootedAt) ? restartAfterBoot(situation, stage) : keepRunning(situation, stage)
    case 'backoff':
      return after(situation, backoffMs(situation), () => start(situation, restarts(pod) + 1))
    default:
      return unknownStage(stage)
  }
}

function unknownStage(stage: never): never {
  throw new TypeError(`unknown stage ${JSON.stringify(stage)}`)
}

function after({ since, now }: Situation, delayMs: number, act: () => Plan): Plan {
  const left = since + delayMs - now
  return left > 0 ? { actions: [], notes: [], requeueAfterMs: left } : act()
}

function write({ pod, nodeIp, now }: Situation, change: Omit<Change, 'nodeIp'>): Action {
  const status = changedStatus(pod, { ...change, nodeIp }, now)
  return { kind: 'PatchStatus', type: PODS, object: pod, status }
}

function restarts({ status }: Pod): number {
  return status?.containerStatuses?.[0]?.restartCount ?? 0
}

function accept(situation: Situation): Plan {
  const { pod, now } = situation
  const hasInit = (pod.spec.initContainers ?? []).length > 0
  const state = { waiting: { reason: hasInit ? 'PodInitializing' : 'ContainerCreating' } }
  const init = hasInit ? { initContainerStatuses: initStatuses(pod, -1, now) } : {}
  return { actions: [write(situation, { phase: 'Pending', state, ready: false, ...init })], notes: [] }
}

function initialise(situation: Situation, index: number): Plan {
  const { pod, now } = situation
  const state = { waiting: { reason: 'PodInitializing' } }
  const initContainerStatuses = initStatuses(pod, index, now)
  return { actions: [write(situation, { phase: 'Pending', state, ready: false, initContainerStatuses })], notes: [] }
}

function start(situation: Situation, restartCount: number): Plan {
  const { pod, script, now } = situation
  const state = { running: { startedAt: formatTimestamp(now) } }
  const lastTerminated = pod.status?.containerStatuses?.[0]?.state?.terminated
  const lastState = lastTerminated === undefined ? {} : { lastState: { terminated: lastTerminated } }
  const ready = script.readyDelayMs === 0 && !script.neverReady
  const notes = pod.spec.containers.map((container): Note => {
    return { type: 'Normal', reason: 'Started', message: `Started container ${container.name}` }
  })
  return { actions: [write(situation, { phase: 'Running', state, ready, restartCount, ...lastState })], notes }
}

type Running = Extract<Stage, { kind: 'running' }>

/** Times in objects are whole seconds, so the boot is cut to seconds too. */
function isOfFormerBoot({ startedAt }: Running, bootedAt: number): boolean {
  return (parseTimestamp(startedAt) ?? 0) < Math.floor(bootedAt / 1000) * 1000
}

function restartAfterBoot(situation: Situation, { startedAt }: Running): Plan {
  const { pod, now } = situation
  const finishedAt = formatTimestamp(now)
  const lastState = { terminated: { exitCode: 255, reason: 'Unknown', startedAt, finishedAt } }
  const state = { running: { startedAt: finishedAt } }
  const change = { phase: 'Running', state, ready: false, restartCount: restarts(pod) + 1, lastState }
  return { actions: [write(situation, change)], notes: [] }
}

function keepRunning(situation: Situation, stage: Running): Plan {
  const { pod, script, since, now } = situation
  const readyInMs = script.neverReady ? undefined : since + script.readyDelayMs - now
  const endsInMs = script.end === undefined ? undefined : since + script.end.afterMs - now
  if (endsInMs !== undefined && endsInMs <= 0) return endByItself(situation, stage)
  const shouldBeReady = readyInMs !== undefined && readyInMs <= 0
  const requeueAfterMs = earliest(...[endsInMs, readyInMs].filter((wait) => wait !== undefined && wait > 0))
  // Also when somebody else, such as the node controller, has said otherwise in the meantime.
  const differs = (shouldBeReady || script.neverReady) && isReady(pod) !== shouldBeReady
  const state = pod.status?.containerStatuses?.[0]?.state ?? {}
  const actions = differs ? [write(situation, { phase: 'Running', state, ready: shouldBeReady })] : []
  return { actions, notes: [], requeueAfterMs }
}

function endByItself(situation: Situation, { startedAt }: Running): Plan {
  const { pod, script, now } = situation
  const exitCode = script.end?.exitCode ?? 0
  const terminated = terminatedState(exitCode, startedAt, now)
  const { restartPolicy = 'Always' } = pod.spec
  const restarted = restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0)
  if (!restarted) {
    const phase = exitCode === 0 ? 'Succeeded' : 'Failed'
    return { actions: [write(situation, { phase, state: { terminated }, ready: false })], notes: [] }
  }
  const waits = restarts(pod) > 0
  const state: ContainerState = waits ? { waiting: { reason: 'CrashLoopBackOff' } } : { terminated }
  const change = { phase: 'Running', state, ready: false, lastState: { terminated } }
  const message = `Back-off restarting failed container ${pod.spec.containers[0]?.name} in pod ${pod.metadata.name}`
  const notes: Note[] = waits ? [{ type: 'Warning', reason: 'BackOff', message }] : []
  return { actions: [write(situation, change)], notes }
}

function terminatedState(exitCode: number, startedAt: string, now: number): ContainerState['terminated'] & object {
  const reason = exitCode === 0 ? 'Completed' : 'Error'
  return { exitCode, reason, startedAt, finishedAt: formatTimestamp(now) }
}

const LONGEST_BACKOFF = 30

function backoffMs({ pod, timings }: Situation): number {
  const count = restarts(pod)
  return count === 0 ? 0 : timings.restartBackoffMs * Math.min(LONGEST_BACKOFF, 2 ** (count - 1))
}

function planEnd(situation: Situation): Plan {
  const { pod, script, since, now } = situation
  const { deletionTimestamp = '', deletionGracePeriodSeconds = 0, finalizers = [] } = pod.metadata
  const deadline = parseTimestamp(deletionTimestamp) ?? now
  const stopped = script.ignoreTermination ? deadline : Math.min(since + script.stopDelayMs, deadline)
  const left = isFinished(pod) || deletionGracePeriodSeconds === 0 ? 0 : stopped - now
  if (left > 0) return { actions: [], notes: [], requeueAfterMs: left }
  const remove: Action = { kind: 'Delete', type: PODS, object: pod, gracePeriodSeconds: 0 }
  const held = finalizers.length > 0
  return {
    // A finalizer keeps the object: it is to show that nothing runs any more.
    actions: [
      ...(held && !isFinished(pod) ? [endStatus(situation)] : []),
      ...(held && deletionGracePeriodSeconds === 0 ? [] : [remove]),
    ],
    notes: [],
  }
}

function endStatus(situation: Situation): Action {
  const { pod, script, now } = situation
  const { startedAt = formatTimestamp(now) } = pod.status?.containerStatuses?.[0]?.state?.running ?? {}
  const exitCode = script.ignoreTermination ? 137 : 0
  const state = { terminated: terminatedState(exitCode, startedAt, now) }
  return write(situation, { phase: exitCode === 0 ? 'Succeeded' : 'Failed', state, ready: false })
}

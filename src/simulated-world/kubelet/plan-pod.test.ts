import { describe, expect, it } from 'vitest'
import { POD_ANNOTATIONS } from '../annotations.ts'
import { resolveTimings } from '../engine/timings.ts'
import type { ContainerState, Pod, PodSpec, PodStatus } from '../kinds.ts'
import { at, conditionIn, NOW, pod, summary } from '../testing/objects.ts'
import { planPod } from './plan-pod.ts'

const timings = resolveTimings({
  startDelayMs: 500,
  readyDelayMs: 300,
  stopDelayMs: 400,
  runForMs: 1_000,
  restartBackoffMs: 10_000,
})

interface Given {
  readonly state?: ContainerState
  readonly lastState?: ContainerState
  readonly restartCount?: number
  readonly ready?: boolean
  readonly annotations?: Record<string, string>
  readonly spec?: Partial<PodSpec>
}

function withContainer({ state = {}, lastState, restartCount = 0, ready = false, annotations, spec }: Given): Pod {
  const container = {
    name: 'main',
    ready,
    restartCount,
    image: '',
    imageID: '',
    state,
    ...(lastState ? { lastState } : {}),
  }
  const status: PodStatus = {
    phase: state.running === undefined ? 'Pending' : 'Running',
    startTime: at(-60_000),
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    containerStatuses: [container],
  }
  return pod('p', { status, ...(annotations ? { annotations } : {}), ...(spec ? { spec } : {}) })
}

const RUNNING = { running: { startedAt: at(-10_000) } }
const ENDED = { terminated: { exitCode: 1, finishedAt: at(-5_000) } }
const creating = (given: Given = {}) => withContainer({ state: { waiting: { reason: 'ContainerCreating' } }, ...given })
const running = (given: Given = {}) => withContainer({ state: RUNNING, ...given })

const plan = (subject: Pod, sinceMs: number, bootedMs = -3_600_000) =>
  planPod({ pod: subject, nodeIp: '10.1.1.1', bootedAt: NOW + bootedMs, since: NOW + sinceMs, timings }, NOW)

/** Phase, state and readiness after the pass; undefined when nothing was written. */
function outcome(subject: Pod, sinceMs: number, bootedMs?: number): string | undefined {
  const action = plan(subject, sinceMs, bootedMs).actions.find(({ kind }) => kind === 'PatchStatus')
  if (action?.kind !== 'PatchStatus') return undefined
  const status = action.status as PodStatus
  const [main] = status.containerStatuses ?? []
  const { waiting, terminated } = main?.state ?? {}
  const state = waiting?.reason ?? (terminated ? `exit ${terminated.exitCode}` : 'running')
  const ready = conditionIn(status, 'Ready')?.status === 'True' ? ' ready' : ''
  return `${status.phase} ${state}${ready} #${main?.restartCount}`
}

const script = (name: keyof typeof POD_ANNOTATIONS, value: string) => ({
  annotations: { [POD_ANNOTATIONS[name]]: value },
})

describe('a simulated kubelet', () => {
  const life: Array<[string, Pod, number, string | undefined]> = [
    ['accepts a pod', pod('p', { status: { phase: 'Pending' } }), 0, 'Pending ContainerCreating #0'],
    ['waits for the start delay', creating(), -499, undefined],
    ['starts it', creating(), -500, 'Running running #0'],
    ['starts it later when told so', creating(script('startDelay', '5s')), -4_999, undefined],
    ['is not Ready at once', running(), -299, undefined],
    ['is Ready after the ready delay', running(), -300, 'Running running ready #0'],
    ['stays Ready', running({ ready: true }), -5_000, undefined],
    ['is never Ready when told so', running(script('neverReady', 'true')), -5_000, undefined],
    [
      'loses its readiness when told so',
      running({ ready: true, ...script('neverReady', 'true') }),
      -5_000,
      'Running running #0',
    ],
    ['runs until it crashes', running({ ready: true, ...script('crashAfter', '3s') }), -2_999, undefined],
    ['crashes', running({ ready: true, ...script('crashAfter', '3s') }), -3_000, 'Running exit 1 #0'],
    [
      'waits after the next crash',
      running({ restartCount: 1, ...script('crashAfter', '3s') }),
      -3_000,
      'Running CrashLoopBackOff #1',
    ],
    ['the first restart is at once', withContainer({ state: ENDED }), 0, 'Running running #1'],
    [
      'the second waits',
      withContainer({ state: { waiting: {} }, lastState: ENDED, restartCount: 1 }),
      -9_999,
      undefined,
    ],
    [
      'its time',
      withContainer({ state: { waiting: {} }, lastState: ENDED, restartCount: 1 }),
      -10_000,
      'Running running #2',
    ],
    [
      'a pod that is not restarted ends by itself',
      running({ spec: { restartPolicy: 'Never' } }),
      -1_000,
      'Succeeded exit 0 #0',
    ],
    [
      'fails with another exit code',
      running({ spec: { restartPolicy: 'Never' }, ...script('exitCode', '3') }),
      -1_000,
      'Failed exit 3 #0',
    ],
    [
      'OnFailure is restarted after a failure',
      running({ spec: { restartPolicy: 'OnFailure' }, ...script('exitCode', '3') }),
      -1_000,
      'Running exit 3 #0',
    ],
    [
      'OnFailure ends after a success',
      running({ spec: { restartPolicy: 'OnFailure' } }),
      -1_000,
      'Succeeded exit 0 #0',
    ],
    [
      'runs as long as told',
      running({ spec: { restartPolicy: 'Never' }, ...script('runFor', '1h') }),
      -5_000,
      'Running running ready #0',
    ],
    ['leaves a finished pod', pod('p', { phase: 'Succeeded' }), -5_000, undefined],
  ]
  it.each(life)('%s', (_, subject, sinceMs, wanted) => {
    expect(outcome(subject, sinceMs)).toBe(wanted)
  })

  it('starts the containers again after a boot of the node', () => {
    expect(outcome(running({ ready: true }), -10_000, -2_000)).toBe('Running running #1')
  })

  it('runs init containers one after the other, and keeps those that are to stay', () => {
    const initContainers = [{ name: 'one' }, { name: 'two', restartPolicy: 'Always' }]
    const spec = { initContainers, containers: [{ name: 'main' }] }
    let subject = pod('p', { spec, status: { phase: 'Pending' } })
    const seen: string[] = []
    for (let step = 0; step < 4; step++) {
      const [action] = plan(subject, -500).actions
      const status = (action?.kind === 'PatchStatus' ? action.status : undefined) as PodStatus
      subject = pod('p', { spec, status })
      const init = (status.initContainerStatuses ?? []).map(({ state }) => Object.keys(state ?? {}).join())
      seen.push(`${status.phase} ${init.join(' ')} ${conditionIn(status, 'Initialized')?.status}`)
    }
    expect(seen).toEqual([
      'Pending waiting waiting False',
      'Pending terminated waiting False',
      'Pending terminated running True',
      'Running terminated running True',
    ])
  })

  const going = (given: Given = {}, grace = 30): Pod => {
    const one = running(given)
    const times = { deletionTimestamp: at(grace * 1000 - 1_000), deletionGracePeriodSeconds: grace }
    return { ...one, metadata: { ...one.metadata, ...times } }
  }
  const ends: Array<[string, Pod, number, string[]]> = [
    ['ends in its time', going(), -399, []],
    ['then goes', going(), -400, ['delete Pod p']],
    ['never later than its grace period', going(script('stopDelay', '1m'), 1), -1_000, ['delete Pod p']],
    ['ignores its end when told so', going(script('ignoreTermination', 'true')), -20_000, []],
    ['until the grace period is over', going(script('ignoreTermination', 'true'), 1), -1_000, ['delete Pod p']],
  ]
  it.each(ends)('a pod that goes %s', (_, subject, sinceMs, lines) => {
    expect(summary(plan(subject, sinceMs))).toEqual(lines)
  })

  it('a pod that a finalizer holds shows that nothing runs any more, and is let go once', () => {
    const held = going()
    const subject = { ...held, metadata: { ...held.metadata, finalizers: ['a/b'] } }
    expect(summary(plan(subject, -400))).toEqual(['status Pod p', 'delete Pod p'])
    const done = { ...subject, metadata: { ...subject.metadata, deletionGracePeriodSeconds: 0 } }
    const ended = { ...done, status: { ...done.status, phase: 'Succeeded' } }
    expect(summary(plan(ended, -400))).toEqual([])
  })
})

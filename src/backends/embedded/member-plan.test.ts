import { describe, expect, test } from 'vitest'
import {
  lastedAfterMs,
  type MemberObservation,
  planMember,
  restartDelayMs,
  startTimeoutMs,
  withCrash,
} from './member-plan.ts'
import type { MemberRecord } from './member-record.ts'

const now = 1_000_000
const identity = { pid: 12, startTime: 'boot:34' }
const launch = { id: 'launch-1', at: now - 1000, process: identity }
const ready = { launch: 'launch-1', process: identity, port: 4321 }
const absent: MemberObservation = { liveness: 'Absent' }

function member(changes: Partial<MemberRecord> = {}): MemberRecord {
  return {
    schema: 1,
    name: 'pool-a-1',
    uid: 'uid-1',
    isolation: 'process',
    storage: 'sqlite',
    host: '127.0.0.1',
    port: 0,
    tokens: [],
    desired: 'Running',
    everReady: false,
    crashes: 0,
    nextStartAt: 0,
    ...changes,
  }
}

describe('starting', () => {
  test('a member without a launch is started', () => {
    expect(planMember(member(), absent, now)).toMatchObject({ state: 'Provisioning', action: 'Start' })
  })

  test('a living process that does not answer yet is looked at again at its deadline', () => {
    const step = planMember(member({ launch }), { liveness: 'Starting' }, now)
    expect(step).toMatchObject({ state: 'Provisioning', action: 'None', lookAgainAt: launch.at + startTimeoutMs })
  })

  test('a process that does not answer in time is ended', () => {
    const step = planMember(member({ launch }), { liveness: 'Starting' }, launch.at + startTimeoutMs)
    expect(step).toMatchObject({ state: 'Provisioning', action: 'Kill' })
  })

  test('the port of the first answer is kept', () => {
    const step = planMember(member({ launch }), { liveness: 'Ready', ready }, now)
    expect(step).toMatchObject({ state: 'Running', action: 'None', record: { port: 4321, everReady: true } })
  })

  test('a known answer changes nothing', () => {
    const known = member({ launch, port: 4321, everReady: true })
    expect(planMember(known, { liveness: 'Ready', ready }, now).record).toBe(known)
  })
})

describe('after a crash', () => {
  test('a member with a file is started again at once, on its port', () => {
    const step = planMember(member({ launch, port: 4321, everReady: true }), absent, now)
    expect(step).toMatchObject({ action: 'Start', record: { port: 4321, crashes: 1 } })
    expect(step.record.launch).toBeUndefined()
  })

  test('a member in memory has lost its data and is not started again', () => {
    const step = planMember(member({ launch, storage: 'memory', everReady: true }), absent, now)
    expect(step).toMatchObject({ state: 'Failed', action: 'None', record: { failure: { code: 'DataLost' } } })
  })

  test('a member in memory that was stopped has lost its data too', () => {
    const step = planMember(member({ storage: 'memory', everReady: true }), absent, now)
    expect(step).toMatchObject({ state: 'Failed', record: { failure: { code: 'DataLost' } } })
  })

  test('a member in memory that never answered has lost nothing', () => {
    expect(planMember(member({ launch, storage: 'memory' }), absent, now).action).toBe('Start')
  })

  test('a damaged file is left as it is', () => {
    const failure = { launch: 'launch-1', code: 'StorageCorrupt', message: 'damaged' } as const
    const step = planMember(member({ launch, everReady: true }), { liveness: 'Absent', failure }, now)
    expect(step).toMatchObject({ state: 'Failed', message: 'damaged', action: 'None' })
  })

  test('further crashes wait longer and longer', () => {
    expect([1, 2, 3, 4, 20].map(restartDelayMs)).toEqual([0, 500, 1000, 2000, 30_000])
  })

  test('the wait is told with its reason', () => {
    const observed: MemberObservation = { liveness: 'Absent', lastLogLine: 'out of memory' }
    const step = planMember(member({ launch, everReady: true, crashes: 2 }), observed, now)
    expect(step).toMatchObject({ state: 'Provisioning', action: 'None', lookAgainAt: now + 1000 })
    expect(step.message).toBe('starts again in 1 s after 3 crashes; the last one: out of memory')
  })

  test('a launch that lasted starts the count anew', () => {
    const lasted = member({ launch, everReady: true, crashes: 9 })
    expect(withCrash(lasted, { code: 'StartFailed', message: '' }, launch.at + lastedAfterMs).crashes).toBe(1)
  })

  test('a member that never answered is given up after 5 starts', () => {
    const step = planMember(member({ launch, crashes: 4 }), { liveness: 'Absent', lastLogLine: 'bad flag' }, now)
    expect(step).toMatchObject({ state: 'Failed', message: 'gave up after 5 starts: bad flag' })
  })

  test('a taken port is waited for, however often', () => {
    const failure = { launch: 'launch-1', code: 'PortTaken', message: 'taken' } as const
    const step = planMember(member({ launch, crashes: 40 }), { liveness: 'Absent', failure }, now)
    expect(step).toMatchObject({ state: 'Provisioning', action: 'None' })
  })

  test('a member that somebody uses is never given up for crashes', () => {
    const step = planMember(member({ launch, crashes: 40, everReady: true }), absent, now)
    expect(step.state).toBe('Provisioning')
  })

  test('a clock that was set back does not hold a start for long', () => {
    const step = planMember(member({ crashes: 3, nextStartAt: now + 3_600_000, everReady: true }), absent, now)
    expect(step.action).toBe('Start')
  })
})

test('a destroy wins over an ensure', () => {
  const step = planMember(member({ launch, desired: 'Destroyed' }), { liveness: 'Ready', ready }, now)
  expect(step).toMatchObject({ state: 'Failed', action: 'None' })
})

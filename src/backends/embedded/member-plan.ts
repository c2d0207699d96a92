/**
 * What to do with a member now, as a pure function of its record and of what is observed. Evaluated in this order:
 *
 * 1. given up earlier            -> Failed
 * 2. being destroyed             -> Failed (a destroy wins over an ensure)
 * 3. it answers                  -> Running
 * 4. its process lives           -> Provisioning; stopped when it does not answer within `startTimeoutMs`
 * 5. its process ended           -> the crash is counted once, by taking the launch off the record:
 *      memory lost               -> Failed (also when it was stopped on purpose)
 *      storage corrupt           -> Failed (nothing is deleted)
 *      never answered, 5 crashes -> Failed
 * 6. not running                 -> started when the backoff is over
 */
import type { FailureCode, FailureRecord, Launch, MemberRecord, ReadyRecord } from './member-record.ts'

/** `Absent`: no process of the present launch is left. */
export type Liveness = 'Absent' | 'Starting' | 'Ready'

export interface MemberObservation {
  readonly liveness: Liveness
  readonly ready?: ReadyRecord
  readonly failure?: FailureRecord
  /** Last line of its log. */
  readonly lastLogLine?: string
}

export interface MemberStep {
  readonly state: 'Provisioning' | 'Running' | 'Failed'
  readonly message: string
  readonly action: 'None' | 'Start' | 'Kill'
  /** To be written; the same object when nothing changed. */
  readonly record: MemberRecord
  /** When to look again without an event. */
  readonly lookAgainAt?: number
}

/** A process that does not answer for so long is stuck. */
export const startTimeoutMs = 30_000
/** A launch that lived so long was no crash loop. */
export const lastedAfterMs = 60_000
/** Another start would end the same way, and must not touch the file. */
const lastingCodes: ReadonlySet<FailureCode> = new Set(['StorageCorrupt', 'StorageTooNew'])
/** Somebody else is in the way, and may go. */
const passingCodes: ReadonlySet<FailureCode> = new Set(['PortTaken', 'NoSpace', 'StorageLocked'])
const maxCrashesBeforeReady = 5
const firstBackoffMs = 500
const maxBackoffMs = 30_000

/** The first restart is at once: people hold kubeconfigs of this member. */
export function restartDelayMs(crashes: number): number {
  if (crashes <= 1) return 0
  return Math.min(firstBackoffMs * 2 ** (crashes - 2), maxBackoffMs)
}

export function planMember(record: MemberRecord, observed: MemberObservation, now: number): MemberStep {
  if (record.failure !== undefined) return failed(record, record.failure.code, record.failure.message)
  if (record.desired === 'Destroyed')
    return { state: 'Failed', message: `${record.name} is being destroyed`, action: 'None', record }
  if (record.launch === undefined) return losesData(record) ? dataLost(record) : planStart(record, now)
  if (observed.liveness === 'Ready' && observed.ready !== undefined)
    return running(record, record.launch, observed.ready)
  if (observed.liveness !== 'Absent') return starting(record, record.launch.at, now)
  return ended(record, observed, now)
}

function running(record: MemberRecord, launch: Launch, ready: ReadyRecord): MemberStep {
  const known = record.everReady && launch.process !== undefined
  return {
    state: 'Running',
    message: `answers on port ${ready.port}, process ${ready.process.pid}`,
    action: 'None',
    record: known
      ? record
      : { ...record, everReady: true, port: ready.port, launch: { ...launch, process: ready.process } },
  }
}

function starting(record: MemberRecord, startedAt: number, now: number): MemberStep {
  const deadline = startedAt + startTimeoutMs
  if (now < deadline)
    return { state: 'Provisioning', message: startingMessage(record), action: 'None', record, lookAgainAt: deadline }
  const seconds = startTimeoutMs / 1000
  const message = `its process did not answer within ${seconds} s of its start and is stopped`
  const lastCrash = { code: 'StartFailed', message } as const
  return { state: 'Provisioning', message, action: 'Kill', record: { ...record, lastCrash } }
}

function startingMessage({ crashes, lastCrash }: MemberRecord): string {
  if (crashes === 0 || lastCrash === undefined) return 'its process is starting'
  return `its process is starting again after ${crashes} crashes; the last one: ${lastCrash.message}`
}

function ended(record: MemberRecord, observed: MemberObservation, now: number): MemberStep {
  if (losesData(record)) return dataLost(record)
  const { failure } = observed
  if (failure !== undefined && lastingCodes.has(failure.code)) return failed(record, failure.code, failure.message)
  return planStart(withCrash(record, crashOf(record, observed), now), now)
}

/** Somebody may have written to it, and would find it empty. */
function losesData({ everReady, storage }: MemberRecord): boolean {
  return everReady && storage === 'memory'
}

function dataLost(record: MemberRecord): MemberStep {
  return failed(record, 'DataLost', 'its process ended, and with it the objects that it kept in memory only')
}

function crashOf(record: MemberRecord, observed: MemberObservation): NonNullable<MemberRecord['lastCrash']> {
  if (observed.failure !== undefined) return { code: observed.failure.code, message: observed.failure.message }
  if (record.lastCrash !== undefined && observed.lastLogLine === undefined) return record.lastCrash
  return { code: 'StartFailed', message: observed.lastLogLine ?? 'its process ended and left no message' }
}

/** The launch is over: counted once, because it is taken off the record. */
export function withCrash(
  record: MemberRecord,
  lastCrash: NonNullable<MemberRecord['lastCrash']>,
  now: number,
): MemberRecord {
  const { launch, ...rest } = record
  const lasted = launch !== undefined && record.everReady && now - launch.at >= lastedAfterMs
  const crashes = lasted ? 1 : record.crashes + 1
  return { ...rest, crashes, lastCrash, nextStartAt: now + restartDelayMs(crashes) }
}

function planStart(record: MemberRecord, now: number): MemberStep {
  const { lastCrash, crashes } = record
  if (lastCrash !== undefined && isHopeless(record))
    return failed(record, lastCrash.code, `gave up after ${crashes} starts: ${lastCrash.message}`)
  const waitMs = record.nextStartAt - now
  // A wait longer than the longest backoff comes from a clock that was set back.
  if (waitMs <= 0 || waitMs > maxBackoffMs)
    return { state: 'Provisioning', message: startingMessage(record), action: 'Start', record }
  const message = `starts again in ${Math.ceil(waitMs / 1000)} s after ${crashes} crashes; the last one: ${lastCrash?.message}`
  return { state: 'Provisioning', message, action: 'None', record, lookAgainAt: record.nextStartAt }
}

/** Nobody holds its kubeconfig yet, and the cause does not pass by itself. */
function isHopeless({ everReady, crashes, lastCrash }: MemberRecord): boolean {
  const passing = lastCrash === undefined || passingCodes.has(lastCrash.code)
  return !everReady && !passing && crashes >= maxCrashesBeforeReady
}

function failed(record: MemberRecord, code: string, message: string): MemberStep {
  const next = record.failure === undefined ? { ...record, failure: { code, message } } : record
  return { state: 'Failed', message, action: 'None', record: next }
}

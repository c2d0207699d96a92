/** Carries out what `planMember` decides. The caller runs the calls on one member one after another. */
import { randomBytes } from 'node:crypto'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pki } from '../../control-plane/options.ts'
import type { Clock } from '../../kube/clock.ts'
import type { Log } from '../../kube/log.ts'
import { createKeyedQueue, type KeyedQueue } from './keyed-queue.ts'
import { describeLaunchError, type LaunchState, memberUrl } from './launch-state.ts'
import type { LaunchSpec } from './launcher.ts'
import { type MemberFolder, openMemberFolder } from './member-folder.ts'
import { type MemberObservation, type MemberStep, planMember, withCrash } from './member-plan.ts'
import { CorruptRecordError, type Isolation, type MemberRecord } from './member-record.ts'
import type { LaunchedRecord, MemberRunner } from './member-runner.ts'
import type { Wakeups } from './wakeups.ts'

export interface MemberControl {
  readonly stateDir: string
  readonly maxMembers: number
  readonly nodePath: string
  readonly clock: Clock
  readonly log: Log
  readonly runners: Readonly<Record<Isolation, MemberRunner>>
  readonly wakeups: Wakeups
  /** Creations wait for each other, so that they cannot pass the limit together. */
  readonly admission: KeyedQueue
}

export type MemberControlOptions = Pick<MemberControl, 'stateDir' | 'clock' | 'log' | 'runners' | 'wakeups'> & {
  readonly maxMembers?: number
  readonly nodePath?: string
}

const defaultMaxMembers = 500

export function createMemberControl(options: MemberControlOptions): MemberControl {
  return {
    ...options,
    maxMembers: options.maxMembers ?? defaultMaxMembers,
    nodePath: options.nodePath ?? process.execPath,
    admission: createKeyedQueue(),
  }
}

export function folderOf(control: MemberControl, name: string): MemberFolder {
  return openMemberFolder(join(control.stateDir, name))
}

export function isLaunched(record: MemberRecord): record is LaunchedRecord {
  return record.launch !== undefined
}

export async function ensureMember(control: MemberControl, spec: LaunchSpec): Promise<LaunchState> {
  const folder = folderOf(control, spec.name)
  try {
    const found = await folder.readRecord()
    if (found !== undefined && found.uid !== spec.uid) return heldByAnother(found)
    const record = found === undefined ? await createMember(control, folder, spec) : wishRunning(found, spec)
    if (record === undefined) return noRoom(control)
    return await stepMember(control, folder, record, found)
  } catch (error) {
    return describeLaunchError(expected(error), folder.path, control.nodePath)
  }
}

/** Undefined: there is no such member. */
export async function inspectMember(
  control: MemberControl,
  name: string,
  uid: string | undefined,
): Promise<LaunchState | undefined> {
  const folder = folderOf(control, name)
  const record = await folder.readRecord()
  if (record === undefined || (uid !== undefined && record.uid !== uid)) return undefined
  if (record.desired === 'Stopped')
    return { state: 'Provisioning', message: `${name} is stopped`, storage: record.storage }
  try {
    return await stepMember(control, folder, record)
  } catch (error) {
    return describeLaunchError(expected(error), folder.path, control.nodePath)
  }
}

/** As `inspectMember`, but changes nothing: a dead member stays dead. */
export async function peekMember(control: MemberControl, name: string, uid: string): Promise<LaunchState | undefined> {
  const folder = folderOf(control, name)
  const record = await folder.readRecord()
  if (record?.uid !== uid) return undefined
  return describeStep(planMember(record, await observe(control, folder, record), control.clock.now()))
}

/** Faults of the system and of the files become an answer; anything else is a bug and is thrown on. */
function expected(error: unknown): Error {
  if (error instanceof CorruptRecordError) return error
  if (error instanceof Error && 'syscall' in error) return error
  throw error
}

/** A member that was stopped on purpose starts anew, with the version and the tokens that are asked for now. */
function wishRunning(record: MemberRecord, spec: LaunchSpec): MemberRecord {
  if (record.desired !== 'Stopped') return record
  const { failure, lastCrash, ...rest } = record
  const { version, tokens = [], port = record.port } = spec
  return {
    ...rest,
    ...(version === undefined ? {} : { version }),
    tokens,
    port,
    desired: 'Running',
    crashes: 0,
    nextStartAt: 0,
  }
}

function heldByAnother(record: MemberRecord): LaunchState {
  const message = `the name ${record.name} is held by another member (UID ${record.uid}); it must be destroyed first`
  return { state: 'Failed', code: 'NameHeld', message }
}

function noRoom(control: MemberControl): LaunchState {
  const message = `${control.maxMembers} of ${control.maxMembers} members exist on this host; raise the limit or wait for one to go`
  return { state: 'Unschedulable', code: 'MembersExhausted', message }
}

async function createMember(
  control: MemberControl,
  folder: MemberFolder,
  spec: LaunchSpec,
): Promise<MemberRecord | undefined> {
  const admitted = await control.admission.run('create', () => takePlace(control, folder))
  if (!admitted) return undefined
  await folder.create(() => makePki(spec))
  const record: MemberRecord = {
    schema: 1,
    name: spec.name,
    uid: spec.uid,
    isolation: spec.isolation ?? 'process',
    storage: spec.storage,
    ...(spec.version === undefined ? {} : { version: spec.version }),
    host: spec.host ?? '127.0.0.1',
    port: spec.port ?? 0,
    tokens: spec.tokens ?? [],
    desired: 'Running',
    everReady: false,
    crashes: 0,
    nextStartAt: 0,
  }
  // The first launch follows at once and is written with it.
  return record
}

/** The folder is the place: the next one that counts sees it. */
async function takePlace(control: MemberControl, folder: MemberFolder): Promise<boolean> {
  await mkdir(control.stateDir, { recursive: true, mode: 0o700 })
  if ((await folder.list()) !== undefined) return true
  const entries = await readdir(control.stateDir, { withFileTypes: true })
  if (entries.filter((entry) => entry.isDirectory()).length >= control.maxMembers) return false
  await mkdir(folder.path, { mode: 0o700 })
  return true
}

/** Loaded on first use: X.509 is slow to load, and most starts of an operator create nothing. */
async function makePki(spec: LaunchSpec): Promise<Pki> {
  const { createPki } = await import('../../control-plane/pki/index.ts')
  return createPki({ hosts: sansOf(spec) })
}

function sansOf(spec: LaunchSpec): string[] {
  const names = ['localhost', '127.0.0.1', '::1', spec.host ?? '127.0.0.1', ...(spec.extraSans ?? [])]
  return [...new Set(names)]
}

/** `written`: what the folder holds, when it is not `record`. */
async function stepMember(
  control: MemberControl,
  folder: MemberFolder,
  record: MemberRecord,
  written: MemberRecord | undefined = record,
): Promise<LaunchState> {
  const step = planMember(record, await observe(control, folder, record), control.clock.now())
  if (step.action === 'Start') return start(control, folder, step.record)
  if (step.record !== written) await folder.writeRecord(step.record)
  if (step.action === 'Kill' && isLaunched(step.record))
    await control.runners[record.isolation].stop(folder, step.record, true)
  if (step.lookAgainAt !== undefined) control.wakeups.after(record.name, step.lookAgainAt - control.clock.now())
  return describeStep(step)
}

async function observe(control: MemberControl, folder: MemberFolder, record: MemberRecord): Promise<MemberObservation> {
  return isLaunched(record) ? control.runners[record.isolation].observe(folder, record) : { liveness: 'Absent' }
}

function describeStep({ state, message, record }: MemberStep): LaunchState {
  const pid = record.launch?.process?.pid
  return {
    state,
    message,
    storage: record.storage,
    ...codeOf(record, state),
    ...(pid === undefined || state === 'Failed' ? {} : { pid }),
    ...(state === 'Running' ? { url: memberUrl(record) } : {}),
  }
}

function codeOf({ failure, lastCrash, crashes }: MemberRecord, state: MemberStep['state']): Partial<LaunchState> {
  if (failure !== undefined) return { code: failure.code }
  if (state !== 'Provisioning' || crashes === 0 || lastCrash === undefined) return {}
  return { code: lastCrash.code, lastCrash: lastCrash.message }
}

/**
 * The launch is written down before its process starts, so that whoever comes after a crash can find the process by it. The
 * PID is written down with the port, when the member answers.
 */
async function start(control: MemberControl, folder: MemberFolder, record: MemberRecord): Promise<LaunchState> {
  const { clock, wakeups } = control
  const launched = { ...record, launch: { id: randomBytes(16).toString('hex'), at: clock.now() } }
  await folder.writeRecord(launched)
  try {
    const { pid } = await control.runners[record.isolation].start(folder, launched)
    control.log.info({ member: record.name, pid }, 'started a control plane')
    const step = planMember(launched, { liveness: 'Starting' }, launched.launch.at)
    if (step.lookAgainAt !== undefined) wakeups.after(record.name, step.lookAgainAt - launched.launch.at)
    return { ...describeStep(step), pid }
  } catch (error) {
    return startRefused(control, folder, { record: launched, error })
  }
}

async function startRefused(
  control: MemberControl,
  folder: MemberFolder,
  { record, error }: { readonly record: MemberRecord; readonly error: unknown },
): Promise<LaunchState> {
  const state = describeLaunchError(expected(error), folder.path, control.nodePath)
  const code = state.state === 'Unschedulable' ? 'NoSpace' : 'StartFailed'
  const next = withCrash(record, { code, message: state.message }, control.clock.now())
  await folder.writeRecord(next)
  control.wakeups.after(record.name, next.nextStartAt - control.clock.now())
  control.log.warn({ member: record.name, err: error }, 'cannot start a control plane')
  // Somebody may hold its kubeconfig: it is not given up for what may pass.
  return record.everReady ? { ...state, state: 'Provisioning' } : state
}

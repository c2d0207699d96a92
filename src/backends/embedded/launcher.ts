/**
 * Starts control planes in processes that outlive us, finds them again, restarts those that died, and destroys them.
 *
 * Every call answers what is observed now; provisioning, restarts and the end of a process go on in the background and are
 * told through `subscribe`. All state is in the members' folders, so a launcher may be killed between any two writes: the
 * next call on that member, by this launcher or another, continues. Calls on one member run one after another.
 */
import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Pki, TokenRecord } from '../../control-plane/options.ts'
import type { Clock } from '../../kube/clock.ts'
import type { Log } from '../../kube/log.ts'
import { systemErrorCode } from './atomic-file.ts'
import { createDetachedProcesses, type DetachedProcessOptions } from './detached-process.ts'
import { createKeyedQueue } from './keyed-queue.ts'
import { type LaunchState, memberUrl, type RemovalState } from './launch-state.ts'
import {
  createMemberControl,
  ensureMember,
  folderOf,
  inspectMember,
  type MemberControl,
  peekMember,
} from './member-control.ts'
import { openMemberFolder } from './member-folder.ts'
import { CorruptRecordError, type Isolation, type MemberRecord, type Storage } from './member-record.ts'
import { createRemovals, type Removals } from './member-removal.ts'
import { createProcessRunner } from './process-runner.ts'
import { createSharedRunner } from './shared-host.ts'
import { createWakeups } from './wakeups.ts'

export type { LaunchState, RemovalState } from './launch-state.ts'

export interface LaunchSpec {
  /** Name of its folder; letters, digits, `-` and `.`. */
  readonly name: string
  /** A member of this name with another UID is somebody else's and is never touched. */
  readonly uid: string
  /** Default `process`. */
  readonly isolation?: Isolation
  readonly storage: Storage
  /** What `/version` reports, such as `v1.36.3`. */
  readonly version?: string
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host?: string
  /** Default 0: the system picks one, and the member keeps it. */
  readonly port?: number
  readonly tokens?: readonly TokenRecord[]
  /** Further names and addresses in the serving certificate, beside `host`, 127.0.0.1, ::1 and localhost. */
  readonly extraSans?: readonly string[]
}

export interface LauncherOptions extends DetachedProcessOptions {
  /** Holds one folder for each member. Made when needed. */
  readonly stateDir: string
  /** Folder of the process that hosts the members with isolation `shared`. Default: `<stateDir>.shared`. */
  readonly sharedDir?: string
  /** A process of shared members that leaves a request unanswered for so long hangs, milliseconds. Default 10000. */
  readonly sharedRequestTimeoutMs?: number
  /** Default 500. */
  readonly maxMembers?: number
  readonly clock: Clock
  readonly log: Log
}

export interface Credentials {
  readonly url: string
  readonly pki: Pki
}

export interface Launcher {
  /** Creates the member when it is not there. What is there is taken as it is: the rest of the spec is not compared. */
  ensure(spec: LaunchSpec): Promise<LaunchState>
  /** As `ensure`, but creates nothing: undefined when there is no such member. A dead one is started again. */
  inspect(name: string, uid: string): Promise<LaunchState | undefined>
  /** As `inspect`, but changes nothing: a dead member is told as what would be done with it, and stays dead. */
  peek(name: string, uid: string): Promise<LaunchState | undefined>
  /** Address and keys of a member that answered at least once; undefined for any other. */
  credentials(name: string, uid: string): Promise<Credentials | undefined>
  /** Ends its process and keeps its files; `ensure` starts it again. `gone` tells of the process. Called until it is true. */
  stop(name: string, uid: string): Promise<RemovalState>
  /** SIGTERM, after 5 s SIGKILL; then its files. Called until `gone`. */
  destroy(name: string, uid: string): Promise<RemovalState>
  /** All members in the state folder, whoever made them. Half-created ones are left out. */
  list(): Promise<{ readonly name: string; readonly uid: string }[]>
  /** Calls `listener` with the name of a member that may have changed state. Answers the unsubscribe function. */
  subscribe(listener: (name: string) => void): () => void
  /** Lets go of everything without stopping it. */
  close(): Promise<void>
}

const safeName = /^[a-zA-Z0-9][-a-zA-Z0-9.]*$/

export function createLauncher(given: LauncherOptions): Launcher {
  // Processes of ours run in other folders.
  const options = { ...given, stateDir: resolve(given.stateDir) }
  const queue = createKeyedQueue()
  const listeners = new Set<(name: string) => void>()
  let closed = false
  /** Something happened to a member: continues whatever was wished for it last, and tells the listeners. */
  const changed = (name: string) => {
    if (closed) return
    const report = (error: unknown) => options.log.error({ err: error, member: name }, 'cannot look after a member')
    const notify = () => {
      for (const listener of listeners) listener(name)
    }
    queue
      .run(name, () => lookAgain(control, removals, name))
      .catch(report)
      .finally(notify)
  }
  const { control, removals, release } = assemble(options, changed)
  const onMember = <T>(name: string, task: () => Promise<T>): Promise<T> => {
    if (closed) return Promise.reject(new Error('the launcher is closed'))
    if (!safeName.test(name)) return Promise.reject(new TypeError(`not a member name: ${JSON.stringify(name)}`))
    return queue.run(name, task)
  }
  return {
    ensure: (spec) => onMember(spec.name, () => ensureMember(control, spec)),
    inspect: (name, uid) => onMember(name, () => inspectMember(control, name, uid)),
    peek: (name, uid) => onMember(name, () => peekMember(control, name, uid)),
    credentials: (name, uid) => onMember(name, () => readCredentials(join(options.stateDir, name), uid)),
    stop: (name, uid) => onMember(name, () => removals.stop(name, uid)),
    destroy: (name, uid) => onMember(name, () => removals.destroy(name, uid)),
    list: () => listMembers(options.stateDir, options.log),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      closed = true
      await queue.idle()
      await release()
    },
  }
}

function assemble(options: LauncherOptions, onChange: (name: string) => void) {
  const processes = createDetachedProcesses(options)
  const wakeups = createWakeups(options.clock, onChange)
  const sharedDir = resolve(options.sharedDir ?? `${options.stateDir}.shared`)
  const runners = {
    process: createProcessRunner(processes, onChange),
    shared: createSharedRunner({ ...options, sharedDir, processes, onChange }),
  }
  const control = createMemberControl({ ...options, runners, wakeups })
  const release = async () => {
    wakeups.close()
    await Promise.all([runners.process.close(), runners.shared.close()])
    processes.close()
  }
  return { control, removals: createRemovals(control), release }
}

async function lookAgain(control: MemberControl, removals: Removals, name: string): Promise<void> {
  const record = await folderOf(control, name).readRecord()
  if (record?.desired === 'Destroyed') await removals.destroy(name, record.uid)
  else if (record?.desired === 'Stopped') await removals.stop(name, record.uid)
  else await inspectMember(control, name, record?.uid)
}

async function readCredentials(path: string, uid: string): Promise<Credentials | undefined> {
  const folder = openMemberFolder(path)
  const record = await folder.readRecord()
  if (record?.uid !== uid || !record.everReady) return undefined
  return { url: memberUrl(record), pki: await folder.readPki() }
}

async function listMembers(stateDir: string, log: Log): Promise<{ name: string; uid: string }[]> {
  const names = await folderNames(stateDir)
  const records = await Promise.all(names.map((name) => readRecordOrSay(join(stateDir, name), log)))
  return records.filter((record) => record !== undefined).map(({ name, uid }) => ({ name, uid }))
}

async function readRecordOrSay(path: string, log: Log): Promise<MemberRecord | undefined> {
  try {
    return await openMemberFolder(path).readRecord()
  } catch (error) {
    if (!(error instanceof CorruptRecordError)) throw error
    log.warn({ err: error }, 'left out a member whose record cannot be read')
    return undefined
  }
}

async function folderNames(path: string): Promise<string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return []
    throw error
  }
}

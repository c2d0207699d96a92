/** The launcher's hold on the process that hosts shared members: at most one, found again after a restart of ours. */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../kube/clock.ts'
import { readTextIfThere, writeFileAtomically } from './atomic-file.ts'
import type { DetachedProcesses } from './detached-process.ts'
import { createKeyedQueue } from './keyed-queue.ts'
import { findByArgument, isAlive, type ProcessIdentity } from './process-identity.ts'
import { type HostRecord, hostFile, parseHostRecord } from './shared-record.ts'

export interface HostProcess {
  /** The living host; starts one when there is none. */
  ensure(): Promise<ProcessIdentity>
  /** The living host, if any. */
  present(): Promise<ProcessIdentity | undefined>
  watch(identity: ProcessIdentity): void
  /** Where it listens; waits until it does. Rejects when it ended, or does not listen in time. */
  socket(): Promise<string>
}

export interface HostProcessOptions {
  readonly sharedDir: string
  readonly processes: DetachedProcesses
  readonly onExit: () => void
  readonly clock: Clock
}

/** `sun_path` holds 104 bytes on some systems, with the closing zero. */
const maxSocketPathBytes = 100
const listenTimeoutMs = 20_000
const retryEveryMs = 10
const only = 'host'

export function createHostProcess({ sharedDir, processes, onExit, clock }: HostProcessOptions): HostProcess {
  const queue = createKeyedQueue()
  const recordPath = join(sharedDir, hostFile.record)
  const exited = () => {
    queue.run(only, () => removeEnded(sharedDir)).then(onExit, onExit)
  }
  const start = async (): Promise<ProcessIdentity> => {
    const launch = { id: randomBytes(16).toString('hex'), at: clock.now() }
    await mkdir(sharedDir, { recursive: true, mode: 0o700 })
    const socket = await socketPath(sharedDir)
    await writeFileAtomically(recordPath, JSON.stringify({ launch, socket }))
    const identity = await processes.spawn({
      program: 'shared-process',
      args: [sharedDir, launch.id, socket],
      logPath: join(sharedDir, hostFile.log),
      onReady: () => undefined,
      onExit: exited,
    })
    await writeFileAtomically(recordPath, JSON.stringify({ launch: { ...launch, process: identity }, socket }))
    return identity
  }
  const present = () => livingHost(sharedDir)
  return {
    present,
    ensure: () => queue.run(only, async () => (await present()) ?? (await start())),
    watch: (identity) => processes.watch(identity, exited),
    async socket() {
      const deadline = performance.now() + listenTimeoutMs
      while (performance.now() < deadline) {
        const record = await readHostRecord(sharedDir)
        if (record === undefined || (await livingHost(sharedDir)) === undefined)
          throw new Error('the shared process ended')
        if (await isListening(record.socket)) return record.socket
        await delay(retryEveryMs)
      }
      throw new Error(`the shared process does not listen after ${listenTimeoutMs / 1000} s`)
    },
  }
}

async function readHostRecord(sharedDir: string): Promise<HostRecord | undefined> {
  const path = join(sharedDir, hostFile.record)
  const text = await readTextIfThere(path)
  return text === undefined ? undefined : parseHostRecord(text, path)
}

/** Also finds a process whose PID was never written down, because its launcher was killed just then. */
async function livingHost(sharedDir: string): Promise<ProcessIdentity | undefined> {
  const record = await readHostRecord(sharedDir)
  if (record === undefined) return undefined
  const known = record.launch.process ?? (await findByArgument(record.launch.id))
  return known !== undefined && (await isAlive(known)) ? known : undefined
}

/** Nothing is left behind after the last member. */
async function removeEnded(sharedDir: string): Promise<void> {
  if ((await livingHost(sharedDir)) !== undefined) return
  const record = await readHostRecord(sharedDir)
  if (record !== undefined) await removeSocket(record.socket, sharedDir)
  await rm(sharedDir, { recursive: true, force: true })
}

async function removeSocket(socket: string, sharedDir: string): Promise<void> {
  const folder = dirname(socket)
  await rm(folder === sharedDir ? socket : folder, { recursive: true, force: true })
}

/** Beside the record when the system can take so long a path, else in the folder for temporary files. */
async function socketPath(sharedDir: string): Promise<string> {
  const beside = join(sharedDir, 'control.sock')
  if (Buffer.byteLength(beside) <= maxSocketPathBytes) return beside
  const digest = createHash('sha256').update(sharedDir).digest('hex').slice(0, 16)
  const folder = join(tmpdir(), `kobe-${digest}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return join(folder, 'control.sock')
}

async function isListening(path: string): Promise<boolean> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    // ENOENT, ECONNREFUSED: not yet.
    return false
  } finally {
    socket.destroy()
  }
}

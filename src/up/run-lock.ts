/** At most one `kobe up` runs on a state folder. The lock names a process by PID and start time, so a dead one never blocks. */
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { identify, isAlive, type ProcessIdentity } from '../backends/embedded/process-identity.ts'
import { ConfigError } from '../config.ts'

export interface RunLock {
  release(): void
}

/** Throws a `ConfigError` that names the running process when there is one. */
export async function acquireRunLock(path: string): Promise<RunLock> {
  const self = await identify(process.pid)
  if (self === undefined) throw new Error('this process does not find itself in the process table')
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if (createExclusively(path, self)) return { release: () => rmSync(path, { force: true }) }
    const holder = readHolder(path)
    if (holder !== undefined && (await isAlive(holder))) {
      throw new ConfigError(
        `Kobe already runs on this state folder (process ${holder.pid}); use it, stop it with \`kobe down\`, or choose another --state-dir`,
      )
    }
    rmSync(path, { force: true })
  }
  throw new ConfigError(`${path} keeps being taken by other processes; is something starting Kobe in a loop?`)
}

/** The process that holds the lock, if it lives. */
export async function runningProcess(path: string): Promise<ProcessIdentity | undefined> {
  const holder = readHolder(path)
  return holder !== undefined && (await isAlive(holder)) ? holder : undefined
}

function createExclusively(path: string, self: ProcessIdentity): boolean {
  let file: number
  try {
    file = openSync(path, 'wx', 0o600)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
  writeSync(file, `${JSON.stringify(self)}\n`)
  closeSync(file)
  return true
}

function readHolder(path: string): ProcessIdentity | undefined {
  try {
    const value: Partial<ProcessIdentity> = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof value.pid !== 'number' || typeof value.startTime !== 'string') return undefined
    return { pid: value.pid, startTime: value.startTime }
  } catch {
    // Missing, or cut short by a crash: nobody holds it.
    return undefined
  }
}

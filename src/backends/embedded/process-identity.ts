/**
 * Who a process is. A PID alone is not an identity: the system gives it to somebody else later. PID plus start time is one,
 * so that a stranger is never adopted and never killed.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'

export interface ProcessIdentity {
  readonly pid: number
  /**
   * Opaque; differs for every process that ever had this PID. Linux: boot id and field 22 of `/proc/<pid>/stat` (clock
   * ticks since boot); elsewhere the `lstart` of `ps`.
   */
  readonly startTime: string
}

const onLinux = process.platform === 'linux'
/** Fields of `/proc/<pid>/stat` counted after the name, which is in brackets and may hold blanks: state is the first. */
const startTimeField = 19

let bootId: string | undefined

function linuxBootId(): string {
  bootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  return bootId
}

/** A zombie holds no memory, file or port; only its parent can remove it. It counts as gone. */
function isEnded(state: string | undefined): boolean {
  return state === undefined || state.startsWith('Z') || state.startsWith('X')
}

function linuxStartTime(pid: number): string | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (isEnded(fields[0])) return undefined
  return `${linuxBootId()}:${fields[startTimeField]}`
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    // ESRCH: the process ended between open and read.
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ESRCH'].includes(String(error.code))) return undefined
    throw error
  }
}

async function psStartTimes(pids: readonly number[]): Promise<Map<number, string>> {
  const found = new Map<number, string>()
  const output = await psOutput(['-o', 'pid=,stat=,lstart=', '-p', pids.join(',')])
  for (const line of output.split('\n')) {
    const [pid, state, ...started] = line.trim().split(/\s+/)
    if (pid !== undefined && !isEnded(state)) found.set(Number(pid), started.join(' '))
  }
  return found
}

async function psOutput(args: readonly string[]): Promise<string> {
  // Members on Linux start without it.
  const { execFile } = await import('node:child_process')
  try {
    const { stdout } = await promisify(execFile)('ps', args, {
      env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
      maxBuffer: 16 * 1024 * 1024,
    })
    return stdout
  } catch (error) {
    // Exit code 1 means that none of the processes exists.
    if (error instanceof Error && 'code' in error && error.code === 1) return ''
    throw error
  }
}

/** Start times of those of `pids` that are alive. */
export async function startTimes(pids: readonly number[]): Promise<Map<number, string>> {
  if (pids.length === 0) return new Map()
  if (!onLinux) return psStartTimes(pids)
  const found = new Map<number, string>()
  for (const pid of pids) {
    const startTime = linuxStartTime(pid)
    if (startTime !== undefined) found.set(pid, startTime)
  }
  return found
}

/** Identity of a living process; undefined when there is none with this PID. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const startTime = (await startTimes([pid])).get(pid)
  return startTime === undefined ? undefined : { pid, startTime }
}

export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  return (await startTimes([identity.pid])).get(identity.pid) === identity.startTime
}

/** Sends the signal only to the very process that is meant. False: it is gone. */
export async function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): Promise<boolean> {
  if (!(await isAlive(identity))) return false
  try {
    return process.kill(identity.pid, signal)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false
    throw error
  }
}

/**
 * Finds a living process by a word of its command line. A parent that is killed between starting a child and writing down
 * its PID leaves a child that only this can find.
 */
export async function findByArgument(argument: string): Promise<ProcessIdentity | undefined> {
  const pid = onLinux ? findInProc(argument) : await findWithPs(argument)
  return pid === undefined ? undefined : identify(pid)
}

function findInProc(argument: string): number | undefined {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const match = pids.find((pid) => readIfThere(`/proc/${pid}/cmdline`)?.split('\0').includes(argument))
  return match === undefined ? undefined : Number(match)
}

async function findWithPs(argument: string): Promise<number | undefined> {
  const output = await psOutput(['-axww', '-o', 'pid=,args='])
  const line = output.split('\n').find((text) => text.trim().split(/\s+/).slice(1).includes(argument))
  return line === undefined ? undefined : Number(line.trim().split(/\s+/)[0])
}

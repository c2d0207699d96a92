/** Starts programs of ours that outlive us, and tells when they answer and when they end. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readyDescriptor } from './own-process.ts'
import { identify, type ProcessIdentity, startTimes } from './process-identity.ts'
import { bundleFolder, currentBundle, type Program } from './program-bundle.ts'

export interface DetachedProcessOptions {
  /** The Node program. Default: the one that runs us. */
  readonly nodePath?: string
  /** Where Node keeps compiled code. Default: no cache; a start then takes several times as long. */
  readonly compileCacheDir?: string
  readonly nodeFlags?: readonly string[]
  /** Where the programs are as one file each. Default: where set-up puts them; they are used while they are current. */
  readonly bundleFolder?: string
  /** How often processes that are not our children are looked at, milliseconds. Default 1000. */
  readonly pollEveryMs?: number
}

export interface SpawnRequest {
  readonly program: Program
  readonly args: readonly string[]
  readonly logPath: string
  readonly onReady: () => void
  readonly onExit: () => void
}

export interface DetachedProcesses {
  /** Resolves when the program runs (not: answers). Rejects with the system's error when it cannot be started. */
  spawn(request: SpawnRequest): Promise<ProcessIdentity>
  /** Calls `onExit` once when a process that we did not start ends. Children, and processes watched already, are left alone. */
  watch(identity: ProcessIdentity, onExit: () => void): void
  close(): void
}

const defaultPollMs = 1000
const root = join(import.meta.dirname, '..', '..', '..')

export function createDetachedProcesses(options: DetachedProcessOptions = {}): DetachedProcesses {
  const children = new Map<number, ChildProcess>()
  const adopted = new Map<number, { readonly startTime: string; readonly onExit: () => void }>()
  let polling = false
  const poll = async () => {
    const alive = await startTimes([...adopted.keys()])
    for (const [pid, { startTime, onExit }] of [...adopted]) {
      if (alive.get(pid) === startTime) continue
      adopted.delete(pid)
      onExit()
    }
  }
  const timer = setInterval(() => {
    if (polling || adopted.size === 0) return
    polling = true
    const done = () => {
      polling = false
    }
    poll().then(done, done)
  }, options.pollEveryMs ?? defaultPollMs)
  timer.unref()
  return {
    async spawn(request) {
      const child = await startChild(request, options, children)
      const pid = child.pid ?? 0
      // Ended already: an identity that no living process has.
      return (await identify(pid)) ?? { pid, startTime: 'ended' }
    },
    watch({ pid, startTime }, onExit) {
      if (!children.has(pid) && !adopted.has(pid)) adopted.set(pid, { startTime, onExit })
    },
    close() {
      clearInterval(timer)
      adopted.clear()
      for (const child of children.values()) child.removeAllListeners('exit')
      children.clear()
    },
  }
}

async function startChild(
  request: SpawnRequest,
  options: DetachedProcessOptions,
  children: Map<number, ChildProcess>,
): Promise<ChildProcess> {
  const log = await open(request.logPath, 'a', 0o600)
  try {
    const child = spawn(options.nodePath ?? process.execPath, commandLine(request, options), {
      detached: true,
      cwd: dirname(request.logPath),
      // Nothing of our environment is passed on: it may hold secrets, and settings that are meant for us.
      env: options.compileCacheDir === undefined ? {} : { NODE_COMPILE_CACHE: options.compileCacheDir },
      stdio: ['ignore', log.fd, log.fd, 'pipe'],
    })
    await once(child, 'spawn')
    keepTrack(child, request, children)
    letGo(child, request.onReady)
    return child
  } finally {
    await log.close()
  }
}

function commandLine(request: SpawnRequest, options: DetachedProcessOptions): string[] {
  return [...(options.nodeFlags ?? []), programPath(request.program, options), ...request.args]
}

/** Bundles are made of the sources of a checkout; a published package runs what was compiled of them. */
function programPath(program: Program, options: DetachedProcessOptions): string {
  if (!import.meta.url.endsWith('.ts')) return fileURLToPath(new URL(`./${program}.js`, import.meta.url))
  const bundle = currentBundle(options.bundleFolder ?? bundleFolder(root), program)
  return bundle ?? fileURLToPath(new URL(`./${program}.ts`, import.meta.url))
}

function keepTrack(child: ChildProcess, request: SpawnRequest, children: Map<number, ChildProcess>): void {
  const { pid } = child
  if (pid === undefined) return
  children.set(pid, child)
  child.once('exit', () => {
    children.delete(pid)
    request.onExit()
  })
}

/** Neither the child nor its pipe keeps us running. */
function letGo(child: ChildProcess, onReady: () => void): void {
  child.unref()
  const pipe = child.stdio[readyDescriptor]
  if (pipe === undefined || pipe === null || !('unref' in pipe) || typeof pipe.unref !== 'function') return
  pipe.unref()
  pipe.once('data', onReady)
  pipe.on('error', onReady)
}
